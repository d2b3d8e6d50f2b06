// RUN: mm01-opt %s | mm01-opt | FileCheck %s
// RUN: mm01-opt %s --mlir-print-op-generic | mm01-opt | FileCheck %s

// CHECK-LABEL: func @lightning_attention
// CHECK-SAME: %[[Q:[^:]+]]: tensor<?x4x32xf32>, %[[S:[^:]+]]: tensor<4xf32>, %[[R:[^:]+]]: !mm01.ragged, %[[L:[^:]+]]: index, %[[O:[^:]+]]: tensor<?x4x32xf32>, %[[STATE:[^:]+]]: tensor
// CHECK: mm01.lightning_attention %[[Q]], %[[Q]], %[[Q]], %[[S]], %[[R]], %[[L]] into %[[O]], %[[STATE]]
// CHECK-SAME: : tensor<?x4x32xf32>, tensor<4xf32> into tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
func.func @lightning_attention(%q: tensor<?x4x32xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index,
                               %out: tensor<?x4x32xf32>, %state: tensor<7x?x4x32x32xf32>)
    -> (tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>) {
  %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
    : tensor<?x4x32xf32>, tensor<4xf32> into tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
  return %o, %s : tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
}

// Types that differ in what is static are written as a list.
// CHECK-LABEL: func @lightning_attention_types
// CHECK: : (tensor<37x4x32xf32>, tensor<?x4x32xf32>, tensor<37x4x32xf32>), tensor<4xf32> into
func.func @lightning_attention_types(%q: tensor<37x4x32xf32>, %k: tensor<?x4x32xf32>, %slopes: tensor<4xf32>,
                                     %r: !mm01.ragged, %layer: index, %out: tensor<37x4x32xf32>,
                                     %state: tensor<7x?x4x32x32xf32>)
    -> (tensor<37x4x32xf32>, tensor<7x?x4x32x32xf32>) {
  %o, %s = mm01.lightning_attention %q, %k, %q, %slopes, %r, %layer into %out, %state
    : (tensor<37x4x32xf32>, tensor<?x4x32xf32>, tensor<37x4x32xf32>), tensor<4xf32>
    into tensor<37x4x32xf32>, tensor<7x?x4x32x32xf32>
  return %o, %s : tensor<37x4x32xf32>, tensor<7x?x4x32x32xf32>
}

// bf16 tokens with a float32 state, and no token at all.
// CHECK-LABEL: func @lightning_attention_bf16
// CHECK: mm01.lightning_attention
// CHECK-SAME: : tensor<0x3x16xbf16>, tensor<3xf64> into tensor<0x3x16xf32>, tensor<1x1x3x16x16xf64>
func.func @lightning_attention_bf16(%q: tensor<0x3x16xbf16>, %slopes: tensor<3xf64>, %r: !mm01.ragged, %layer: index,
                                    %out: tensor<0x3x16xf32>, %state: tensor<1x1x3x16x16xf64>) -> tensor<0x3x16xf32> {
  %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
    : tensor<0x3x16xbf16>, tensor<3xf64> into tensor<0x3x16xf32>, tensor<1x1x3x16x16xf64>
  return %o : tensor<0x3x16xf32>
}

// CHECK-LABEL: func @cache_update
// CHECK-SAME: %[[K:[^:]+]]: tensor<?x2x32xf32>, %[[V:[^:]+]]: tensor<?x2x32xf32>, %[[R:[^:]+]]: !mm01.ragged, %[[L:[^:]+]]: index, %[[KEYS:[^:]+]]: tensor<1x?x64x2x32xbf16>, %[[VALUES:[^:]+]]: tensor
// CHECK: mm01.cache_update %[[K]], %[[V]], %[[R]], %[[L]] into %[[KEYS]], %[[VALUES]] : tensor<?x2x32xf32> into tensor<1x?x64x2x32xbf16>
func.func @cache_update(%k: tensor<?x2x32xf32>, %v: tensor<?x2x32xf32>, %r: !mm01.ragged, %layer: index,
                        %keys: tensor<1x?x64x2x32xbf16>, %values: tensor<1x?x64x2x32xbf16>)
    -> (tensor<1x?x64x2x32xbf16>, tensor<1x?x64x2x32xbf16>) {
  %nk, %nv = mm01.cache_update %k, %v, %r, %layer into %keys, %values
    : tensor<?x2x32xf32> into tensor<1x?x64x2x32xbf16>
  return %nk, %nv : tensor<1x?x64x2x32xbf16>, tensor<1x?x64x2x32xbf16>
}

// The cache's types may differ in what is static, too; each result has its own.
// CHECK-LABEL: func @cache_update_types
// CHECK: : tensor<?x2x32xf32> into (tensor<1x8x64x2x32xf32>, tensor<1x?x64x2x32xf32>)
func.func @cache_update_types(%k: tensor<?x2x32xf32>, %r: !mm01.ragged, %layer: index,
                              %keys: tensor<1x8x64x2x32xf32>, %values: tensor<1x?x64x2x32xf32>)
    -> (tensor<1x8x64x2x32xf32>, tensor<1x?x64x2x32xf32>) {
  %nk, %nv = mm01.cache_update %k, %k, %r, %layer into %keys, %values
    : tensor<?x2x32xf32> into (tensor<1x8x64x2x32xf32>, tensor<1x?x64x2x32xf32>)
  return %nk, %nv : tensor<1x8x64x2x32xf32>, tensor<1x?x64x2x32xf32>
}

// CHECK-LABEL: func @softmax_attention
// CHECK-SAME: %[[Q:[^:]+]]: tensor<?x4x32xf32>, %[[KEYS:[^:]+]]: tensor<1x?x64x2x32xf32>, %[[VALUES:[^:]+]]: tensor<1x?x64x2x32xf32>, %[[R:[^:]+]]: !mm01.ragged, %[[L:[^:]+]]: index, %[[O:[^:]+]]: tensor
// CHECK: mm01.softmax_attention %[[Q]], %[[KEYS]], %[[VALUES]], %[[R]], %[[L]] into %[[O]] {scale = 1.250000e-01 : f64}
// CHECK-SAME: : tensor<?x4x32xf32>, tensor<1x?x64x2x32xf32> into tensor<?x4x32xf32>
func.func @softmax_attention(%q: tensor<?x4x32xf32>, %keys: tensor<1x?x64x2x32xf32>, %values: tensor<1x?x64x2x32xf32>,
                             %r: !mm01.ragged, %layer: index, %out: tensor<?x4x32xf32>) -> tensor<?x4x32xf32> {
  %o = mm01.softmax_attention %q, %keys, %values, %r, %layer into %out {scale = 0.125}
    : tensor<?x4x32xf32>, tensor<1x?x64x2x32xf32> into tensor<?x4x32xf32>
  return %o : tensor<?x4x32xf32>
}
