// RUN: mm01-opt %s -mm01-schedule-products | FileCheck %s

!buffer = !tile.buffer<64x64xbf16>
!tile = tensor<64x64xf32>

// The first product is waited for with the second under way, the second at the end
// of the iteration. The turn is released when the last product that reads its tiles
// is complete, not where the program said.
// CHECK-LABEL: tile.kernel @overlap
// CHECK: scf.for
// CHECK: %[[A:.*]] = tile.mma_fence(%{{.*}} : tensor<64x64xbf16>)
// CHECK-NEXT: %[[X:.*]] = tile.mma %[[A]]
// CHECK-NEXT: tile.mma_commit
// CHECK-NEXT: %[[SUM:.*]] = tile.mma_fence(%{{.*}} : tensor<64x64xf32>)
// CHECK-NEXT: %[[Y:.*]] = tile.mma %{{.*}}, %{{.*}} into %[[SUM]]
// CHECK-NEXT: tile.mma_commit
// CHECK-NEXT: %[[X1:.*]] = tile.mma_wait 1, %[[X]]
// CHECK-NEXT: arith.truncf %[[X1]]
// CHECK: %[[Y1:.*]] = tile.mma_wait 0, %[[Y]]
// CHECK-NEXT: tile.release
// CHECK-NEXT: scf.yield %{{.*}}, %[[Y1]]
tile.kernel @overlap(%a: tensor<64x64xbf16>, %zero: !tile, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pipe, %ring = tile.pipe : !tile.pipe<4>, !tile.buffer<4x64x64xbf16>
  tile.role "compute" registers 240 {
    %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%p = %a, %sum = %zero) -> (tensor<64x64xbf16>, !tile) {
      %k = tile.slot %ring[%t] : !tile.buffer<4x64x64xbf16> -> !buffer
      %x = tile.mma %p, %k : tensor<64x64xbf16>, !buffer -> !tile
      %y = tile.mma %k, %k into %sum : !buffer, !buffer -> !tile
      tile.release %pipe[%t] : !tile.pipe<4>
      %q = arith.truncf %x : !tile to tensor<64x64xbf16>
      scf.yield %q, %y : tensor<64x64xbf16>, !tile
    }
  }
  tile.return
}

// Rows of a tile belong to its turn.
// CHECK-LABEL: tile.kernel @rows
// CHECK: tile.mma %
// CHECK-NEXT: tile.mma_commit
// CHECK-NEXT: tile.mma_wait 0
// CHECK-NEXT: tile.release
tile.kernel @rows(%t: index) {
  %pipe, %ring = tile.pipe : !tile.pipe<4>, !tile.buffer<4x128x64xbf16>
  tile.role "compute" registers 240 {
    %both = tile.slot %ring[%t] : !tile.buffer<4x128x64xbf16> -> !tile.buffer<128x64xbf16>
    %k = tile.rows %both[64] : !tile.buffer<128x64xbf16> -> !buffer
    %x = tile.mma %k, %k : !buffer, !buffer -> !tile
    tile.release %pipe[%t] : !tile.pipe<4>
  }
  tile.return
}

// A product that goes on with one under way does not wait for it, nor does the
// accumulator pass through a fence; the result of both is there at the second's
// wait. A release of another turn stays.
// CHECK-LABEL: tile.kernel @chain
// CHECK: tile.mma_fence()
// CHECK-NEXT: %[[X:.*]] = tile.mma
// CHECK-NEXT: tile.mma_commit
// CHECK-NEXT: tile.mma_fence()
// CHECK-NEXT: %[[Y:.*]] = tile.mma %{{.*}}, %{{.*}} into %[[X]]
// CHECK-NEXT: tile.mma_commit
// CHECK-NEXT: tile.release
// CHECK-NEXT: %[[Y1:.*]] = tile.mma_wait 0, %[[Y]] : tensor<64x64xf32>
// CHECK-NEXT: arith.addf %[[Y1]], %[[Y1]]
tile.kernel @chain(%k: !buffer, %t: index) {
  %pipe = tile.pipe : !tile.pipe<2>
  tile.role "compute" registers 240 {
    %x = tile.mma %k, %k : !buffer, !buffer -> !tile
    %y = tile.mma %k, %k into %x : !buffer, !buffer -> !tile
    tile.release %pipe[%t] : !tile.pipe<2>
    %z = arith.addf %y, %y : !tile
  }
  tile.return
}

// Nothing is under way when a loop with products begins, or where a role ends; a
// use inside of a branch is a use.
// CHECK-LABEL: tile.kernel @nested
// CHECK: %[[X:.*]] = tile.mma
// CHECK: tile.mma_wait 0, %[[X]]
// CHECK-NEXT: scf.for
// CHECK: tile.mma_wait 0
// CHECK-NEXT: }
// CHECK: %[[Y:.*]] = tile.mma
// CHECK: %[[Y1:.*]] = tile.mma_wait 0, %[[Y]]
// CHECK-NEXT: scf.if
// CHECK-NEXT: arith.addf %[[Y1]]
// CHECK: %[[Z:.*]] = tile.mma
// CHECK-NEXT: tile.mma_commit
// CHECK-NEXT: tile.mma_wait 0, %[[Z]]
// CHECK-NEXT: }
tile.kernel @nested(%k: !buffer, %n: index, %which: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.role "compute" registers 240 {
    %x = tile.mma %k, %k : !buffer, !buffer -> !tile
    scf.for %t = %c0 to %n step %c1 {
      %in = tile.mma %k, %k : !buffer, !buffer -> !tile
    }
    %y = tile.mma %k, %k : !buffer, !buffer -> !tile
    scf.if %which {
      %z = arith.addf %y, %y : !tile
    }
    %last = tile.mma %k, %k : !buffer, !buffer -> !tile
  }
  tile.return
}

// A result that something else uses too must be there before it is added to.
// CHECK-LABEL: tile.kernel @used_twice
// CHECK: %[[X:.*]] = tile.mma
// CHECK: %[[X1:.*]] = tile.mma_wait 0, %[[X]]
// CHECK-NEXT: %[[SUM:.*]] = tile.mma_fence(%[[X1]]
// CHECK-NEXT: tile.mma %{{.*}}, %{{.*}} into %[[SUM]]
// CHECK: arith.addf %[[X1]]
tile.kernel @used_twice(%k: !buffer) {
  tile.role "compute" registers 240 {
    %x = tile.mma %k, %k : !buffer, !buffer -> !tile
    %y = tile.mma %k, %k into %x : !buffer, !buffer -> !tile
    %z = arith.addf %x, %x : !tile
  }
  tile.return
}
