// RUN: mm01-opt %s -mm01-take-items -split-input-file -verify-diagnostics | FileCheck %s

// The role that copies in takes the first number, and the next in each round; it
// gives up the slot of the number before last. All roles read numbers from the ring,
// in turn, and release them at once: 1 + 4 arrivals of two blocks each. The last
// number is the one that finds nothing left: items plus clusters less 1.
// CHECK-LABEL: tile.kernel @items
// CHECK: %[[WORDS:.*]] = tile.words : <2>
// CHECK: %[[FULL:.*]] = tile.barrier arrivals 1 : <2>
// CHECK: %[[EMPTY:.*]] = tile.barrier arrivals 10 : <2>
// CHECK: tile.cluster_sync
// CHECK: tile.role "load"
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[BLOCKS:.*]] = gpu.grid_dim x
// CHECK: %[[CLUSTERS:.*]] = arith.divui %[[BLOCKS]]
// CHECK: %[[ALL:.*]] = arith.addi %{{.*}}, %[[CLUSTERS]]
// CHECK: %[[LAST:.*]] = arith.subi %[[ALL]]
// CHECK: %[[SLOT:.*]] = arith.remui %[[ZERO]]
// CHECK: tile.wait %[[EMPTY]][%[[SLOT]]]
// CHECK: tile.expect %[[FULL]][%[[SLOT]]], 4
// CHECK: tile.take %{{.*}} until %[[LAST]] to %[[WORDS]][%[[SLOT]]] signals %[[FULL]]
// CHECK: scf.while (%[[TURN:.*]] = %[[ZERO]]
// CHECK: %[[S:.*]] = arith.remui %[[TURN]]
// CHECK: tile.wait %[[FULL]][%[[S]]]
// CHECK: %[[ITEM:.*]] = tile.word %[[WORDS]][%[[S]]]
// CHECK: tile.arrive %[[EMPTY]][%[[S]]] single cluster
// CHECK: %[[MORE:.*]] = arith.cmpi ult, %[[ITEM]], %{{.*}} : index
// CHECK: scf.condition(%[[MORE]]) %[[ITEM]], %[[TURN]]
// CHECK: } do {
// CHECK: ^bb0(%[[I:.*]]: index, %[[T:.*]]: index)
// CHECK: %[[NEXT:.*]] = arith.addi %[[T]]
// CHECK: tile.wait %[[EMPTY]]
// CHECK: tile.take
// CHECK: tile.copy_in %{{.*}}[%[[I]], %[[I]]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: tile.role "compute"
// CHECK: %[[R:.*]]:3 = scf.while (%{{.*}} = %{{.*}}, %[[X:.*]] = %{{.*}}) : (index, f32) -> (index, index, f32)
// CHECK: tile.arrive %[[EMPTY]][%{{.*}}] cluster
// CHECK: } do {
// CHECK: ^bb0(%{{.*}}: index, %{{.*}}: index, %[[Y:.*]]: f32)
// CHECK-NOT: tile.take
// CHECK: %[[Z:.*]] = arith.addf %[[Y]], %[[Y]]
// CHECK: scf.yield %{{.*}}, %[[Z]]
// CHECK: tensor.splat %[[R]]#2
// CHECK: tile.role "other" registers 40 single {
// CHECK-NOT: scf.while
// CHECK: tile.return
tile.kernel @items(%map: !exec.tensor_map, %counter: memref<?xi32>, %n: index, %x: f32) attributes {cluster = 2 : i64} {
  %c1 = arith.constant 1 : index
  %buffer = tile.alloc : !tile.buffer<64x64xbf16, 128>
  tile.cluster_sync
  tile.role "load" registers 40 single {
    %first = tile.first_item %counter : memref<?xi32>
    scf.for %item = %first to %n step %c1 {
      tile.copy_in %map[%item, %item] to %buffer : !tile.buffer<64x64xbf16, 128>
    }
  }
  tile.role "compute" registers 232 {
    %first = tile.first_item %counter : memref<?xi32>
    %r = scf.for %item = %first to %n step %c1 iter_args(%y = %x) -> f32 {
      %z = arith.addf %y, %y : f32
      scf.yield %z : f32
    }
    %t = tensor.splat %r : tensor<64x64xf32, #tile.accumulator>
  }
  tile.role "other" registers 40 single {
  }
  tile.return
}

// -----

// A program of a static grid stays as it is.
// CHECK-LABEL: tile.kernel @static
// CHECK-NOT: tile.words
// CHECK: scf.for
tile.kernel @static(%n: index) {
  %c1 = arith.constant 1 : index
  tile.cluster_sync
  tile.role "load" registers 40 single {
    %first = gpu.cluster_id x
    scf.for %item = %first to %n step %c1 {
    }
  }
  tile.return
}

// -----

tile.kernel @by_two(%counter: memref<?xi32>, %n: index) attributes {cluster = 2 : i64} {
  %c2 = arith.constant 2 : index
  tile.cluster_sync
  tile.role "load" registers 40 single {
    %first = tile.first_item %counter : memref<?xi32>
    // expected-error @+1 {{expected one loop by 1 around all that a role does with items}}
    scf.for %item = %first to %n step %c2 {
    }
  }
  tile.return
}

// -----

// expected-error @+1 {{takes items, expected a role of one thread and a cluster of two blocks or more}}
tile.kernel @alone(%counter: memref<?xi32>, %n: index) {
  %c1 = arith.constant 1 : index
  tile.cluster_sync
  tile.role "load" registers 40 single {
    %first = tile.first_item %counter : memref<?xi32>
    scf.for %item = %first to %n step %c1 {
    }
  }
  tile.return
}

// -----

// expected-error @+1 {{takes items, expected explicit barriers}}
tile.kernel @too_early(%counter: memref<?xi32>, %n: index) attributes {cluster = 2 : i64} {
  %c1 = arith.constant 1 : index
  tile.role "load" registers 40 single {
    %first = tile.first_item %counter : memref<?xi32>
    scf.for %item = %first to %n step %c1 {
    }
  }
  tile.return
}
