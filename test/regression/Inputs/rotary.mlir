// Rotary embedding alone: none, half and all of heads of 32.
module attributes {mm01.max_tokens = 1024 : i64, mm01.max_sequences = 8 : i64} {
  func.func @step(%x: tensor<?x2x32xf32>, %r: !mm01.ragged)
      -> (tensor<?x2x32xf32>, tensor<?x2x32xf32>, tensor<?x2x32xf32>) {
    %t = mm01.ragged_size %r tokens
    %a = tensor.empty(%t) : tensor<?x2x32xf32>
    %b = tensor.empty(%t) : tensor<?x2x32xf32>
    %c = tensor.empty(%t) : tensor<?x2x32xf32>
    %none = mm01.rotary %x, %r into %a {rotary_dim = 0, theta = 1.0e7} : tensor<?x2x32xf32> into tensor<?x2x32xf32>
    %half = mm01.rotary %x, %r into %b {rotary_dim = 16, theta = 1.0e7} : tensor<?x2x32xf32> into tensor<?x2x32xf32>
    %all = mm01.rotary %x, %r into %c {rotary_dim = 32, theta = 1.0e7} : tensor<?x2x32xf32> into tensor<?x2x32xf32>
    return %none, %half, %all : tensor<?x2x32xf32>, tensor<?x2x32xf32>, tensor<?x2x32xf32>
  }
}
