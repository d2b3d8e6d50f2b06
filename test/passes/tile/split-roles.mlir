// RUN: mm01-opt %s -mm01-split-roles | FileCheck %s

// Each role has the loop, and carries through it what it needs alone: the tile goes
// with the recurrence, the row with the copies. Registers: 40 for the copies; for
// 64 x 64 of f32, 32 a thread, and what is left, up to 240.
// CHECK-LABEL: tile.kernel @two
// CHECK: %[[PIPE:.*]], %[[RING:.*]] = tile.pipe
// CHECK: tile.role "load" registers 40 single {
// CHECK-NOT: tensor
// CHECK: scf.for %[[T:[a-z0-9]+]] = {{.*}} iter_args(%[[ROW:[a-z0-9]+]] = %{{.*}}) -> (index) {
// CHECK: tile.acquire %[[PIPE]][%[[T]]] : <4>
// CHECK: tile.copy_in %{{.*}}[%{{.*}}, %[[ROW]]]
// CHECK: tile.commit
// CHECK: %[[NEXT:.*]] = arith.addi %[[ROW]]
// CHECK-NOT: tile.mma
// CHECK: scf.yield %[[NEXT]] : index
// CHECK: tile.role "compute" registers 240 {
// CHECK: scf.for %[[T:[a-z0-9]+]] = {{.*}} iter_args(%[[SUM:[a-z0-9]+]] = %{{.*}}) -> (tensor<64x64xf32>) {
// CHECK-NOT: tile.acquire
// CHECK-NOT: arith.addi
// CHECK: tile.await
// CHECK: tile.mma
// CHECK: tile.release
// CHECK: tile.store
// CHECK-NEXT: }
// CHECK-NEXT: tile.return
tile.kernel @two(%in: !exec.tensor_map, %memory: memref<?xf32>, %x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %pipe, %ring = tile.pipe : !tile.pipe<4>, !tile.buffer<4x64x64xbf16>
  %zero = tensor.splat %x : tensor<64x64xf32>
  %all = arith.constant dense<true> : tensor<64x64xi1>
  %last:2 = scf.for %t = %c0 to %n step %c1 iter_args(%row = %c0, %sum = %zero) -> (index, tensor<64x64xf32>) {
    %k = tile.slot %ring[%t] : !tile.buffer<4x64x64xbf16> -> !tile.buffer<64x64xbf16>
    tile.acquire %pipe[%t] {tile.role = "load"} : !tile.pipe<4>
    tile.copy_in %in[%c0, %row] to %k {tile.role = "load"} : !tile.buffer<64x64xbf16>
    tile.commit %pipe[%t] {tile.role = "load"} : !tile.pipe<4>
    tile.await %pipe[%t] {tile.role = "compute"} : !tile.pipe<4>
    %s = tile.mma %k, %k into %sum : !tile.buffer<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
    tile.release %pipe[%t] {tile.role = "compute"} : !tile.pipe<4>
    %next = arith.addi %row, %c64 : index
    scf.yield %next, %s : index, tensor<64x64xf32>
  }
  tile.store %last#1 to %memory[%c0] strides [%c1, %c1] where %all {tile.role = "compute"}
    : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  tile.return
}

// A branch that a value comes from goes along, with that value alone; an effect in
// a branch keeps the branch.
// CHECK-LABEL: tile.kernel @branches
// CHECK: tile.role "compute"
// CHECK: %[[TILE:.*]] = scf.if %{{.*}} -> (tensor<64x64xf32>) {
// CHECK: } else {
// CHECK: scf.if
// CHECK: tile.store %[[TILE]]
tile.kernel @branches(%memory: memref<?xf32>, %x: f32, %y: f32, %which: i1) {
  %c0 = arith.constant 0 : index
  %a = tensor.splat %x : tensor<64x64xf32>
  %b = tensor.splat %y : tensor<64x64xf32>
  %all = arith.constant dense<true> : tensor<64x64xi1>
  %r:2 = scf.if %which -> (index, tensor<64x64xf32>) {
    scf.yield %c0, %a : index, tensor<64x64xf32>
  } else {
    scf.yield %c0, %b : index, tensor<64x64xf32>
  }
  scf.if %which {
    tile.store %r#1 to %memory[%c0] strides [%c0, %c0] where %all {tile.role = "compute"}
      : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  }
  tile.return
}

