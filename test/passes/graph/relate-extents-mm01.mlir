// RUN: mm01-opt %s -split-input-file -mm01-relate-extents | FileCheck %s

// The ops of a model: each as its description says. A ragged batch has T, N and
// P.

// CHECK-LABEL: func.func @dense(
// CHECK-SAME: tensor<?xi32> {mm01.extents = ["e0"]}
// CHECK-SAME: tensor<?x?xf32> {mm01.extents = ["e0", 64]}
// CHECK-SAME: tensor<?xi32> {mm01.extents = ["e1"]}
// CHECK-SAME: tensor<?x?xf32> {mm01.extents = ["e1", 256]}
func.func @dense(%ids: tensor<?xi32>, %hidden: tensor<?x?xf32>, %rows: tensor<?xi32>, %logits: tensor<?x?xf32>,
                 %table: !mm01.weight<256x64xbf16>, %norm: !mm01.weight<64xbf16>) -> tensor<?x?xf32> {
  %x = mm01.embedding %ids, %table into %hidden : tensor<?xi32>, !mm01.weight<256x64xbf16> into tensor<?x?xf32>
  %n = mm01.rms_norm %x, %norm into %hidden {eps = 1.0e-5} : tensor<?x?xf32>, !mm01.weight<64xbf16> into tensor<?x?xf32>
  %y = mm01.head %n, %rows, %table into %logits
    : tensor<?x?xf32>, tensor<?xi32>, !mm01.weight<256x64xbf16> into tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @linear(
// CHECK-SAME: tensor<?x?xf32> {mm01.extents = ["e0", 64]}
// CHECK-SAME: tensor<?x?xf32> {mm01.extents = ["e0", 96]}
func.func @linear(%x: tensor<?x?xf32>, %w: !mm01.weight<96x64xbf16>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = mm01.linear %x, %w into %out : tensor<?x?xf32>, !mm01.weight<96x64xbf16> into tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Head size and heads of the state are those of the queries.
// CHECK-LABEL: func.func @lightning(
// CHECK-SAME: tensor<?x?x?xf32> {mm01.extents = ["e0", "e1", "e2"]}
// CHECK-SAME: tensor<?xf32> {mm01.extents = ["e1"]}
// CHECK-SAME: !mm01.ragged {mm01.extents = ["e0", unit, unit]}
// CHECK-SAME: tensor<7x?x?x?x?xf32> {mm01.extents = [unit, unit, "e1", "e2", "e2"]}
func.func @lightning(%q: tensor<?x?x?xf32>, %slopes: tensor<?xf32>, %r: !mm01.ragged, %layer: index,
                     %out: tensor<?x?x?xf32>, %state: tensor<7x?x?x?x?xf32>)
    -> (tensor<?x?x?xf32>, tensor<7x?x?x?x?xf32>) {
  %x = mm01.rotary %q, %r into %out {rotary_dim = 0, theta = 1.0e7} : tensor<?x?x?xf32> into tensor<?x?x?xf32>
  %o, %s = mm01.lightning_attention %x, %x, %x, %slopes, %r, %layer into %out, %state
    : tensor<?x?x?xf32>, tensor<?xf32> into tensor<?x?x?xf32>, tensor<7x?x?x?x?xf32>
  return %o, %s : tensor<?x?x?xf32>, tensor<7x?x?x?x?xf32>
}

// -----

// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: tensor<?x4x32xf32> {mm01.extents = ["e0", unit, unit]}
// CHECK-SAME: tensor<?x2x32xf32> {mm01.extents = ["e0", unit, unit]}
// CHECK-SAME: !mm01.ragged {mm01.extents = ["e0", unit, unit]}
// CHECK-SAME: tensor<1x?x64x2x32xf32> {mm01.extents = [unit, "e1", unit, unit, unit]}
// CHECK-SAME: tensor<1x?x64x2x32xf32> {mm01.extents = [unit, "e1", unit, unit, unit]}
func.func @softmax(%q: tensor<?x4x32xf32>, %k: tensor<?x2x32xf32>, %r: !mm01.ragged, %layer: index,
                   %keys: tensor<1x?x64x2x32xf32>, %values: tensor<1x?x64x2x32xf32>) -> tensor<?x4x32xf32> {
  %nk, %nv = mm01.cache_update %k, %k, %r, %layer into %keys, %values
    : tensor<?x2x32xf32> into tensor<1x?x64x2x32xf32>
  %c0 = arith.constant 0 : index
  %t = tensor.dim %q, %c0 : tensor<?x4x32xf32>
  %out = tensor.empty(%t) : tensor<?x4x32xf32>
  %o = mm01.softmax_attention %q, %nk, %nv, %r, %layer into %out {scale = 0.17677669529663687}
    : tensor<?x4x32xf32>, tensor<1x?x64x2x32xf32> into tensor<?x4x32xf32>
  return %o : tensor<?x4x32xf32>
}

// -----

// The rows of experts are k times the tokens, which is no equality.
// CHECK-LABEL: func.func @experts(
// CHECK-SAME: tensor<?x4xf32> {mm01.extents = ["e0", unit]}
// CHECK-SAME: tensor<?x64xf32> {mm01.extents = ["e0", unit]}
// CHECK-SAME: tensor<?x2xf32> {mm01.extents = ["e0", unit]}
// CHECK-SAME: tensor<?x2xi32> {mm01.extents = ["e0", unit]}
// CHECK-SAME: tensor<?x64xf32> {mm01.extents = ["e1", unit]}
// CHECK-SAME: tensor<5xi32>,
// CHECK-SAME: tensor<?x96xf32> {mm01.extents = ["e1", unit]}
func.func @experts(%logits: tensor<?x4xf32>, %x: tensor<?x64xf32>, %shares: tensor<?x2xf32>, %chosen: tensor<?x2xi32>,
                   %rows: tensor<?x64xf32>, %offsets: tensor<5xi32>, %w1: !mm01.weight<4x96x64xbf16>,
                   %w2: !mm01.weight<4x64x96xbf16>, %inner: tensor<?x96xf32>) -> tensor<?x64xf32> {
  %w, %e = mm01.route %logits into %shares, %chosen : tensor<?x4xf32> into tensor<?x2xf32>, tensor<?x2xi32>
  %r, %o, %p = mm01.dispatch %x, %e into %rows, %offsets, %chosen
    : tensor<?x64xf32>, tensor<?x2xi32> into tensor<?x64xf32>, tensor<5xi32>, tensor<?x2xi32>
  %h = mm01.grouped_linear %r, %o, %w1 into %inner
    : tensor<?x64xf32>, tensor<5xi32>, !mm01.weight<4x96x64xbf16> into tensor<?x96xf32>
  %y = mm01.grouped_linear %h, %o, %w2 into %rows
    : tensor<?x96xf32>, tensor<5xi32>, !mm01.weight<4x64x96xbf16> into tensor<?x64xf32>
  %out = mm01.combine %y, %p, %w into %x : tensor<?x64xf32>, tensor<?x2xi32>, tensor<?x2xf32> into tensor<?x64xf32>
  return %out : tensor<?x64xf32>
}

// -----

// An argument made to the size of the batch: tokens, sequences, pages.
// CHECK-LABEL: func.func @sizes(
// CHECK-SAME: !mm01.ragged {mm01.extents = ["e0", "e1", unit]}
// CHECK-SAME: tensor<?x?xf32> {mm01.extents = ["e0", "e1"]}
func.func @sizes(%r: !mm01.ragged, %x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %t = mm01.ragged_size %r tokens
  %n = mm01.ragged_size %r sequences
  %empty = tensor.empty(%t, %n) : tensor<?x?xf32>
  %copy = linalg.copy ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %copy : tensor<?x?xf32>
}
