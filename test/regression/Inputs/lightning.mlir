// Lightning attention alone: 2 heads of 16, the second of 2 layers.
module attributes {mm01.max_tokens = 1024 : i64, mm01.max_sequences = 8 : i64} {
  func.func @step(%q: tensor<?x2x16xf32>, %k: tensor<?x2x16xf32>, %v: tensor<?x2x16xf32>, %slopes: tensor<2xf32>,
                  %r: !mm01.ragged, %state: tensor<2x?x2x16x16xf32> {mm01.role = "lightning_state"})
      -> (tensor<?x2x16xf32>, tensor<2x?x2x16x16xf32>) {
    %layer = arith.constant 1 : index
    %t = mm01.ragged_size %r tokens
    %out = tensor.empty(%t) : tensor<?x2x16xf32>
    %o, %s = mm01.lightning_attention %q, %k, %v, %slopes, %r, %layer into %out, %state
      : tensor<?x2x16xf32>, tensor<2xf32> into tensor<?x2x16xf32>, tensor<2x?x2x16x16xf32>
    return %o, %s : tensor<?x2x16xf32>, tensor<2x?x2x16x16xf32>
  }
}
