// RUN: mm01-opt %s | mm01-opt | FileCheck %s

// Every op, type and attribute of the dialect prints and parses.

// CHECK-LABEL: tile.kernel @program
// CHECK-SAME: (%{{.*}}: !exec.tensor_map {tile.box = [64, 64], tile.swizzle = 128 : i64}, %{{.*}}: index)
// CHECK-SAME: cluster = 2 : i64
tile.kernel @program(%map: !exec.tensor_map {tile.box = [64, 64], tile.swizzle = 128 : i64}, %n: index)
    attributes {cluster = 2 : i64} {
  // CHECK: tile.pipe multicast : <4>, !tile.buffer<4x64x64xbf16>
  %pipe, %ring = tile.pipe multicast : !tile.pipe<4>, !tile.buffer<4x64x64xbf16>
  // CHECK: tile.pipe : <2>
  %empty = tile.pipe : !tile.pipe<2>
  // CHECK: tile.role "load" registers 40 single {
  tile.role "load" registers 40 single {
    // CHECK: tile.acquire %{{.*}}[%{{.*}}] : <4>
    tile.acquire %pipe[%n] : !tile.pipe<4>
    // CHECK: tile.slot %{{.*}}[%{{.*}}] : <4x64x64xbf16> -> <64x64xbf16>
    %tile = tile.slot %ring[%n] : !tile.buffer<4x64x64xbf16> -> !tile.buffer<64x64xbf16>
    // CHECK: tile.copy_in %{{.*}}[%{{.*}}, %{{.*}}] to %{{.*}} multicast : <64x64xbf16>
    tile.copy_in %map[%n, %n] to %tile multicast : !tile.buffer<64x64xbf16>
    // CHECK: tile.rows %{{.*}}[32] : <64x64xbf16> -> <32x64xbf16>
    %rows = tile.rows %tile[32] : !tile.buffer<64x64xbf16> -> !tile.buffer<32x64xbf16>
    // CHECK: tile.commit
    tile.commit %pipe[%n] : !tile.pipe<4>
  }
  // CHECK: tile.role "compute" registers 232 {
  tile.role "compute" registers 232 {
    // CHECK: tile.await
    tile.await %pipe[%n] : !tile.pipe<4>
    // CHECK: tile.release
    tile.release %pipe[%n] : !tile.pipe<4>
  }
  // CHECK: tile.return
  tile.return
}

// CHECK-LABEL: func.func @barriers
func.func @barriers(%map: !exec.tensor_map, %slot: index, %parity: index, %counter: memref<?xi32>) {
  // CHECK: tile.alloc : <64x64xbf16, 128>
  %tile = tile.alloc : !tile.buffer<64x64xbf16, 128>
  // CHECK: tile.barrier arrivals 1 : <4>
  %full = tile.barrier arrivals 1 : !tile.barriers<4>
  // CHECK: tile.cluster_sync
  tile.cluster_sync
  // CHECK: tile.expect %{{.*}}[%{{.*}}], 8192 : <4>
  tile.expect %full[%slot], 8192 : !tile.barriers<4>
  // CHECK: tile.copy_in %{{.*}} to %{{.*}} signals %{{.*}}[%{{.*}}] : <64x64xbf16, 128>, !tile.barriers<4>
  tile.copy_in %map[%slot, %slot] to %tile signals %full[%slot] : !tile.buffer<64x64xbf16, 128>, !tile.barriers<4>
  // CHECK: tile.wait %{{.*}}[%{{.*}}], %{{.*}} : <4>
  tile.wait %full[%slot], %parity : !tile.barriers<4>
  // CHECK: tile.arrive %{{.*}}[%{{.*}}] : <4>
  tile.arrive %full[%slot] : !tile.barriers<4>
  // CHECK: tile.arrive %{{.*}}[%{{.*}}] single cluster : <4>
  tile.arrive %full[%slot] single cluster : !tile.barriers<4>
  // CHECK: tile.words : <2>
  %words = tile.words : !tile.words<2>
  // CHECK: tile.first_item %{{.*}} : memref<?xi32>
  %first = tile.first_item %counter : memref<?xi32>
  // CHECK: tile.take %{{.*}} until %{{.*}} to %{{.*}}[%{{.*}}] signals %{{.*}} : memref<?xi32>, <2>, <4>
  tile.take %counter until %parity to %words[%slot] signals %full : memref<?xi32>, !tile.words<2>, !tile.barriers<4>
  // CHECK: tile.word %{{.*}}[%{{.*}}] : <2>
  %item = tile.word %words[%slot] : !tile.words<2>
  // CHECK: tile.proxy_fence
  tile.proxy_fence
  // CHECK: tile.copy_out %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}] : <64x64xbf16, 128>
  tile.copy_out %tile to %map[%slot, %slot] : !tile.buffer<64x64xbf16, 128>
  // CHECK: tile.copy_wait 1
  tile.copy_wait 1
  return
}

