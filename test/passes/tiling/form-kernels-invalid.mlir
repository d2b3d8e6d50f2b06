// RUN: mm01-opt %s --mm01-form-kernels --split-input-file --verify-diagnostics

// The BLAS multiplies float32 activations only.
func.func @linear_f16(%x: tensor<?x64xf16>, %w: !mm01.weight<96x64xbf16>, %out: tensor<?x96xf16>) -> tensor<?x96xf16> {
  // expected-error @below {{'mm01.linear' op has no kernel for these types}}
  %y = mm01.linear %x, %w into %out : tensor<?x64xf16>, !mm01.weight<96x64xbf16> into tensor<?x96xf16>
  return %y : tensor<?x96xf16>
}

// -----

// Temporaries of a kernel have a static size, so the head size must be static.
func.func @dynamic_head(%q: tensor<?x4x?xf32>, %keys: tensor<1x?x64x2x?xf32>, %values: tensor<1x?x64x2x?xf32>,
                        %r: !mm01.ragged, %layer: index, %out: tensor<?x4x?xf32>) -> tensor<?x4x?xf32> {
  // expected-error @below {{'mm01.softmax_attention' op has no kernel for these types}}
  %o = mm01.softmax_attention %q, %keys, %values, %r, %layer into %out {scale = 0.1}
    : tensor<?x4x?xf32>, tensor<1x?x64x2x?xf32> into tensor<?x4x?xf32>
  return %o : tensor<?x4x?xf32>
}

// -----

// A state wider than float32 is not one that the CPU keeps.
func.func @wide_state(%q: tensor<?x4x32xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index,
                      %out: tensor<?x4x32xf32>, %state: tensor<7x?x4x32x32xf64>)
    -> (tensor<?x4x32xf32>, tensor<7x?x4x32x32xf64>) {
  // expected-error @below {{'mm01.lightning_attention' op has no kernel for these types}}
  %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
    : tensor<?x4x32xf32>, tensor<4xf32> into tensor<?x4x32xf32>, tensor<7x?x4x32x32xf64>
  return %o, %s : tensor<?x4x32xf32>, tensor<7x?x4x32x32xf64>
}
