// RUN: mm01-opt %s -mm01-pipeline-buffers -split-input-file -verify-diagnostics | FileCheck %s
// RUN: mm01-opt %s -mm01-pipeline-buffers=chip=h20 -split-input-file -verify-diagnostics | FileCheck %s --check-prefix=H20

// Two buffers that one role copies into share a pipe; the one that threads fill has
// its own, of two stages. Consumers wait before their first read and release after
// their last. An H20 has more memory traffic for each multiprocessor to ask for.
// CHECK-LABEL: tile.kernel @two_pipes
// CHECK: %[[P:.*]], %[[SCORES:.*]] = tile.pipe : <2>, !tile.buffer<2x64x64xbf16>
// CHECK: %[[IN:.*]], %[[RINGS:.*]]:2 = tile.pipe multicast : <6>, !tile.buffer<6x64x64xbf16>, !tile.buffer<6x64x64xbf16>
// CHECK: scf.for %[[T:[a-z0-9]+]] =
// CHECK: tile.slot %[[RINGS]]#0[%[[T]]]
// CHECK: tile.slot %[[RINGS]]#1[%[[T]]]
// CHECK: tile.acquire %[[IN]][%[[T]]] {tile.role = "load"}
// CHECK-NEXT: tile.copy_in
// CHECK-NEXT: tile.copy_in
// CHECK-NEXT: tile.commit %[[IN]][%[[T]]] {tile.role = "load"}
// CHECK-NEXT: tile.await %[[IN]][%[[T]]] {tile.role = "ahead"}
// CHECK-NEXT: tile.mma
// CHECK-NEXT: tile.release %[[IN]][%[[T]]] {tile.role = "ahead"}
// CHECK: tile.acquire %[[P]][%[[T]]] {tile.role = "ahead"}
// CHECK-NEXT: tile.write
// CHECK-NEXT: tile.commit %[[P]][%[[T]]] {tile.role = "ahead"}
// CHECK: tile.await %[[IN]][%[[T]]] {tile.role = "recurrence"}
// CHECK: tile.await %[[P]][%[[T]]] {tile.role = "recurrence"}
// CHECK: tile.mma
// CHECK: tile.release %[[P]][%[[T]]] {tile.role = "recurrence"}
// CHECK: tile.release %[[IN]][%[[T]]] {tile.role = "recurrence"}
// H20: tile.pipe multicast : <7>
tile.kernel @two_pipes(%in: !exec.tensor_map, %memory: memref<?xf32>, %zero: tensor<64x64xf32>,
                       %all: tensor<64x64xi1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %t = %c0 to %n step %c1 iter_args(%sum = %zero) -> tensor<64x64xf32> {
    %k = tile.alloc : !tile.buffer<64x64xbf16>
    %v = tile.alloc : !tile.buffer<64x64xbf16>
    tile.copy_in %in[%c0, %t] to %k multicast {tile.role = "load"} : !tile.buffer<64x64xbf16>
    tile.copy_in %in[%c1, %t] to %v {tile.role = "load"} : !tile.buffer<64x64xbf16>
    %s = tile.mma %k, %k transposed : !tile.buffer<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
    %ps = tile.alloc : !tile.buffer<64x64xbf16>
    tile.write %p to %ps {tile.role = "ahead"} : tensor<64x64xbf16>, !tile.buffer<64x64xbf16>
    %next = tile.mma %v transposed, %ps into %sum
      : !tile.buffer<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %last to %memory[%c0] strides [%c1, %c1] where %all {tile.role = "recurrence"}
    : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  tile.return
}

// -----

// A buffer outside of loops has one turn, number 0, and one stage.
// CHECK-LABEL: tile.kernel @once
// CHECK: %[[TURN:.*]] = arith.constant 0 : index
// CHECK: tile.pipe : <1>, !tile.buffer<1x64x64xbf16>
// CHECK: tile.acquire %{{.*}}[%[[TURN]]]
tile.kernel @once(%from: !exec.tensor_map, %to: !exec.tensor_map) {
  %c0 = arith.constant 0 : index
  %tile = tile.alloc : !tile.buffer<64x64xbf16>
  tile.copy_in %from[%c0, %c0] to %tile {tile.role = "load"} : !tile.buffer<64x64xbf16>
  tile.copy_out %tile to %to[%c0, %c0] {tile.role = "store"} : !tile.buffer<64x64xbf16>
  tile.return
}

// -----

tile.kernel @no_role(%from: !exec.tensor_map, %c: index) {
  %tile = tile.alloc : !tile.buffer<64x64xbf16>
  // expected-error @+1 {{expected one role for all that fills a buffer}}
  tile.copy_in %from[%c, %c] to %tile : !tile.buffer<64x64xbf16>
  tile.return
}

// -----

tile.kernel @never_filled() {
  // expected-error @+1 {{is never filled}}
  %tile = tile.alloc : !tile.buffer<64x64xbf16>
  tile.return
}

// -----

// In a loop that does not count from 0 by 1, the turn is a count that it carries.
// CHECK-LABEL: tile.kernel @from_one
// CHECK: scf.for {{.*}} iter_args(%[[T:.*]] = %{{.*}}) -> (index)
// CHECK: tile.acquire %{{.*}}[%[[T]]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[T]], %{{.*}} : index
// CHECK: scf.yield %[[NEXT]] : index
tile.kernel @from_one(%from: !exec.tensor_map, %to: !exec.tensor_map, %n: index) {
  %c1 = arith.constant 1 : index
  scf.for %t = %c1 to %n step %c1 {
    %tile = tile.alloc : !tile.buffer<64x64xbf16>
    tile.copy_in %from[%c1, %t] to %tile {tile.role = "load"} : !tile.buffer<64x64xbf16>
    tile.copy_out %tile to %to[%c1, %t] {tile.role = "store"} : !tile.buffer<64x64xbf16>
  }
  tile.return
}

// -----

// Turns of a nest go on from item to item: the inner loop goes on from the outer's
// count and gives it back. Two buffers of the outer loop share one count. Rows of a
// tile are used where they are read, and what threads fill outside of the innermost
// loop has one tile where two would cost the copies a stage.
// CHECK-LABEL: tile.kernel @nest
// CHECK: %[[B:.*]], %{{.*}} = tile.pipe : <1>, !tile.buffer<1x64x64xbf16>
// CHECK: %[[A:.*]], %{{.*}} = tile.pipe : <1>, !tile.buffer<1x64x64xbf16>
// CHECK: %[[IN:.*]], %{{.*}} = tile.pipe : <3>, !tile.buffer<3x528x64xbf16>
// CHECK: scf.for {{.*}} iter_args(%[[TURN:[a-z0-9]+]] = %{{.*}}, %[[OUT:[a-z0-9]+]] = %{{.*}}) -> (index, index)
// CHECK: %[[SUMS:.*]]:3 = scf.for {{.*}}, %[[T:[a-z0-9]+]] = %[[TURN]])
// CHECK: tile.acquire %[[IN]][%[[T]]] {tile.role = "load"}
// CHECK: tile.await %[[IN]][%[[T]]] {tile.role = "compute0"}
// CHECK-NEXT: tile.mma
// CHECK-NEXT: tile.release %[[IN]][%[[T]]] {tile.role = "compute0"}
// CHECK: tile.await %[[IN]][%[[T]]] {tile.role = "compute1"}
// CHECK: %[[NEXT:.*]] = arith.addi %[[T]]
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[NEXT]]
// CHECK: tile.acquire %[[A]][%[[OUT]]] {tile.role = "compute0"}
// CHECK: tile.acquire %[[B]][%[[OUT]]] {tile.role = "compute1"}
// CHECK: %[[LATER:.*]] = arith.addi %[[OUT]]
// CHECK: scf.yield %[[SUMS]]#2, %[[LATER]]
tile.kernel @nest(%from: !exec.tensor_map, %to: !exec.tensor_map, %zero: tensor<64x64xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = gpu.cluster_id x
  scf.for %item = %first to %n step %m {
    %sums:2 = scf.for %t = %c0 to %m step %c1 iter_args(%a = %zero, %b = %zero)
        -> (tensor<64x64xf32>, tensor<64x64xf32>) {
      %x = tile.alloc : !tile.buffer<528x64xbf16>
      tile.copy_in %from[%c0, %t] to %x {tile.role = "load"} : !tile.buffer<528x64xbf16>
      %x0 = tile.rows %x[0] : !tile.buffer<528x64xbf16> -> !tile.buffer<64x64xbf16>
      %x1 = tile.rows %x[64] : !tile.buffer<528x64xbf16> -> !tile.buffer<64x64xbf16>
      %an = tile.mma %x0, %x0 into %a : !tile.buffer<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
      %bn = tile.mma %x1, %x1 into %b : !tile.buffer<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %an, %bn : tensor<64x64xf32>, tensor<64x64xf32>
    }
    %ab = arith.truncf %sums#0 : tensor<64x64xf32> to tensor<64x64xbf16>
    %as = tile.alloc : !tile.buffer<64x64xbf16>
    tile.write %ab to %as {tile.role = "compute0"} : tensor<64x64xbf16>, !tile.buffer<64x64xbf16>
    tile.copy_out %as to %to[%c0, %item] {tile.role = "store"} : !tile.buffer<64x64xbf16>
    %bb = arith.truncf %sums#1 : tensor<64x64xf32> to tensor<64x64xbf16>
    %bs = tile.alloc : !tile.buffer<64x64xbf16>
    tile.write %bb to %bs {tile.role = "compute1"} : tensor<64x64xbf16>, !tile.buffer<64x64xbf16>
    tile.copy_out %bs to %to[%c1, %item] {tile.role = "store"} : !tile.buffer<64x64xbf16>
  }
  tile.return
}

