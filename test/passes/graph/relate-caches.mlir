// RUN: mm01-opt %s -split-input-file -mm01-relate-caches | FileCheck %s

!q = tensor<?x4x32xf32>
!keys = tensor<?x?x64x2x32xf32>

// Both caches are addressed by the pages of a batch, in a layer that is an argument.
// CHECK-LABEL: func.func @attend
// CHECK-SAME: %[[KEYS:[a-z0-9]*]]: tensor<?x?x64x2x32xf32> {mm01.cache_uses = [{batch = 3 : i64, layer = 4 : i64, rows = "pages"}]}
// CHECK-SAME: tensor<?x?x64x2x32xf32> {mm01.cache_uses = [{batch = 3 : i64, layer = 4 : i64, rows = "pages"}]}
// CHECK-SAME: %{{[a-z0-9]*}}: !mm01.ragged, %{{[a-z0-9]*}}: index, %{{[a-z0-9]*}}: tensor<?x4x32xf32>)
func.func @attend(%q: !q, %keys: !keys, %values: !keys, %r: !mm01.ragged, %layer: index, %out: !q) -> !q {
  %o = mm01.softmax_attention %q, %keys, %values, %r, %layer into %out {scale = 0.1} : !q, !keys into !q
  return %o : !q
}

// -----

!q = tensor<?x4x32xf32>
!state = tensor<?x?x4x32x32xf32>

// A constant layer asks for layers; the new content of a cache is the cache; a role says it already; each use is said once.
// CHECK-LABEL: func.func @twice
// CHECK-SAME: {mm01.cache_uses = [{batch = 2 : i64, layers = 3 : i64, rows = "slots"}, {batch = 2 : i64, layers = 1 : i64, rows = "slots"}]}
// CHECK-SAME: {mm01.role = "lightning_state"})
func.func @twice(%q: !q, %slopes: tensor<4xf32>, %r: !mm01.ragged, %out: !q, %state: !state, %known: !state {mm01.role = "lightning_state"}) -> (!q, !state, !state) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %a, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %c2 into %out, %state : !q, tensor<4xf32> into !q, !state
  %b, %t = mm01.lightning_attention %q, %q, %q, %slopes, %r, %c0 into %a, %s : !q, tensor<4xf32> into !q, !state
  %c, %u = mm01.lightning_attention %q, %q, %q, %slopes, %r, %c0 into %b, %t : !q, tensor<4xf32> into !q, !state
  %d, %k = mm01.lightning_attention %q, %q, %q, %slopes, %r, %c0 into %c, %known : !q, tensor<4xf32> into !q, !state
  return %d, %u, %k : !q, !state, !state
}

// -----

!q = tensor<?x4x32xf32>
!state = tensor<?x?x4x32x32xf32>

// Through a loop, whose layers are computed, and through a call.
// CHECK-LABEL: func.func private @layer
// CHECK-NOT: cache_uses
// CHECK-LABEL: func.func @through
// CHECK-SAME: %{{[a-z0-9]*}}: tensor<?x?x4x32x32xf32> {mm01.cache_uses = [{batch = 2 : i64, rows = "slots"}, {batch = 2 : i64, layer = 3 : i64, rows = "slots"}]}
func.func private @layer(%state: !state, %n: index, %q: !q, %slopes: tensor<4xf32>, %b: !mm01.ragged, %out: !q) -> (!state, !q) {
  %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %b, %n into %out, %state : !q, tensor<4xf32> into !q, !state
  return %s, %o : !state, !q
}
func.func @through(%q: !q, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: !q, %state: !state) -> (!q, !state) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %o, %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %out, %b = %state) -> (!q, !state) {
    %t, %p = func.call @layer(%b, %i, %q, %slopes, %r, %a) : (!state, index, !q, tensor<4xf32>, !mm01.ragged, !q) -> (!state, !q)
    scf.yield %p, %t : !q, !state
  }
  %t, %p = call @layer(%s, %layer, %q, %slopes, %r, %o) : (!state, index, !q, tensor<4xf32>, !mm01.ragged, !q) -> (!state, !q)
  return %p, %t : !q, !state
}
