// RUN: mm01-opt %s -mm01-overlap-products | FileCheck %s

!buffer = !tile.buffer<64x64xbf16>
!ring = !tile.buffer<2x64x64xbf16>
!tile = tensor<64x64xf32>
!operand = tensor<64x64xbf16>

// The scores of the next iteration begin, then the product with this one's values; the arithmetic between the two is the
// next iteration's. What it needs of the last product's result follows that. Turns of keys are one ahead of those of values.
// CHECK-LABEL: tile.kernel @attention
// CHECK: %[[N:.*]] = arith.maxsi
// CHECK: tile.role
// CHECK: tile.await %[[KEYS:.*]][%[[C0:.*]]] : <2>
// CHECK: %[[S0:.*]] = tile.mma %{{.*}}, %{{.*}} transposed
// CHECK-NEXT: tile.release %[[KEYS]][%[[C0]]]
// CHECK: %[[SCALED0:.*]] = arith.mulf %{{.*}}, %[[S0]]
// CHECK: %[[P0:.*]] = arith.truncf %[[S0]]
// CHECK: %[[LAST:.*]] = arith.subi %[[N]], %{{.*}}
// CHECK: %[[LOOP:.*]]:2 = scf.for %[[T:.*]] = %[[C0]] to %[[LAST]] step %{{.*}} iter_args(%[[P:.*]] = %[[P0]], %[[SCALED:.*]] = %[[SCALED0]])
// CHECK: %[[NEXT:.*]] = arith.addi %[[T]]
// CHECK: tile.await %[[KEYS]][%[[NEXT]]]
// CHECK: %[[S:.*]] = tile.mma %{{.*}}, %{{.*}} transposed
// CHECK-NEXT: tile.await %[[VALUES:.*]][%[[T]]]
// CHECK-NEXT: tile.slot %{{.*}}[%[[T]]]
// CHECK-NEXT: %[[O:.*]] = tile.mma %[[P]], %{{.*}} into %[[SCALED]]
// CHECK-NEXT: tile.release %[[VALUES]][%[[T]]]
// CHECK-NEXT: tile.release %[[KEYS]][%[[NEXT]]]
// CHECK: %[[SCALED1:.*]] = arith.mulf %[[O]], %[[S]]
// CHECK: %[[P1:.*]] = arith.truncf %[[S]]
// CHECK: scf.yield %[[P1]], %[[SCALED1]]
// CHECK: tile.await %[[VALUES]][%[[LAST]]]
// CHECK-NEXT: tile.slot %{{.*}}[%[[LAST]]]
// CHECK-NEXT: %[[END:.*]] = tile.mma %[[LOOP]]#0, %{{.*}} into %[[LOOP]]#1
// CHECK-NEXT: tile.release %[[VALUES]][%[[LAST]]]
// CHECK: tile.store %[[END]]
tile.kernel @attention(%n: index, %out: memref<?xf32>, %all: tensor<64x64xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %often = arith.maxsi %n, %c1 : index
  %keys, %kr = tile.pipe : !tile.pipe<2>, !ring
  %values, %vr = tile.pipe : !tile.pipe<2>, !ring
  %q = tile.alloc : !buffer
  tile.role "compute" registers 240 {
    %zero = arith.constant dense<0.0> : !tile
    %o = scf.for %t = %c0 to %often step %c1 iter_args(%sum = %zero) -> !tile {
      %k = tile.slot %kr[%t] : !ring -> !buffer
      %v = tile.slot %vr[%t] : !ring -> !buffer
      tile.await %keys[%t] : !tile.pipe<2>
      %s = tile.mma %q, %k transposed : !buffer, !buffer -> !tile
      tile.release %keys[%t] : !tile.pipe<2>
      %scaled = arith.mulf %sum, %s : !tile
      %p = arith.truncf %s : !tile to !operand
      tile.await %values[%t] : !tile.pipe<2>
      %next = tile.mma %p, %v into %scaled : !operand, !buffer -> !tile
      tile.release %values[%t] : !tile.pipe<2>
      scf.yield %next : !tile
    }
    tile.store %o to %out[%c0] strides [%c0, %c0] where %all : !tile, memref<?xf32>, tensor<64x64xi1>
  }
  tile.return
}

// A loop that may run zero times stays.
// CHECK-LABEL: tile.kernel @perhaps
// CHECK-NOT: tile.mma
// CHECK: scf.for
tile.kernel @perhaps(%n: index, %q: !buffer, %k: !buffer, %v: !buffer, %zero: !tile) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %o = scf.for %t = %c0 to %n step %c1 iter_args(%sum = %zero) -> !tile {
    %s = tile.mma %q, %k transposed : !buffer, !buffer -> !tile
    %p = arith.truncf %s : !tile to !operand
    %next = tile.mma %p, %v into %sum : !operand, !buffer -> !tile
    scf.yield %next : !tile
  }
  tile.return
}

// A first product that waits for the state stays behind it.
// CHECK-LABEL: tile.kernel @recurrence
// CHECK-NOT: tile.mma
// CHECK: scf.for
tile.kernel @recurrence(%k: !buffer, %v: !buffer, %zero: !tile) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %o = scf.for %t = %c0 to %c4 step %c1 iter_args(%sum = %zero) -> !tile {
    %state = arith.truncf %sum : !tile to !operand
    %s = tile.mma %state, %k transposed : !operand, !buffer -> !tile
    %p = arith.truncf %s : !tile to !operand
    %next = tile.mma %p, %v into %sum : !operand, !buffer -> !tile
    scf.yield %next : !tile
  }
  tile.return
}

// Products that do not wait for arithmetic are under way together as they are.
// CHECK-LABEL: tile.kernel @sums
// CHECK-NOT: tile.mma
// CHECK: scf.for
tile.kernel @sums(%k: !buffer, %v: !buffer, %zero: !tile) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %o:2 = scf.for %t = %c0 to %c4 step %c1 iter_args(%a = %zero, %b = %zero) -> (!tile, !tile) {
    %s = tile.mma %k, %v into %a : !buffer, !buffer -> !tile
    %next = tile.mma %v, %k into %b : !buffer, !buffer -> !tile
    scf.yield %s, %next : !tile, !tile
  }
  tile.return
}
