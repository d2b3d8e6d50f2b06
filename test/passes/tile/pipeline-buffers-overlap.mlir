// RUN: mm01-opt %s -mm01-pipeline-buffers | FileCheck %s

// What the second of two overlapping products reads is read an iteration later, and takes turns of its own.
// CHECK-LABEL: tile.kernel @overlap
// CHECK: %[[V:.*]], %{{.*}} = tile.pipe : <3>
// CHECK: %[[K:.*]], %{{.*}} = tile.pipe : <3>
// CHECK: tile.acquire %[[K]]
// CHECK: tile.commit %[[K]]
// CHECK: tile.acquire %[[V]]
// CHECK: tile.commit %[[V]]
// CHECK: tile.await %[[K]]
// CHECK-NEXT: tile.mma
// CHECK-NEXT: tile.release %[[K]]
// CHECK: tile.await %[[V]]
// CHECK-NEXT: tile.mma
// CHECK-NEXT: tile.release %[[V]]
tile.kernel @overlap(%from: !exec.tensor_map, %out: memref<?xf32>, %n: index, %q: !tile.buffer<64x64xbf16>,
                     %zero: tensor<64x64xf32>, %all: tensor<64x64xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %o = scf.for %t = %c0 to %n step %c1 iter_args(%sum = %zero) -> tensor<64x64xf32> {
    %k = tile.alloc : !tile.buffer<256x64xbf16>
    %v = tile.alloc : !tile.buffer<256x64xbf16>
    tile.copy_in %from[%c0, %t] to %k {tile.role = "load"} : !tile.buffer<256x64xbf16>
    tile.copy_in %from[%c1, %t] to %v {tile.role = "load"} : !tile.buffer<256x64xbf16>
    %s = tile.mma %q, %k transposed : !tile.buffer<64x64xbf16>, !tile.buffer<256x64xbf16> -> tensor<64x256xf32>
    %p = arith.truncf %s : tensor<64x256xf32> to tensor<64x256xbf16>
    %next = tile.mma %p, %v into %sum : tensor<64x256xbf16>, !tile.buffer<256x64xbf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %o to %out[%c0] strides [%c0, %c0] where %all {tile.role = "compute"}
    : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  tile.return
}
