// The first half of a mixture of experts on bf16 activations as a sequential tile program: rows of x lie expert after
// expert, offsets says where each expert's begin, and
//
//     y[row] = silu(x[row] · w1[expert]ᵀ) * (x[row] · w3[expert]ᵀ)
//
// Products are transposed: tokens are the columns, so that an expert of few tokens takes a narrow tile and not one of 64
// rows. An item is 128 features by 256 tokens of an expert; the two blocks of a cluster have 64 features each and share
// the tokens' tile. Items of one expert's features follow each other, so that they share the weights in the cache.
// Clusters of a persistent grid take the next item when they have done one.
//
// A kernel of one width does the experts whose tokens, in as few equal parts as 256 allows, need a width above `above`
// and at most `width`. For a narrower one write `width`, `above`, and the extents 256 and 128 of !tokens, !part, !results
// and !products anew, as grouped.py does.
//
// The maps: w1 and w3 are {hidden, features, experts}, x {hidden, tokens}, and y {features, 256, tokens + 256} from 256
// rows before its tensor, which clips what is not an expert's.

!weights = !tile.buffer<64x64xbf16>
!tokens = !tile.buffer<256x64xbf16>
!part = !tile.buffer<128x64xbf16>
!results = !tile.buffer<128x64xbf16>
!products = tensor<64x128xf32>
!products_bf16 = tensor<64x128xbf16>

