// A fused operation of one's own: the rows of x, divided by their root mean
// square, times a gate that goes through SiLU. Stored in bf16, computed in f32:
//
//     out[t, i] = x[t, i] / sqrt(mean_j x[t, j]^2 + 1e-5) * gate[t, i] / (1 + exp(-gate[t, i]))
//
// One scf.forall makes one kernel: a workgroup for each row. Inside, the
// operations on rows are shared out among the threads of a block on a GPU, and
// are loops on a CPU; the sum of squares is a reduction of the block.

#row = affine_map<(i) -> (i)>
#one = affine_map<(i) -> ()>

func.func @gated_norm(%x: tensor<?x1024xbf16>, %gate: tensor<?x1024xbf16>, %out: tensor<?x1024xbf16>)
    -> tensor<?x1024xbf16> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x1024xbf16>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %width = arith.constant 1024.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %result = scf.forall (%t) in (%rows) shared_outs(%o = %out) -> tensor<?x1024xbf16> {
    %xs = tensor.extract_slice %x[%t, 0] [1, 1024] [1, 1] : tensor<?x1024xbf16> to tensor<1024xbf16>
    %gs = tensor.extract_slice %gate[%t, 0] [1, 1024] [1, 1] : tensor<?x1024xbf16> to tensor<1024xbf16>
    %os = tensor.extract_slice %o[%t, 0] [1, 1024] [1, 1] : tensor<?x1024xbf16> to tensor<1024xbf16>

    %empty = tensor.empty() : tensor<f32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
    %squares = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]}
        ins(%xs : tensor<1024xbf16>) outs(%start : tensor<f32>) {
    ^bb0(%in: bf16, %sum: f32):
      %v = arith.extf %in : bf16 to f32
      %square = arith.mulf %v, %v : f32
      %next = arith.addf %sum, %square : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    %total = tensor.extract %squares[] : tensor<f32>
    %mean = arith.divf %total, %width : f32
    %shifted = arith.addf %mean, %eps : f32
    %root = math.sqrt %shifted : f32
    %scale = arith.divf %one, %root : f32

    %row = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
        ins(%xs, %gs : tensor<1024xbf16>, tensor<1024xbf16>) outs(%os : tensor<1024xbf16>) {
    ^bb0(%in: bf16, %g: bf16, %unused: bf16):
      %v = arith.extf %in : bf16 to f32
      %w = arith.extf %g : bf16 to f32
      %minus = arith.negf %w : f32
      %e = math.exp %minus : f32
      %divisor = arith.addf %e, %one : f32
      %silu = arith.divf %w, %divisor : f32
      %normal = arith.mulf %v, %scale : f32
      %gated = arith.mulf %normal, %silu : f32
      %stored = arith.truncf %gated : f32 to bf16
      linalg.yield %stored : bf16
    } -> tensor<1024xbf16>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %o[%t, 0] [1, 1024] [1, 1] : tensor<1024xbf16> into tensor<?x1024xbf16>
    }
  } {mapping = [#gpu.block<x>], mm01.kernel = "gated_norm"}
  return %result : tensor<?x1024xbf16>
}
