// Elementwise kernels whose results are checked value by value: widening of every f16 and bf16, and math functions.

#id = affine_map<(d) -> (d)>

module {
  func.func @widen(%half: !mm01.weight<256x256xf16>, %brain: !mm01.weight<256x256xbf16>)
      -> (tensor<256x256xf32>, tensor<256x256xf32>) {
    %c0 = arith.constant 0 : index
    %empty = tensor.empty() : tensor<256x256xf32>
    %a, %b = scf.forall (%i) in (256) shared_outs(%ao = %empty, %bo = %empty)
        -> (tensor<256x256xf32>, tensor<256x256xf32>) {
      %h = mm01.weight_part %half[%c0] : !mm01.weight<256x256xf16> -> tensor<256x256xf16>
      %w = mm01.weight_part %brain[%c0] : !mm01.weight<256x256xbf16> -> tensor<256x256xbf16>
      %hr = tensor.extract_slice %h[%i, 0] [1, 256] [1, 1] : tensor<256x256xf16> to tensor<256xf16>
      %wr = tensor.extract_slice %w[%i, 0] [1, 256] [1, 1] : tensor<256x256xbf16> to tensor<256xbf16>
      %ar = tensor.extract_slice %ao[%i, 0] [1, 256] [1, 1] : tensor<256x256xf32> to tensor<256xf32>
      %br = tensor.extract_slice %bo[%i, 0] [1, 256] [1, 1] : tensor<256x256xf32> to tensor<256xf32>
      %x, %y = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
          ins(%hr, %wr : tensor<256xf16>, tensor<256xbf16>) outs(%ar, %br : tensor<256xf32>, tensor<256xf32>) {
      ^bb0(%p: f16, %q: bf16, %u: f32, %v: f32):
        %pw = arith.extf %p : f16 to f32
        %qw = arith.extf %q : bf16 to f32
        linalg.yield %pw, %qw : f32, f32
      } -> (tensor<256xf32>, tensor<256xf32>)
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %x into %ao[%i, 0] [1, 256] [1, 1] : tensor<256xf32> into tensor<256x256xf32>
        tensor.parallel_insert_slice %y into %bo[%i, 0] [1, 256] [1, 1] : tensor<256xf32> into tensor<256x256xf32>
      }
    } {mm01.kernel = "widen"}
    return %a, %b : tensor<256x256xf32>, tensor<256x256xf32>
  }

  func.func @functions(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %empty = tensor.empty(%n) : tensor<?xf32>
    %e, %l, %t = scf.forall (%i) in (1) shared_outs(%eo = %empty, %lo = %empty, %to = %empty)
        -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
      %er, %lr, %tr = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
          ins(%x : tensor<?xf32>) outs(%eo, %lo, %to : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
      ^bb0(%a: f32, %u: f32, %v: f32, %w: f32):
        %exp = math.exp %a : f32
        %log = math.log %a : f32
        %tanh = math.tanh %a : f32
        linalg.yield %exp, %log, %tanh : f32, f32, f32
      } -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %er into %eo[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
        tensor.parallel_insert_slice %lr into %lo[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
        tensor.parallel_insert_slice %tr into %to[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
      }
    } {mm01.kernel = "functions"}
    return %e, %l, %t : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  }
}