gpu.module @kernels {
  tile.kernel @grouped(%w1: !exec.tensor_map, %w3: !exec.tensor_map, %x: !exec.tensor_map, %y: !exec.tensor_map,
      %offsets: memref<?xi32>, %experts: index, %pairs: i32, %blocks: index, %counter: memref<?xi32>)
      attributes {cluster = 2 : i64} {
    %width = arith.constant 256 : i32
    %above = arith.constant 240 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c2_i32 = arith.constant 2 : i32
    %c64_i32 = arith.constant 64 : i32
    %most = arith.constant 256 : i32
    %round = arith.subi %most, %c1_i32 : i32
    %half = arith.divui %width, %c2_i32 : i32
    %fill = arith.subi %width, %c1_i32 : i32
    %rank = gpu.cluster_block_id x
    %rank32 = arith.index_cast %rank : index to i32

    %total32 = scf.for %e = %c0 to %experts step %c1 iter_args(%sum = %c0_i32) -> i32 {
      %e1 = arith.addi %e, %c1 : index
      %begin = memref.load %offsets[%e] : memref<?xi32>
      %end = memref.load %offsets[%e1] : memref<?xi32>
      %count = arith.subi %end, %begin : i32
      %padded = arith.addi %count, %round : i32
      %parts0 = arith.divui %padded, %most : i32
      %parts = arith.maxui %parts0, %c1_i32 : i32
      %filled = arith.addi %count, %parts : i32
      %filled1 = arith.subi %filled, %c1_i32 : i32
      %even = arith.divui %filled1, %parts : i32
      %wide = arith.cmpi ugt, %even, %above : i32
      %narrow = arith.cmpi ule, %even, %width : i32
      %mine = arith.andi %wide, %narrow : i1
      %full = arith.addi %count, %fill : i32
      %all = arith.divui %full, %width : i32
      %tiles = arith.select %mine, %all, %c0_i32 : i32
      %items = arith.muli %tiles, %pairs : i32
      %next = arith.addi %sum, %items : i32
      scf.yield %next : i32
    }
    %total = arith.index_cast %total32 : i32 to index

    %start = tile.first_item %counter : memref<?xi32>
    scf.for %item = %start to %total step %c1 iter_args(%expert = %c0, %first = %c0_i32) -> (index, i32) {
      // The item's expert, from that of the item before.
      %item32 = arith.index_cast %item : index to i32
      %at:5 = scf.while (%e = %expert, %f = %first) : (index, i32) -> (index, i32, i32, i32, i32) {
        %e1 = arith.addi %e, %c1 : index
        %begin = memref.load %offsets[%e] : memref<?xi32>
        %end = memref.load %offsets[%e1] : memref<?xi32>
        %count = arith.subi %end, %begin : i32
        %padded = arith.addi %count, %round : i32
        %parts0 = arith.divui %padded, %most : i32
        %parts = arith.maxui %parts0, %c1_i32 : i32
        %filled = arith.addi %count, %parts : i32
        %filled1 = arith.subi %filled, %c1_i32 : i32
        %even = arith.divui %filled1, %parts : i32
        %wide = arith.cmpi ugt, %even, %above : i32
        %narrow = arith.cmpi ule, %even, %width : i32
        %mine = arith.andi %wide, %narrow : i1
        %full = arith.addi %count, %fill : i32
        %all = arith.divui %full, %width : i32
        %tiles = arith.select %mine, %all, %c0_i32 : i32
        %items = arith.muli %tiles, %pairs : i32
        %behind = arith.addi %f, %items : i32
        %later = arith.cmpi uge, %item32, %behind : i32
        %nexte = arith.select %later, %e1, %e : index
        %nextf = arith.select %later, %behind, %f : i32
        scf.condition(%later) %nexte, %nextf, %begin, %count, %tiles : index, i32, i32, i32, i32
      } do {
      ^bb0(%e: index, %f: i32, %begin: i32, %count: i32, %tiles: i32):
        scf.yield %e, %f : index, i32
      }
      %inside = arith.subi %item32, %at#1 : i32
      %pair = arith.divui %inside, %at#4 : i32
      %skipped = arith.muli %pair, %at#4 : i32
      %part = arith.subi %inside, %skipped : i32
      %done = arith.muli %part, %width : i32
      %row32 = arith.addi %at#2, %done : i32
      %row = arith.index_cast %row32 : i32 to index
      %left = arith.subi %at#3, %done : i32
      %twice = arith.muli %pair, %c2_i32 : i32
      %feature64 = arith.addi %twice, %rank32 : i32
      %feature32 = arith.muli %feature64, %c64_i32 : i32
      %feature = arith.index_cast %feature32 : i32 to index

      %zero = arith.constant dense<0.0> : !products
      %sums:4 = scf.for %k = %c0 to %blocks step %c1 iter_args(%g0 = %zero, %u0 = %zero, %g1 = %zero, %u1 = %zero)
          -> (!products, !products, !products, !products) {
        %column = arith.muli %k, %c64 : index
        %gate = tile.alloc : !weights
        %up = tile.alloc : !weights
        %xs = tile.alloc : !tokens
        tile.copy_in %w1[%column, %feature, %at#0] to %gate : !weights
        tile.copy_in %w3[%column, %feature, %at#0] to %up : !weights
        tile.copy_in %x[%column, %row] to %xs multicast : !tokens
        %x0 = tile.rows %xs[0] : !tokens -> !part
        %x1 = tile.rows %xs[128] : !tokens -> !part
        %g0n = tile.mma %gate, %x0 transposed into %g0 : !weights, !part -> !products
        %u0n = tile.mma %up, %x0 transposed into %u0 : !weights, !part -> !products
        %g1n = tile.mma %gate, %x1 transposed into %g1 : !weights, !part -> !products
        %u1n = tile.mma %up, %x1 transposed into %u1 : !weights, !part -> !products
        scf.yield %g0n, %u0n, %g1n, %u1n : !products, !products, !products, !products
      }

      %one = arith.constant dense<1.0> : !products
      // The first half of the tokens: `rows0` of them are the expert's.
      %rows0 = arith.minsi %left, %half : i32
      %clip0i = arith.subi %most, %rows0 : i32
      %end0i = arith.addi %row32, %rows0 : i32
      %clip0 = arith.index_cast %clip0i : i32 to index
      %end0 = arith.index_cast %end0i : i32 to index
      %minus0 = arith.negf %sums#0 : !products
      %exp0 = math.exp %minus0 : !products
      %divisor0 = arith.addf %exp0, %one : !products
      %both0 = arith.mulf %sums#0, %sums#1 : !products
      %y0 = arith.divf %both0, %divisor0 fastmath<arcp, afn> : !products
      %y0b = arith.truncf %y0 : !products to !products_bf16
      %y0s = tile.alloc : !results
      tile.write %y0b to %y0s transposed : !products_bf16, !results
      tile.copy_out %y0s to %y[%feature, %clip0, %end0] : !results
      // The second half.
      %rest = arith.subi %left, %half : i32
      %rest0 = arith.maxsi %rest, %c0_i32 : i32
      %rows1 = arith.minsi %rest0, %half : i32
      %clip1i = arith.subi %most, %rows1 : i32
      %row1 = arith.addi %row32, %half : i32
      %end1i = arith.addi %row1, %rows1 : i32
      %clip1 = arith.index_cast %clip1i : i32 to index
      %end1 = arith.index_cast %end1i : i32 to index
      %minus1 = arith.negf %sums#2 : !products
      %exp1 = math.exp %minus1 : !products
      %divisor1 = arith.addf %exp1, %one : !products
      %both1 = arith.mulf %sums#2, %sums#3 : !products
      %y1 = arith.divf %both1, %divisor1 fastmath<arcp, afn> : !products
      %y1b = arith.truncf %y1 : !products to !products_bf16
      %y1s = tile.alloc : !results
      tile.write %y1b to %y1s transposed : !products_bf16, !results
      tile.copy_out %y1s to %y[%feature, %clip1, %end1] : !results
      scf.yield %at#0, %at#1 : index, i32
    }
    tile.return
  }
}
