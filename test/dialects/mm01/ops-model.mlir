// RUN: mm01-opt %s | mm01-opt | FileCheck %s
// RUN: mm01-opt %s --mlir-print-op-generic | mm01-opt | FileCheck %s

// One tensor, a stack of tensors, parts of one tensor, and rows of one tensor.
// CHECK: mm01.parameter @norm : !mm01.weight<64xbf16> from [#mm01.source<"model.norm.weight" : 64>]
mm01.parameter @norm : !mm01.weight<64xbf16> from [#mm01.source<"model.norm.weight" : 64>]
// CHECK: mm01.parameter @w3 : !mm01.weight<4x96x64xf16> from
// CHECK-SAME: [#mm01.source<"experts.{}.w3.weight" : 96x64>, #mm01.source<"experts.gate_up_proj" : 4x192x64, rows 96 stride 192>]
mm01.parameter @w3 : !mm01.weight<4x96x64xf16> from [
  #mm01.source<"experts.{}.w3.weight" : 96x64>,
  #mm01.source<"experts.gate_up_proj" : 4x192x64, rows 96 stride 192>]
// CHECK: mm01.parameter @k : !mm01.weight<32x64xf32> from [#mm01.source<"qkv" : 96x64, rows 32 stride 0>]
mm01.parameter @k : !mm01.weight<32x64xf32> from [#mm01.source<"qkv" : 96x64, rows 32 stride 0>]

// CHECK: mm01.parameter @q : !mm01.weight<32x64xi8> from [#mm01.source<"q" : 32x64>] stored bf16
mm01.parameter @q : !mm01.weight<32x64xi8> from [#mm01.source<"q" : 32x64>] stored bf16

// CHECK-LABEL: func @bound(
// CHECK-SAME: tensor<?xi32> {mm01.role = "tokens"}
// CHECK-SAME: !mm01.weight<64xbf16> {mm01.parameter = @norm}
// CHECK-SAME: -> (tensor<?xi32> {mm01.role = "logits"})
func.func @bound(%ids: tensor<?xi32> {mm01.role = "tokens"}, %w: !mm01.weight<64xbf16> {mm01.parameter = @norm})
    -> (tensor<?xi32> {mm01.role = "logits"}) {
  return %ids : tensor<?xi32>
}

// CHECK-LABEL: func @weight_part
// CHECK-SAME: %[[W:[^:]+]]: !mm01.weight<4x96x64xbf16>, %[[V:[^:]+]]: !mm01.weight<64xf32>, %[[E:[^:]+]]: index
// CHECK: mm01.weight_part %[[W]][%[[E]]] : <4x96x64xbf16> -> tensor<96x64xbf16>
// CHECK: mm01.weight_part %[[V]][%[[E]]] : <64xf32> -> tensor<64xf32>
func.func @weight_part(%w: !mm01.weight<4x96x64xbf16>, %v: !mm01.weight<64xf32>, %e: index)
    -> (tensor<96x64xbf16>, tensor<64xf32>) {
  %p = mm01.weight_part %w[%e] : !mm01.weight<4x96x64xbf16> -> tensor<96x64xbf16>
  %q = mm01.weight_part %v[%e] : !mm01.weight<64xf32> -> tensor<64xf32>
  return %p, %q : tensor<96x64xbf16>, tensor<64xf32>
}

// A vector is one row.
// CHECK-LABEL: func @weight_scales
// CHECK-SAME: %[[W:[^:]+]]: !mm01.weight<4x96x64xi8>, %[[V:[^:]+]]: !mm01.weight<64xi8>, %[[E:[^:]+]]: index
// CHECK: mm01.weight_scales %[[W]][%[[E]]] : <4x96x64xi8> -> tensor<96xf32>
// CHECK: mm01.weight_scales %[[V]][%[[E]]] : <64xi8> -> tensor<1xf32>
func.func @weight_scales(%w: !mm01.weight<4x96x64xi8>, %v: !mm01.weight<64xi8>, %e: index) -> (tensor<96xf32>, tensor<1xf32>) {
  %s = mm01.weight_scales %w[%e] : !mm01.weight<4x96x64xi8> -> tensor<96xf32>
  %t = mm01.weight_scales %v[%e] : !mm01.weight<64xi8> -> tensor<1xf32>
  return %s, %t : tensor<96xf32>, tensor<1xf32>
}

// CHECK-LABEL: func @ragged_size
// CHECK-SAME: %[[R:.+]]: !mm01.ragged
// CHECK: mm01.ragged_size %[[R]] tokens
// CHECK: mm01.ragged_size %[[R]] sequences
// CHECK: mm01.ragged_size %[[R]] pages
func.func @ragged_size(%r: !mm01.ragged) -> (index, index, index) {
  %t = mm01.ragged_size %r tokens
  %n = mm01.ragged_size %r sequences
  %p = mm01.ragged_size %r pages
  return %t, %n, %p : index, index, index
}

// CHECK-LABEL: func @ragged_get
// CHECK-SAME: %[[R:.+]]: !mm01.ragged, %[[I:.+]]: index
// CHECK: mm01.ragged_get %[[R]] seq_offsets[%[[I]]]
// CHECK: mm01.ragged_get %[[R]] past[%[[I]]]
// CHECK: mm01.ragged_get %[[R]] slot[%[[I]]]
// CHECK: mm01.ragged_get %[[R]] page_table[%[[I]], %[[I]]]
// CHECK: mm01.ragged_get %[[R]] token_sequence[%[[I]]]
// CHECK: mm01.ragged_get %[[R]] token_position[%[[I]]]
func.func @ragged_get(%r: !mm01.ragged, %i: index) {
  %a = mm01.ragged_get %r seq_offsets[%i]
  %b = mm01.ragged_get %r past[%i]
  %c = mm01.ragged_get %r slot[%i]
  %d = mm01.ragged_get %r page_table[%i, %i]
  %e = mm01.ragged_get %r token_sequence[%i]
  %f = mm01.ragged_get %r token_position[%i]
  return
}