// Tiles of 128 rows are held by two warp groups, each of whose threads has half of their elements: 64 for the sum, 64 for
// the product and 32 for its operand, and what is left beside the 40 of the threads that copy.
// CHECK-LABEL: tile.kernel @groups
// CHECK: tile.role "load" registers 40 single {
// CHECK: tile.role "compute" registers 232 groups 2 {
tile.kernel @groups(%in: !exec.tensor_map, %memory: memref<?xf32>, %zero: tensor<128x128xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = arith.constant dense<true> : tensor<128x128xi1>
  %pipe, %ring = tile.pipe : !tile.pipe<2>, !tile.buffer<2x128x128xbf16>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%sum = %zero) -> tensor<128x128xf32> {
    %x = tile.slot %ring[%t] : !tile.buffer<2x128x128xbf16> -> !tile.buffer<128x128xbf16>
    tile.acquire %pipe[%t] {tile.role = "load"} : !tile.pipe<2>
    tile.copy_in %in[%c0, %t] to %x {tile.role = "load"} : !tile.buffer<128x128xbf16>
    tile.commit %pipe[%t] {tile.role = "load"} : !tile.pipe<2>
    tile.await %pipe[%t] {tile.role = "compute"} : !tile.pipe<2>
    %s = tile.mma %x, %x : !tile.buffer<128x128xbf16>, !tile.buffer<128x128xbf16> -> tensor<128x128xf32>
    %a = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xbf16>
    %next = tile.mma %a, %x into %sum : tensor<128x128xbf16>, !tile.buffer<128x128xbf16> -> tensor<128x128xf32>
    tile.release %pipe[%t] {tile.role = "compute"} : !tile.pipe<2>
    scf.yield %next : tensor<128x128xf32>
  }
  tile.store %r to %memory[%c0] strides [%c0, %c0] where %all {tile.role = "compute"}
    : tensor<128x128xf32>, memref<?xf32>, tensor<128x128xi1>
  tile.return
}

// A loop of another kind goes along whole, with what it captures. Two roles with
// equally large tiles get equal shares of the registers.
// CHECK-LABEL: tile.kernel @whole
// CHECK: tile.role "compute0" registers 232 {
// CHECK: %[[LIMIT:.*]] = arith.addi
// CHECK: %[[AT:.*]] = scf.while
// CHECK: arith.cmpi ult, %{{.*}}, %[[LIMIT]]
// CHECK: tile.store %{{.*}} to %{{.*}}[%[[AT]]]
// CHECK: tile.role "compute1" registers 232 {
// CHECK-NOT: scf.while
// CHECK: tile.return
tile.kernel @whole(%in: !exec.tensor_map, %memory: memref<?xf32>, %x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %limit = arith.addi %n, %n : index
  %pipe, %ring = tile.pipe : !tile.pipe<4>, !tile.buffer<4x64x64xbf16>
  %a = tensor.splat %x : tensor<64x64xf32>
  %all = arith.constant dense<true> : tensor<64x64xi1>
  %at = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi ult, %i, %limit : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %next = arith.addi %i, %n : index
    scf.yield %next : index
  }
  tile.acquire %pipe[%c0] {tile.role = "load"} : !tile.pipe<4>
  tile.store %a to %memory[%at] strides [%c0, %c0] where %all {tile.role = "compute0"}
    : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  tile.store %a to %memory[%c0] strides [%c0, %c0] where %all {tile.role = "compute1"}
    : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  tile.return
}

// Without roles there is nothing to split, and nothing is left to run.
// CHECK-LABEL: tile.kernel @nothing
// CHECK-NEXT: tile.return
tile.kernel @nothing() {
  tile.return
}

// Where a multiprocessor holds two blocks a role gets what is left of one's half.
// CHECK-LABEL: tile.kernel @resident
// CHECK: tile.role "load" registers 40 single {
// CHECK: tile.role "compute" registers 216 {
tile.kernel @resident(%in: !exec.tensor_map, %memory: memref<?xf32>) attributes {resident = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pipe, %ring = tile.pipe : !tile.pipe<1>, !tile.buffer<1x64x64xbf16>
  %k = tile.slot %ring[%c0] : !tile.buffer<1x64x64xbf16> -> !tile.buffer<64x64xbf16>
  %all = arith.constant dense<true> : tensor<64x64xi1>
  tile.acquire %pipe[%c0] {tile.role = "load"} : !tile.pipe<1>
  tile.copy_in %in[%c0, %c0] to %k {tile.role = "load"} : !tile.buffer<64x64xbf16>
  tile.commit %pipe[%c0] {tile.role = "load"} : !tile.pipe<1>
  tile.await %pipe[%c0] {tile.role = "compute"} : !tile.pipe<1>
  %s = tile.mma %k, %k : !tile.buffer<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
  tile.release %pipe[%c0] {tile.role = "compute"} : !tile.pipe<1>
  tile.store %s to %memory[%c0] strides [%c1, %c1] where %all {tile.role = "compute"}
    : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  tile.return
}
