// Keys and values go into their pages, then softmax attention reads them: 4 heads of 16, 2 key heads, the second of 2
// layers.
module attributes {mm01.max_tokens = 1024 : i64, mm01.max_sequences = 8 : i64} {
  func.func @step(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>, %v: tensor<?x2x16xf32>, %r: !mm01.ragged,
                  %keys: tensor<2x?x64x2x16xf32> {mm01.role = "keys"},
                  %values: tensor<2x?x64x2x16xf32> {mm01.role = "values"})
      -> (tensor<?x4x16xf32>, tensor<2x?x64x2x16xf32>, tensor<2x?x64x2x16xf32>) {
    %layer = arith.constant 1 : index
    %nk, %nv = mm01.cache_update %k, %v, %r, %layer into %keys, %values
      : tensor<?x2x16xf32> into tensor<2x?x64x2x16xf32>
    %t = mm01.ragged_size %r tokens
    %out = tensor.empty(%t) : tensor<?x4x16xf32>
    %o = mm01.softmax_attention %q, %nk, %nv, %r, %layer into %out {scale = 0.25}
      : tensor<?x4x16xf32>, tensor<2x?x64x2x16xf32> into tensor<?x4x16xf32>
    return %o, %nk, %nv : tensor<?x4x16xf32>, tensor<2x?x64x2x16xf32>, tensor<2x?x64x2x16xf32>
  }
}