// CHECK-LABEL: func.func @products
func.func @products(%q: !tile.buffer<64x128xbf16>, %k: !tile.buffer<64x128xbf16>, %w: tensor<64x64xbf16>,
                    %sum: tensor<64x128xf32>) -> (tensor<64x64xf32>, tensor<64x128xf32>) {
  // CHECK: tile.mma_fence()
  tile.mma_fence()
  // CHECK: tile.mma %{{.*}}, %{{.*}} transposed : !tile.buffer<64x128xbf16>, <64x128xbf16> -> tensor<64x64xf32>
  %s = tile.mma %q, %k transposed : !tile.buffer<64x128xbf16>, !tile.buffer<64x128xbf16> -> tensor<64x64xf32>
  // CHECK: tile.mma_commit
  tile.mma_commit
  // CHECK: tile.mma_fence(%{{.*}}, %{{.*}} : tensor<64x64xbf16>, tensor<64x128xf32>)
  %f:2 = tile.mma_fence(%w, %sum : tensor<64x64xbf16>, tensor<64x128xf32>)
  // CHECK: tile.mma %{{.*}}, %{{.*}} into %{{.*}} : tensor<64x64xbf16>, <64x128xbf16> -> tensor<64x128xf32>
  %t = tile.mma %f#0, %k into %f#1 : tensor<64x64xbf16>, !tile.buffer<64x128xbf16> -> tensor<64x128xf32>
  // CHECK: tile.mma_wait 0, %{{.*}}, %{{.*}} : tensor<64x64xf32>, tensor<64x128xf32>
  %done:2 = tile.mma_wait 0, %s, %t : tensor<64x64xf32>, tensor<64x128xf32>
  // CHECK: tile.mma_wait 2
  tile.mma_wait 2
  return %done#0, %done#1 : tensor<64x64xf32>, tensor<64x128xf32>
}

// CHECK-LABEL: func.func @registers
func.func @registers(%v: !tile.buffer<64x64xbf16, 128>, %x: memref<?xf32>, %at: index, %mask: tensor<64x64xi1>) {
  // CHECK: tile.iota 1 : tensor<64x64xi32, #tile.accumulator>
  %columns = tile.iota 1 : tensor<64x64xi32, #tile.accumulator>
  // CHECK: tile.read %{{.*}} transposed : <64x64xbf16, 128> -> tensor<64x64xbf16>
  %t = tile.read %v transposed : !tile.buffer<64x64xbf16, 128> -> tensor<64x64xbf16>
  // CHECK: tile.write %{{.*}} to %{{.*}} transposed : tensor<64x64xbf16>, <64x64xbf16, 128>
  tile.write %t to %v transposed : tensor<64x64xbf16>, !tile.buffer<64x64xbf16, 128>
  // CHECK: tile.load %{{.*}}[%{{.*}}] strides[%{{.*}}, %{{.*}}] where %{{.*}} : memref<?xf32>, tensor<64x64xi1> -> tensor<64x64xf32>
  %s = tile.load %x[%at] strides [%at, %at] where %mask : memref<?xf32>, tensor<64x64xi1> -> tensor<64x64xf32>
  // CHECK: tile.store %{{.*}} to %{{.*}}[%{{.*}}] strides[%{{.*}}, %{{.*}}] where %{{.*}} : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  tile.store %s to %x[%at] strides [%at, %at] where %mask : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  return
}

// CHECK-LABEL: func.func @bytes
func.func @bytes(%w: !tile.buffer<64x128xi8, 128>) -> tensor<64x128xbf16> {
  // CHECK: tile.read %{{.*}} : <64x128xi8, 128> -> tensor<64x128xi8>
  %t = tile.read %w : !tile.buffer<64x128xi8, 128> -> tensor<64x128xi8>
  %wide = arith.sitofp %t : tensor<64x128xi8> to tensor<64x128xbf16>
  return %wide : tensor<64x128xbf16>
}

// CHECK-LABEL: tile.kernel @groups
tile.kernel @groups() {
  // CHECK: tile.role "compute" registers 232 groups 2 {
  tile.role "compute" registers 232 groups 2 {
  }
  tile.return
}

