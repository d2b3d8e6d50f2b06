// RUN: mm01-opt %s --canonicalize --cse --split-input-file | mm01-opt --split-input-file | FileCheck %s

// An extent of a result is that of the destination it is tied to.
// CHECK-LABEL: func @dim_of_result
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x64xf32>, %[[W:[^:]+]]: !mm01.weight<96x64xbf16>, %[[OUT:[^:]+]]: tensor<?x96xf32>
// CHECK-NOT: mm01.linear
// CHECK: %[[T:.+]] = tensor.dim %[[OUT]], %{{.+}}
// CHECK: return %[[T]]
func.func @dim_of_result(%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xbf16>, %out: tensor<?x96xf32>) -> index {
  %y = mm01.linear %x, %w into %out : tensor<?x64xf32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
  %c0 = arith.constant 0 : index
  %t = tensor.dim %y, %c0 : tensor<?x96xf32>
  return %t : index
}

// -----

// Of several results, each is tied to its own destination.
// CHECK-LABEL: func @dim_of_second_result
// CHECK-SAME: %[[K:[^:]+]]: tensor<?x2x32xf32>, %{{[^:]+}}: !mm01.ragged, %{{[^:]+}}: index, %{{[^:]+}}: tensor<1x?x64x2x32xf32>, %[[VALUES:[^:]+]]: tensor<1x?x64x2x32xf32>
// CHECK: tensor.dim %[[VALUES]]
func.func @dim_of_second_result(%k: tensor<?x2x32xf32>, %r: !mm01.ragged, %l: index, %keys: tensor<1x?x64x2x32xf32>,
                                %values: tensor<1x?x64x2x32xf32>) -> index {
  %nk, %nv = mm01.cache_update %k, %k, %r, %l into %keys, %values : tensor<?x2x32xf32> into tensor<1x?x64x2x32xf32>
  %c1 = arith.constant 1 : index
  %pages = tensor.dim %nv, %c1 : tensor<1x?x64x2x32xf32>
  return %pages : index
}

// -----

// A ragged batch is constant during a call: equal reads are one.
// CHECK-LABEL: func @ragged_reads
// CHECK-COUNT-1: mm01.ragged_size
// CHECK-NOT: mm01.ragged_size
// CHECK-COUNT-1: mm01.ragged_get
// CHECK-NOT: mm01.ragged_get
// CHECK: return
func.func @ragged_reads(%r: !mm01.ragged, %i: index) -> (index, index, index, index) {
  %t0 = mm01.ragged_size %r tokens
  %p0 = mm01.ragged_get %r past[%i]
  %t1 = mm01.ragged_size %r tokens
  %p1 = mm01.ragged_get %r past[%i]
  return %t0, %t1, %p0, %p1 : index, index, index, index
}

// -----

// Reads of other fields or extents stay.
// CHECK-LABEL: func @ragged_other_reads
// CHECK-DAG: mm01.ragged_get %{{.+}} past
// CHECK-DAG: mm01.ragged_get %{{.+}} slot
// CHECK-DAG: mm01.ragged_size %{{.+}} tokens
// CHECK-DAG: mm01.ragged_size %{{.+}} sequences
func.func @ragged_other_reads(%r: !mm01.ragged, %i: index) -> (index, index, index, index) {
  %a = mm01.ragged_get %r past[%i]
  %b = mm01.ragged_get %r slot[%i]
  %c = mm01.ragged_size %r tokens
  %d = mm01.ragged_size %r sequences
  return %a, %b, %c, %d : index, index, index, index
}

// -----

// A cast that hides an extent folds into one operand alone; what is printed must parse again.
// CHECK-LABEL: func @cast_of_one_operand
// CHECK-NOT: tensor.cast
// CHECK: mm01.lightning_attention
// CHECK-SAME: : (tensor<37x4x32xf32>, tensor<?x4x32xf32>, tensor<?x4x32xf32>), tensor<4xf32> into
func.func @cast_of_one_operand(%q: tensor<37x4x32xf32>, %k: tensor<?x4x32xf32>, %slopes: tensor<4xf32>,
                               %r: !mm01.ragged, %l: index, %out: tensor<?x4x32xf32>, %state: tensor<7x?x4x32x32xf32>)
    -> tensor<?x4x32xf32> {
  %cast = tensor.cast %q : tensor<37x4x32xf32> to tensor<?x4x32xf32>
  %o, %s = mm01.lightning_attention %cast, %k, %k, %slopes, %r, %l into %out, %state
    : tensor<?x4x32xf32>, tensor<4xf32> into tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
  return %o : tensor<?x4x32xf32>
}

// -----

// A destination's cast folds, too, and the result changes its type with it.
// CHECK-LABEL: func @cast_of_destination
// CHECK: mm01.softmax_attention {{.*}} into tensor<37x4x32xf32>
func.func @cast_of_destination(%q: tensor<37x4x32xf32>, %keys: tensor<1x?x64x2x32xf32>, %r: !mm01.ragged, %l: index,
                               %out: tensor<37x4x32xf32>) -> tensor<37x4x32xf32> {
  %cast = tensor.cast %out : tensor<37x4x32xf32> to tensor<?x4x32xf32>
  %o = mm01.softmax_attention %q, %keys, %keys, %r, %l into %cast {scale = 0.125}
    : tensor<37x4x32xf32>, tensor<1x?x64x2x32xf32> into tensor<?x4x32xf32>
  %back = tensor.cast %o : tensor<?x4x32xf32> to tensor<37x4x32xf32>
  return %back : tensor<37x4x32xf32>
}

// -----

// Equal collectives are two: their order is observable, and so is one whose result nobody reads.
mm01.mesh @world <tp = 2>
mm01.process_group @TP over @world axes ["tp"]
// CHECK-LABEL: func @collectives_stay
// CHECK-COUNT-2: mm01.all_reduce
// CHECK-COUNT-2: mm01.wait
func.func @collectives_stay(%x: tensor<8xf32>, %out: tensor<8xf32>, %t0: !mm01.token<@TP>) -> !mm01.token<@TP> {
  %p0, %t1 = mm01.all_reduce sum %x into %out after %t0 : tensor<8xf32> into tensor<8xf32>, !mm01.token<@TP>
  %p1, %t2 = mm01.all_reduce sum %x into %out after %t1 : tensor<8xf32> into tensor<8xf32>, !mm01.token<@TP>
  %a = mm01.wait %p0 : !mm01.pending<tensor<8xf32>>
  %b = mm01.wait %p1 : !mm01.pending<tensor<8xf32>>
  return %t2 : !mm01.token<@TP>
}
