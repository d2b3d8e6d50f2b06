// RUN: mm01-opt %s -mm01-assign-roles -split-input-file -verify-diagnostics | FileCheck %s

// Copies in and out are roles of their own; what depends on a carried tile is the
// recurrence, inside the loop and after it; what does not can run ahead.
// CHECK-LABEL: tile.kernel @recurrence
tile.kernel @recurrence(%in: !exec.tensor_map, %out: !exec.tensor_map, %memory: memref<?xf32>, %n: index,
                        %start: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = tensor.splat %start : tensor<64x64xf32>
  %all = arith.constant dense<true> : tensor<64x64xi1>
  %last = scf.for %t = %c0 to %n step %c1 iter_args(%sum = %zero) -> tensor<64x64xf32> {
    %k = tile.alloc : !tile.buffer<64x64xbf16>
    // CHECK: tile.copy_in {{.*}} {tile.role = "load"}
    tile.copy_in %in[%c0, %t] to %k : !tile.buffer<64x64xbf16>
    %s = tile.mma %k, %k transposed : !tile.buffer<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
    %ps = tile.alloc : !tile.buffer<64x64xbf16>
    // CHECK: tile.write {{.*}} {tile.role = "ahead"}
    tile.write %p to %ps : tensor<64x64xbf16>, !tile.buffer<64x64xbf16>
    %next = tile.mma %ps, %k into %sum : !tile.buffer<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
    %o = arith.truncf %next : tensor<64x64xf32> to tensor<64x64xbf16>
    %os = tile.alloc : !tile.buffer<64x64xbf16>
    // CHECK: tile.write {{.*}} {tile.role = "recurrence"}
    tile.write %o to %os : tensor<64x64xbf16>, !tile.buffer<64x64xbf16>
    // CHECK: tile.copy_out {{.*}} {tile.role = "store"}
    tile.copy_out %os to %out[%c0, %t] : !tile.buffer<64x64xbf16>
    scf.yield %next : tensor<64x64xf32>
  }
  // CHECK: tile.store {{.*}} {tile.role = "recurrence"}
  tile.store %last to %memory[%c0] strides [%c1, %c1] where %all : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  tile.return
}

// -----

// With one kind of arithmetic there is nothing to run ahead of.
// CHECK-LABEL: tile.kernel @one_kind
tile.kernel @one_kind(%memory: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %tile = tensor.splat %x : tensor<64x64xf32>
  %all = arith.constant dense<true> : tensor<64x64xi1>
  // CHECK: tile.store {{.*}} {tile.role = "compute"}
  tile.store %tile to %memory[%c0] strides [%c0, %c0] where %all : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  tile.return
}

// -----

// A scalar that a loop carries is no recurrence: it is cheap to compute twice.
// CHECK-LABEL: tile.kernel @carried_scalar
tile.kernel @carried_scalar(%memory: memref<?xf32>, %x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = arith.constant dense<true> : tensor<64x64xi1>
  scf.for %t = %c0 to %n step %c1 iter_args(%y = %x) -> f32 {
    %tile = tensor.splat %y : tensor<64x64xf32>
    // CHECK: tile.store {{.*}} {tile.role = "compute"}
    tile.store %tile to %memory[%t] strides [%c0, %c0] where %all : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
    %z = arith.addf %y, %y : f32
    scf.yield %z : f32
  }
  tile.return
}

// -----

// Two accumulators that share a tile but no product are two warp groups' work.
// CHECK-LABEL: tile.kernel @two_chains
tile.kernel @two_chains(%in: !exec.tensor_map, %memory: memref<?xf32>, %n: index, %zero: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = arith.constant dense<true> : tensor<64x64xi1>
  %sums:2 = scf.for %t = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero)
      -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %x = tile.alloc : !tile.buffer<128x64xbf16>
    tile.copy_in %in[%c0, %t] to %x : !tile.buffer<128x64xbf16>
    %x0 = tile.rows %x[0] : !tile.buffer<128x64xbf16> -> !tile.buffer<64x64xbf16>
    %x1 = tile.rows %x[64] : !tile.buffer<128x64xbf16> -> !tile.buffer<64x64xbf16>
    %an = tile.mma %x0, %x1 into %a : !tile.buffer<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
    %bn = tile.mma %x1, %x0 into %b : !tile.buffer<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
    scf.yield %an, %bn : tensor<64x64xf32>, tensor<64x64xf32>
  }
  // CHECK: tile.store %{{.*}}#0 {{.*}} {tile.role = "recurrence0"}
  tile.store %sums#0 to %memory[%c0] strides [%c1, %c1] where %all : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  // CHECK: tile.store %{{.*}}#1 {{.*}} {tile.role = "recurrence1"}
  tile.store %sums#1 to %memory[%c1] strides [%c1, %c1] where %all : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  // CHECK: tile.store %{{.*}} {tile.role = "ahead"}
  tile.store %zero to %memory[%c0] strides [%c0, %c0] where %all : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  tile.return
}

// -----

// A third chain goes with the first, for registers are for two; so does what needs
// no product.
// CHECK-LABEL: tile.kernel @three_chains
tile.kernel @three_chains(%x: !tile.buffer<64x64xbf16>, %memory: memref<?xf32>, %all: tensor<64x64xi1>) {
  %c0 = arith.constant 0 : index
  %a = tile.mma %x, %x : !tile.buffer<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
  %b = tile.mma %x, %x : !tile.buffer<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
  %c = tile.mma %x, %x : !tile.buffer<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
  // CHECK: {tile.role = "compute0"}
  tile.store %a to %memory[%c0] strides [%c0, %c0] where %all : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  // CHECK: {tile.role = "compute1"}
  tile.store %b to %memory[%c0] strides [%c0, %c0] where %all : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  // CHECK: {tile.role = "compute0"}
  tile.store %c to %memory[%c0] strides [%c0, %c0] where %all : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK: {tile.role = "compute0"}
  tile.store %zero to %memory[%c0] strides [%c0, %c0] where %all : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  tile.return
}

// -----

// Roles are assigned once.
tile.kernel @twice() {
  // expected-error @+1 {{stands in a program that has roles already}}
  tile.role "load" registers 40 single {
  }
  tile.return
}
