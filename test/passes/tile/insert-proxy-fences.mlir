// RUN: mm01-opt %s -mm01-insert-proxy-fences | FileCheck %s

!buffer = !tile.buffer<64x64xbf16, 128>

// Between what threads wrote and the arrival, once; not where only copies wrote, or
// nobody since the last arrival.
// CHECK-LABEL: tile.kernel @fences
// CHECK: tile.role "compute"
// CHECK: tile.arrive
// CHECK-NEXT: tile.write
// CHECK-NEXT: tile.write
// CHECK-NEXT: tile.proxy_fence
// CHECK-NEXT: tile.arrive
// CHECK-NEXT: tile.arrive
// CHECK: tile.role "load"
// CHECK-NEXT: tile.copy_in
// CHECK-NEXT: tile.arrive
tile.kernel @fences(%map: !exec.tensor_map, %b: !tile.barriers<2>, %t: index, %x: tensor<64x64xbf16>, %tile: !buffer) {
  tile.role "compute" registers 232 {
    tile.arrive %b[%t] : !tile.barriers<2>
    tile.write %x to %tile : tensor<64x64xbf16>, !buffer
    tile.write %x to %tile : tensor<64x64xbf16>, !buffer
    tile.arrive %b[%t] : !tile.barriers<2>
    tile.arrive %b[%t] : !tile.barriers<2>
  }
  tile.role "load" registers 40 single {
    tile.copy_in %map[%t, %t] to %tile : !buffer
    tile.arrive %b[%t] single : !tile.barriers<2>
  }
  tile.return
}

// A write before a loop is fenced in it, and a write of one role not in another.
// CHECK-LABEL: tile.kernel @loops
// CHECK: tile.write
// CHECK: scf.for
// CHECK-NEXT: tile.proxy_fence
// CHECK-NEXT: tile.arrive
// CHECK: tile.write
// CHECK: tile.role
// CHECK-NEXT: tile.arrive
tile.kernel @loops(%b: !tile.barriers<2>, %n: index, %x: tensor<64x64xbf16>, %tile: !buffer) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.role "one" registers 232 {
    tile.write %x to %tile : tensor<64x64xbf16>, !buffer
    scf.for %t = %c0 to %n step %c1 {
      tile.arrive %b[%t] : !tile.barriers<2>
    }
    tile.write %x to %tile : tensor<64x64xbf16>, !buffer
  }
  tile.role "two" registers 232 {
    tile.arrive %b[%n] : !tile.barriers<2>
  }
  tile.return
}
