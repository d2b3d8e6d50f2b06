// RUN: mm01-opt %s -mm01-form-lightning-programs -verify-diagnostics

// Loops over workgroups, which take what has no program, know one direction alone.
func.func @float32(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index,
                   %out: tensor<?x4x64xf32>, %state: tensor<7x?x4x64x64xf32>)
    -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
  // expected-error @+1 {{has no program in reverse for these types: expected bf16 activations, f32 slopes and states and a head size that is a multiple of 16 up to 128}}
  %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state {mm01.reverse}
    : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  return %o, %s : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
}
