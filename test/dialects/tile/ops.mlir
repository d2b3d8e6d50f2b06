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
func.func @barriers(%map: !exec.tensor_map, %slot: index, %parity: index) {
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
