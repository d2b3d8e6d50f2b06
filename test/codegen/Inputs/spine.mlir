// A small program of the tiled phase with one of each: a norm by rows, a matrix product by the library, an update of two
// caches in place at data-dependent slots, a weight in bf16, and a layer function that is called twice.

#row = affine_map<(d) -> (d)>
#one = affine_map<(d) -> ()>

module attributes {mm01.max_tokens = 64 : i64, mm01.max_sequences = 8 : i64} {
  mm01.parameter @norm : !mm01.weight<32xbf16> from [#mm01.source<"norm.weight" : 32>]
  mm01.parameter @up : !mm01.weight<2x48x32xf32> from [#mm01.source<"up.{}.weight" : 48x32>]

  // y = x / sqrt(mean(x^2) + 1e-5) * w, then out = y up[layer]^T.
  func.func private @layer(%x: tensor<?x32xf32>, %norm: !mm01.weight<32xbf16>, %up: !mm01.weight<2x48x32xf32>,
                           %layer: index, %out: tensor<?x48xf32>) -> tensor<?x48xf32> {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %t = tensor.dim %x, %c0 : tensor<?x32xf32>
    %empty = tensor.empty(%t) : tensor<?x32xf32>
    %y = scf.forall (%i) in (%t) shared_outs(%o = %empty) -> (tensor<?x32xf32>) {
      %w = mm01.weight_part %norm[%c0] : !mm01.weight<32xbf16> -> tensor<32xbf16>
      %row = tensor.extract_slice %x[%i, 0] [1, 32] [1, 1] : tensor<?x32xf32> to tensor<32xf32>
      %zero = arith.constant 0.0 : f32
      %acc = tensor.empty() : tensor<f32>
      %init = linalg.fill ins(%zero : f32) outs(%acc : tensor<f32>) -> tensor<f32>
      %sum = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]}
          ins(%row : tensor<32xf32>) outs(%init : tensor<f32>) {
      ^bb0(%a: f32, %b: f32):
        %sq = arith.mulf %a, %a : f32
        %s = arith.addf %b, %sq : f32
        linalg.yield %s : f32
      } -> tensor<f32>
      %total = tensor.extract %sum[] : tensor<f32>
      %n = arith.constant 32.0 : f32
      %eps = arith.constant 1.0e-5 : f32
      %mean = arith.divf %total, %n : f32
      %shifted = arith.addf %mean, %eps : f32
      %root = math.sqrt %shifted : f32
      %to = tensor.extract_slice %o[%i, 0] [1, 32] [1, 1] : tensor<?x32xf32> to tensor<32xf32>
      %scaled = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
          ins(%row, %w : tensor<32xf32>, tensor<32xbf16>) outs(%to : tensor<32xf32>) {
      ^bb0(%a: f32, %b: bf16, %unused: f32):
        %wide = arith.extf %b : bf16 to f32
        %q = arith.divf %a, %root : f32
        %r = arith.mulf %q, %wide : f32
        linalg.yield %r : f32
      } -> tensor<32xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %scaled into %o[%i, 0] [1, 32] [1, 1] : tensor<32xf32> into tensor<?x32xf32>
      }
    } {mm01.kernel = "norm"}
    %panels = arith.ceildivui %t, %c16 : index
    %result = scf.forall (%p, %q) in (%panels, 2) shared_outs(%o = %out) -> (tensor<?x48xf32>) {
      %c24 = arith.constant 24 : index
      %first = arith.muli %p, %c16 : index
      %column = arith.muli %q, %c24 : index
      %left = arith.subi %t, %first : index
      %rows = arith.minsi %left, %c16 : index
      %w = mm01.weight_part %up[%layer] : !mm01.weight<2x48x32xf32> -> tensor<48x32xf32>
      %a = tensor.extract_slice %y[%first, 0] [%rows, 32] [1, 1] : tensor<?x32xf32> to tensor<?x32xf32>
      %b = tensor.extract_slice %w[%column, 0] [24, 32] [1, 1] : tensor<48x32xf32> to tensor<24x32xf32>
      %c = tensor.extract_slice %o[%first, %column] [%rows, 24] [1, 1] : tensor<?x48xf32> to tensor<?x24xf32>
      %zero = arith.constant 0.0 : f32
      %init = linalg.fill ins(%zero : f32) outs(%c : tensor<?x24xf32>) -> tensor<?x24xf32>
      %product = linalg.matmul
          indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                           affine_map<(m, n, k) -> (m, n)>]
          ins(%a, %b : tensor<?x32xf32>, tensor<24x32xf32>) outs(%init : tensor<?x24xf32>) -> tensor<?x24xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %product into %o[%first, %column] [%rows, 24] [1, 1]
            : tensor<?x24xf32> into tensor<?x48xf32>
      }
    } {mm01.kernel = "up"}
    return %result : tensor<?x48xf32>
  }

  // keys[layer, slot[n]] += sum of x over the tokens of sequence n; values[layer, slot[n]] = exp of that.
  func.func private @update(%x: tensor<?x32xf32>, %r: !mm01.ragged, %layer: index, %keys: tensor<2x?x32xf32>,
                            %values: tensor<2x?x32xf32>) -> (tensor<2x?x32xf32>, tensor<2x?x32xf32>) {
    %sequences = mm01.ragged_size %r sequences
    %k, %v = scf.forall (%n) in (%sequences) shared_outs(%ko = %keys, %vo = %values)
        -> (tensor<2x?x32xf32>, tensor<2x?x32xf32>) {
      %c1 = arith.constant 1 : index
      %slot = mm01.ragged_get %r slot[%n]
      %begin = mm01.ragged_get %r seq_offsets[%n]
      %next = arith.addi %n, %c1 : index
      %end = mm01.ragged_get %r seq_offsets[%next]
      %key = tensor.extract_slice %ko[%layer, %slot, 0] [1, 1, 32] [1, 1, 1] : tensor<2x?x32xf32> to tensor<32xf32>
      %value = tensor.extract_slice %vo[%layer, %slot, 0] [1, 1, 32] [1, 1, 1] : tensor<2x?x32xf32> to tensor<32xf32>
      %sum = scf.for %i = %begin to %end step %c1 iter_args(%acc = %key) -> (tensor<32xf32>) {
        %row = tensor.extract_slice %x[%i, 0] [1, 32] [1, 1] : tensor<?x32xf32> to tensor<32xf32>
        %more = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
            ins(%row : tensor<32xf32>) outs(%acc : tensor<32xf32>) {
        ^bb0(%a: f32, %b: f32):
          %s = arith.addf %a, %b : f32
          linalg.yield %s : f32
        } -> tensor<32xf32>
        scf.yield %more : tensor<32xf32>
      }
      %exp = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
          ins(%sum : tensor<32xf32>) outs(%value : tensor<32xf32>) {
      ^bb0(%a: f32, %unused: f32):
        %e = math.exp %a : f32
        linalg.yield %e : f32
      } -> tensor<32xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %sum into %ko[%layer, %slot, 0] [1, 1, 32] [1, 1, 1]
            : tensor<32xf32> into tensor<2x?x32xf32>
        tensor.parallel_insert_slice %exp into %vo[%layer, %slot, 0] [1, 1, 32] [1, 1, 1]
            : tensor<32xf32> into tensor<2x?x32xf32>
      }
    } {mm01.kernel = "accumulate"}
    return %k, %v : tensor<2x?x32xf32>, tensor<2x?x32xf32>
  }

  func.func @step(%x: tensor<?x32xf32>, %r: !mm01.ragged, %keys: tensor<2x?x32xf32> {mm01.role = "keys"},
                  %values: tensor<2x?x32xf32> {mm01.role = "values"},
                  %norm: !mm01.weight<32xbf16> {mm01.parameter = @norm},
                  %up: !mm01.weight<2x48x32xf32> {mm01.parameter = @up})
      -> (tensor<?x48xf32> {mm01.role = "logits"}, tensor<2x?x32xf32>, tensor<2x?x32xf32>, tensor<?x48xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = mm01.ragged_size %r tokens
    %empty = tensor.empty(%t) : tensor<?x48xf32>
    %a = func.call @layer(%x, %norm, %up, %c0, %empty)
        : (tensor<?x32xf32>, !mm01.weight<32xbf16>, !mm01.weight<2x48x32xf32>, index, tensor<?x48xf32>) -> tensor<?x48xf32>
    %b = func.call @layer(%x, %norm, %up, %c1, %empty)
        : (tensor<?x32xf32>, !mm01.weight<32xbf16>, !mm01.weight<2x48x32xf32>, index, tensor<?x48xf32>) -> tensor<?x48xf32>
    %k0, %v0 = func.call @update(%x, %r, %c0, %keys, %values)
        : (tensor<?x32xf32>, !mm01.ragged, index, tensor<2x?x32xf32>, tensor<2x?x32xf32>)
        -> (tensor<2x?x32xf32>, tensor<2x?x32xf32>)
    %k1, %v1 = func.call @update(%x, %r, %c1, %k0, %v0)
        : (tensor<?x32xf32>, !mm01.ragged, index, tensor<2x?x32xf32>, tensor<2x?x32xf32>)
        -> (tensor<2x?x32xf32>, tensor<2x?x32xf32>)
    return %a, %k1, %v1, %b : tensor<?x48xf32>, tensor<2x?x32xf32>, tensor<2x?x32xf32>, tensor<?x48xf32>
  }
}