// -----

tile.kernel @in_a_branch(%from: !exec.tensor_map, %to: !exec.tensor_map, %c: index, %which: i1) {
  // expected-error @+1 {{expected loops alone around buffers}}
  scf.if %which {
    %tile = tile.alloc : !tile.buffer<64x64xbf16>
    tile.copy_in %from[%c, %c] to %tile {tile.role = "load"} : !tile.buffer<64x64xbf16>
    tile.copy_out %tile to %to[%c, %c] {tile.role = "store"} : !tile.buffer<64x64xbf16>
  }
  tile.return
}

// -----

tile.kernel @too_much(%from: !exec.tensor_map, %to: !exec.tensor_map) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{does not fit: the tiles of one iteration need more than the 232448 bytes}}
  %tile = tile.alloc : !tile.buffer<2048x64xbf16>
  tile.copy_in %from[%c0, %c0] to %tile {tile.role = "load"} : !tile.buffer<2048x64xbf16>
  tile.copy_out %tile to %to[%c0, %c0] {tile.role = "store"} : !tile.buffer<2048x64xbf16>
  tile.return
}

// -----

// Two blocks of a multiprocessor have half of its memory each, and each asks for half of what is to be under way.
// CHECK-LABEL: tile.kernel @resident
// CHECK: tile.pipe : <3>, !tile.buffer<3x256x64xbf16>
tile.kernel @resident(%from: !exec.tensor_map, %to: !exec.tensor_map, %n: index) attributes {resident = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    %tile = tile.alloc : !tile.buffer<256x64xbf16>
    tile.copy_in %from[%c0, %t] to %tile {tile.role = "load"} : !tile.buffer<256x64xbf16>
    tile.copy_out %tile to %to[%c0, %t] {tile.role = "store"} : !tile.buffer<256x64xbf16>
  }
  tile.return
}

// -----

tile.kernel @too_much_resident(%from: !exec.tensor_map, %to: !exec.tensor_map) attributes {resident = 2 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{does not fit: the tiles of one iteration need more than the 115712 bytes}}
  %tile = tile.alloc : !tile.buffer<1024x64xbf16>
  tile.copy_in %from[%c0, %c0] to %tile {tile.role = "load"} : !tile.buffer<1024x64xbf16>
  tile.copy_out %tile to %to[%c0, %c0] {tile.role = "store"} : !tile.buffer<1024x64xbf16>
  tile.return
}
