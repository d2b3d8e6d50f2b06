// RUN: mm01-opt %s -canonicalize -cse | FileCheck %s

// Places are pure: equal ones are one, and what nobody uses goes.
// CHECK-LABEL: func.func @pure
// CHECK-COUNT-1: tile.iota 1
// CHECK-NOT: tile.iota
// CHECK-COUNT-1: tile.slot
// CHECK-NOT: tile.slot
func.func @pure(%ring: !tile.buffer<4x64x64xbf16>, %t: index)
    -> (tensor<64x64xi32>, tensor<64x64xi32>, !tile.buffer<64x64xbf16>, !tile.buffer<64x64xbf16>) {
  %rows = tile.iota 0 : tensor<64x64xi32>
  %a = tile.iota 1 : tensor<64x64xi32>
  %b = tile.iota 1 : tensor<64x64xi32>
  %x = tile.slot %ring[%t] : !tile.buffer<4x64x64xbf16> -> !tile.buffer<64x64xbf16>
  %y = tile.slot %ring[%t] : !tile.buffer<4x64x64xbf16> -> !tile.buffer<64x64xbf16>
  return %a, %b, %x, %y : tensor<64x64xi32>, tensor<64x64xi32>, !tile.buffer<64x64xbf16>, !tile.buffer<64x64xbf16>
}

// Products read memory, so equal ones are one only while nobody writes; memory of
// one's own that is never touched goes.
// CHECK-LABEL: func.func @memory
// CHECK-NOT: tile.alloc
// CHECK: tile.mma
// CHECK: tile.write
// CHECK: tile.mma
func.func @memory(%q: !tile.buffer<64x64xbf16>, %v: tensor<64x64xbf16>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %unused = tile.alloc : !tile.buffer<64x64xbf16>
  %a = tile.mma %v, %q : tensor<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
  tile.write %v to %q : tensor<64x64xbf16>, !tile.buffer<64x64xbf16>
  %b = tile.mma %v, %q : tensor<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
  return %a, %b : tensor<64x64xf32>, tensor<64x64xf32>
}

// Fences, groups, turns and barriers stay where they are.
// CHECK-LABEL: func.func @order
// CHECK: tile.mma_fence
// CHECK: tile.mma_commit
// CHECK: tile.mma_wait 0
// CHECK: tile.acquire
// CHECK: tile.acquire
// CHECK: tile.proxy_fence
func.func @order(%pipe: !tile.pipe<2>, %t: index) {
  tile.mma_fence()
  tile.mma_commit
  tile.mma_wait 0
  tile.acquire %pipe[%t] : !tile.pipe<2>
  tile.acquire %pipe[%t] : !tile.pipe<2>
  tile.proxy_fence
  return
}