// CHECK-LABEL: func.func @rows
func.func @rows(%s: tensor<128x64xf32>, %map: !exec.tensor_map, %c: index, %k: !tile.buffer<128x64xbf16>) {
  // CHECK: tile.row_sum %{{.*}} : tensor<128x64xf32> -> tensor<128x8xf32>
  %parts = tile.row_sum %s : tensor<128x64xf32> -> tensor<128x8xf32>
  // CHECK: tile.row_maximum %{{.*}} : tensor<128x8xf32> -> tensor<128xf32>
  %rows = tile.row_maximum %parts : tensor<128x8xf32> -> tensor<128xf32>
  // CHECK: tile.broadcast %{{.*}} : tensor<128xf32> -> tensor<128x8xf32>
  %all = tile.broadcast %rows : tensor<128xf32> -> tensor<128x8xf32>
  %above = arith.cmpf ogt, %parts, %all : tensor<128x8xf32>
  // CHECK: tile.any %{{.*}} : tensor<128x8xi1>
  %any = tile.any %above : tensor<128x8xi1>
  // CHECK: tile.copy_in %{{.*}}[%{{.*}}, %{{.*}}] to %{{.*}} rows [64, 64] multicast : <128x64xbf16>
  tile.copy_in %map[%c, %c] to %k rows [64, 64] multicast : !tile.buffer<128x64xbf16>
  return
}

!rows = memref<?x64xf32, strided<[?, ?], offset: ?>>
!layers = memref<7x8xf32, strided<[?, ?], offset: ?>>

// A program on tensors, its results the new contents of outs; ragged batches and
// numbers are passed as they are.
// CHECK-LABEL: func.func @on_tensors
func.func @on_tensors(%x: tensor<?x64xf32>, %r: !mm01.ragged, %n: index, %state: tensor<7x8xf32>)
    -> (tensor<?x64xf32>, tensor<7x8xf32>) {
  // CHECK: tile.program "p" grid(%{{.*}}, %{{.*}}, %{{.*}}) cluster 2 ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x64xf32>, !mm01.ragged, index)
  // CHECK-SAME: outs(%{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<7x8xf32>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: memref<?x64xf32, strided<[?, ?], offset: ?>>, %{{.*}}: !mm01.ragged, %{{.*}}: index, %{{.*}}: memref<?x64xf32, strided<[?, ?], offset: ?>>, %{{.*}}: memref<7x8xf32, strided<[?, ?], offset: ?>>):
  // CHECK-NEXT: tile.return
  // CHECK-NEXT: } -> tensor<?x64xf32>, tensor<7x8xf32>
  %y:2 = tile.program "p" grid(%n, %n, %n) cluster 2 ins(%x, %r, %n : tensor<?x64xf32>, !mm01.ragged, index)
      outs(%x, %state : tensor<?x64xf32>, tensor<7x8xf32>) {
  ^bb0(%a: !rows, %b: !mm01.ragged, %c: index, %d: !rows, %e: !layers):
    tile.return
  } -> tensor<?x64xf32>, tensor<7x8xf32>
  return %y#0, %y#1 : tensor<?x64xf32>, tensor<7x8xf32>
}

// On buffers it has no results; memory may have any rank.
// CHECK-LABEL: func.func @on_buffers
func.func @on_buffers(%x: memref<?x64xf32>, %n: index) {
  // CHECK: tile.program "p" grid(%{{.*}}, %{{.*}}, %{{.*}}) resident 2 ins() outs(%{{.*}} : memref<?x64xf32>) {
  tile.program "p" grid(%n, %n, %n) resident 2 ins() outs(%x : memref<?x64xf32>) {
  ^bb0(%a: !rows):
    %c1 = arith.constant 1 : index
    %all = arith.constant dense<true> : tensor<64x64xi1>
    // CHECK: tile.load %{{.*}} : memref<?x64xf32, strided<[?, ?], offset: ?>>, tensor<64x64xi1> -> tensor<64x64xf32>
    %t = tile.load %a[%c1] strides [%c1, %c1] where %all : !rows, tensor<64x64xi1> -> tensor<64x64xf32>
    // CHECK: tile.store %{{.*}} : tensor<64x64xf32>, memref<?x64xf32, strided<[?, ?], offset: ?>>, tensor<64x64xi1>
    tile.store %t to %a[%c1] strides [%c1, %c1] where %all : tensor<64x64xf32>, !rows, tensor<64x64xi1>
    tile.return
  }
  return
}
