// The second half of a mixture of experts on bf16 activations, y[row] = x[row] · w2[expert]ᵀ, after grouped.mlir, which
// see. An item is 256 features by 256 tokens of an expert; the two blocks of a cluster have 128 features each, of which a
// warp group has 64.
//
// For a narrower width write `width`, `above`, and the extent 256 of !tokens, !results and !products anew.

!weights = !tile.buffer<128x64xbf16>
!weights_part = !tile.buffer<64x64xbf16>
!tokens = !tile.buffer<256x64xbf16>
!results = !tile.buffer<256x64xbf16>
!products = tensor<64x256xf32>
!products_bf16 = tensor<64x256xbf16>

gpu.module @kernels {
  tile.kernel @grouped(%w2: !exec.tensor_map, %x: !exec.tensor_map, %y: !exec.tensor_map, %offsets: memref<?xi32>,
      %experts: index, %pairs: i32, %blocks: index, %counter: memref<?xi32>) attributes {cluster = 2 : i64} {
    %width = arith.constant 256 : i32
    %above = arith.constant 240 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c2_i32 = arith.constant 2 : i32
    %c128_i32 = arith.constant 128 : i32
    %most = arith.constant 256 : i32
    %round = arith.subi %most, %c1_i32 : i32
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
      %feature128 = arith.addi %twice, %rank32 : i32
      %feature32 = arith.muli %feature128, %c128_i32 : i32
      %feature = arith.index_cast %feature32 : i32 to index
      %feature1 = arith.addi %feature, %c64 : index
      %rows = arith.minsi %left, %width : i32
      %clipi = arith.subi %most, %rows : i32
      %endi = arith.addi %row32, %rows : i32
      %clip = arith.index_cast %clipi : i32 to index
      %stop = arith.index_cast %endi : i32 to index

      %zero = arith.constant dense<0.0> : !products
      %sums:2 = scf.for %k = %c0 to %blocks step %c1 iter_args(%s0 = %zero, %s1 = %zero) -> (!products, !products) {
        %column = arith.muli %k, %c64 : index
        %ws = tile.alloc : !weights
        %xs = tile.alloc : !tokens
        tile.copy_in %w2[%column, %feature, %at#0] to %ws : !weights
        tile.copy_in %x[%column, %row] to %xs multicast : !tokens
        %w0 = tile.rows %ws[0] : !weights -> !weights_part
        %w1 = tile.rows %ws[64] : !weights -> !weights_part
        %s0n = tile.mma %w0, %xs transposed into %s0 : !weights_part, !tokens -> !products
        %s1n = tile.mma %w1, %xs transposed into %s1 : !weights_part, !tokens -> !products
        scf.yield %s0n, %s1n : !products, !products
      }
      %y0 = arith.truncf %sums#0 : !products to !products_bf16
      %y0s = tile.alloc : !results
      tile.write %y0 to %y0s transposed : !products_bf16, !results
      tile.copy_out %y0s to %y[%feature, %clip, %stop] : !results
      %y1 = arith.truncf %sums#1 : !products to !products_bf16
      %y1s = tile.alloc : !results
      tile.write %y1 to %y1s transposed : !products_bf16, !results
      tile.copy_out %y1s to %y[%feature1, %clip, %stop] : !results
      scf.yield %at#0, %at#1 : index, i32
    }
    tile.return
  }
}
