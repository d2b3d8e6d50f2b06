// RUN: mm01-opt %s --mm01-form-kernels --canonicalize --cse | FileCheck %s

// A fresh sequence starts from zero and never reads its slot, unless it has no tokens, as padding; without a plan, tokens
// go through the recurrence; the last state goes back to the slot.
// CHECK-LABEL: func.func @lightning
// CHECK: %[[N:.*]] = mm01.ragged_size %{{.*}} sequences
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (%[[N]], 4)
// CHECK: %[[SLOT:.*]] = mm01.ragged_get %{{.*}} slot
// CHECK: %[[PAST:.*]] = mm01.ragged_get %{{.*}} past
// CHECK: %[[COUNT:.*]] = arith.subi
// CHECK-DAG: %[[NEW:.*]] = arith.cmpi sle, %[[PAST]]
// CHECK-DAG: %[[SOME:.*]] = arith.cmpi sge, %[[COUNT]]
// CHECK: %[[FRESH:.*]] = arith.andi %[[NEW]], %[[SOME]]
// CHECK: %[[STATE:.*]] = scf.if %[[FRESH]]
// CHECK-NEXT: linalg.fill
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[STATE]], %{{.*}} = %{{.*}})
// CHECK-NOT: linalg.matmul
// CHECK: scf.forall.in_parallel
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%{{.*}}, %[[SLOT]],
// CHECK: mm01.kernel = "lightning_attention"
func.func @lightning(%q: tensor<?x4x32xf32>, %k: tensor<?x4x32xf32>, %v: tensor<?x4x32xf32>, %slopes: tensor<4xf32>,
                     %r: !mm01.ragged, %layer: index, %out: tensor<?x4x32xf32>, %state: tensor<7x?x4x32x32xf32>)
    -> (tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>) {
  %o, %s = mm01.lightning_attention %q, %k, %v, %slopes, %r, %layer into %out, %state
    : tensor<?x4x32xf32>, tensor<4xf32> into tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
  return %o, %s : tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
}

// Where single tokens are done before, a sequence of one counts as one of none, and a batch of as many tokens as sequences
// has no workgroups.
// CHECK-LABEL: func.func @skip_single
// CHECK-DAG: %[[N:.*]] = mm01.ragged_size %{{.*}} sequences
// CHECK-DAG: %[[T:.*]] = mm01.ragged_size %{{.*}} tokens
// CHECK: %[[DECODE:.*]] = arith.cmpi eq, %[[T]], %[[N]]
// CHECK: %[[GRID:.*]] = arith.select %[[DECODE]], %c0, %[[N]]
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (%[[GRID]], 4)
// CHECK: %[[SINGLE:.*]] = arith.cmpi eq, %[[ALL:.*]], %c1
// CHECK: %[[COUNT:.*]] = arith.select %[[SINGLE]], %c0, %[[ALL]]
// CHECK: arith.cmpi sge, %[[COUNT]], %c1
// CHECK: scf.for %{{.*}} = %c0 to %[[COUNT]]
func.func @skip_single(%q: tensor<?x4x32xf32>, %k: tensor<?x4x32xf32>, %v: tensor<?x4x32xf32>, %slopes: tensor<4xf32>,
                       %r: !mm01.ragged, %layer: index, %out: tensor<?x4x32xf32>, %state: tensor<7x?x4x32x32xf32>)
    -> (tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>) {
  %o, %s = mm01.lightning_attention %q, %k, %v, %slopes, %r, %layer into %out, %state {mm01.skip_single}
    : tensor<?x4x32xf32>, tensor<4xf32> into tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
  return %o, %s : tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
}

// With a plan there is a loop over the blocks of each level, the largest first, with four products in each and scratch of
// the level's size; then the recurrence takes what is left.
// CHECK-LABEL: func.func @planned
// CHECK: scf.for
// CHECK: tensor.empty() : tensor<64x32xf32>
// CHECK-COUNT-4: linalg.matmul
// CHECK: scf.for
// CHECK: tensor.empty() : tensor<32x32xf32>
// CHECK-COUNT-4: linalg.matmul
// CHECK-NOT: linalg.matmul
// CHECK: mm01.kernel = "lightning_attention", mm01.lightning_plan = {repeat = 64 : i64, rest = [{bound = 20 : i64, items = array<i64>}, {bound = 41 : i64, items = array<i64: 32>}]}
func.func @planned(%q: tensor<?x4x32xf32>, %k: tensor<?x4x32xf32>, %v: tensor<?x4x32xf32>, %slopes: tensor<4xf32>,
                   %r: !mm01.ragged, %layer: index, %out: tensor<?x4x32xf32>, %state: tensor<7x?x4x32x32xf32>)
    -> (tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>) {
  %o, %s = mm01.lightning_attention %q, %k, %v, %slopes, %r, %layer into %out, %state
    {mm01.lightning_plan = {repeat = 64, rest = [{bound = 20, items = array<i64>}, {bound = 41, items = array<i64: 32>}]}}
    : tensor<?x4x32xf32>, tensor<4xf32> into tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
  return %o, %s : tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
}

// Positions are cut into page and row with the page size of the cache.
// CHECK-LABEL: func.func @update
// CHECK-DAG: %[[SIZE:.*]] = arith.constant 64 : index
// CHECK: %[[POSITION:.*]] = mm01.ragged_get %{{.*}} token_position
// CHECK: arith.divui %[[POSITION]], %[[SIZE]]
// CHECK: arith.remui %[[POSITION]], %[[SIZE]]
// CHECK: mm01.kernel = "cache_update"
func.func @update(%k: tensor<?x2x32xf32>, %v: tensor<?x2x32xf32>, %r: !mm01.ragged, %layer: index,
                  %keys: tensor<1x?x64x2x32xf32>, %values: tensor<1x?x64x2x32xf32>)
    -> (tensor<1x?x64x2x32xf32>, tensor<1x?x64x2x32xf32>) {
  %nk, %nv = mm01.cache_update %k, %v, %r, %layer into %keys, %values
    : tensor<?x2x32xf32> into tensor<1x?x64x2x32xf32>
  return %nk, %nv : tensor<1x?x64x2x32xf32>, tensor<1x?x64x2x32xf32>
}

// A tile of tokens and a key head; one page at a time with a running maximum; both products by the BLAS.
// CHECK-LABEL: func.func @attention
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (%{{.*}}, 2)
// CHECK: mm01.ragged_get %{{.*}} token_sequence
// CHECK: linalg.fill ins(%[[LOWEST]] : f32)
// CHECK: mm01.ragged_get %{{.*}} page_table
// CHECK: %[[SCORES:.*]] = linalg.matmul indexing_maps
// CHECK: math.exp
// CHECK: linalg.matmul indexing_maps
// CHECK: mm01.kernel = "softmax_attention"
func.func @attention(%q: tensor<?x4x32xf32>, %keys: tensor<1x?x64x2x32xf32>, %values: tensor<1x?x64x2x32xf32>,
                     %r: !mm01.ragged, %layer: index, %out: tensor<?x4x32xf32>) -> tensor<?x4x32xf32> {
  %o = mm01.softmax_attention %q, %keys, %values, %r, %layer into %out {scale = 0.17677669529663687}
    : tensor<?x4x32xf32>, tensor<1x?x64x2x32xf32> into tensor<?x4x32xf32>
  return %o : tensor<?x4x32xf32>
}
