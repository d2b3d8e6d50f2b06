// Causal softmax attention of bf16 queries with keys and values in pages of 64 tokens, as a sequential tile program. A block
// computes one query head of 128 tokens of one sequence, by an online softmax over 128 keys, two pages, at a time, from the
// diagonal down to the first key. The two warp groups of the role that computes have 64 tokens each. The blocks of a cluster
// have two query heads of one key head and share its keys and values.
// The grid has the query heads of a key head along x, blocks of tokens along y, and key heads along z. Sequence n has blocks
// from offsets[n] / 128 + n, so that their number is known without its length: tokens / 128 + sequences are enough for all,
// and some compute nothing. The last come first, since they take longest.
// The maps of q and o are {head size, 128, tokens + 128, query heads}, begin 128 rows before their tensor, and clip ragged
// blocks; those of k and v are {head size, 64, 65, pages, key heads}, begin 64 rows before the cache of a layer, and clip the
// last page: what lies behind the keys, even a NaN, reaches nothing.

// For another head size write it here for the second 128.
!queries = !tile.buffer<128x128xbf16>
!keys = !tile.buffer<128x128xbf16>
!output = tensor<128x128xf32>
!output_bf16 = tensor<128x128xbf16>

!scores = tensor<128x128xf32>
!weights = tensor<128x128xbf16>
!places = tensor<128x128xi32>
!parts = tensor<128x8xf32>
!rows = tensor<128xf32>

gpu.module @kernels {
  tile.kernel @softmax(%q: !exec.tensor_map, %k: !exec.tensor_map, %v: !exec.tensor_map, %o: !exec.tensor_map,
      %offsets: memref<?xi32>, %past: memref<?xi32>, %pages: memref<?xi32>, %sequences: index, %row_pages: index,
      %group: index, %last_block: index, %scale: f32) attributes {cluster = 2 : i64} {
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c127 = arith.constant 127 : index
    %c128 = arith.constant 128 : index
    %blocks_of_cluster = arith.constant 2 : index
    %pair = gpu.cluster_id x
    %in_pair = gpu.cluster_block_id x
    %y = gpu.block_id y
    %key_head = gpu.block_id z
    %pair0 = arith.muli %pair, %blocks_of_cluster : index
    %in_group = arith.addi %pair0, %in_pair : index
    %group0 = arith.muli %key_head, %group : index
    %head = arith.addi %group0, %in_group : index
    %block = arith.subi %last_block, %y : index

    // The last sequence whose blocks begin at this one or before, by bisection.
    %halvings = arith.index_cast %sequences : index to i32
    %zeros = math.ctlz %halvings : i32
    %c32_i32 = arith.constant 32 : i32
    %digits32 = arith.subi %c32_i32, %zeros : i32
    %digits = arith.index_cast %digits32 : i32 to index
    %found:2 = scf.for %i = %c0 to %digits step %c1 iter_args(%low = %c0, %high = %sequences) -> (index, index) {
      %sum = arith.addi %low, %high : index
      %middle = arith.divui %sum, %c2 : index
      %at32 = memref.load %offsets[%middle] : memref<?xi32>
      %at = arith.index_cast %at32 : i32 to index
      %whole = arith.divui %at, %c128 : index
      %start = arith.addi %whole, %middle : index
      %before = arith.cmpi ule, %start, %block : index
      %low1 = arith.select %before, %middle, %low : index
      %high1 = arith.select %before, %high, %middle : index
      scf.yield %low1, %high1 : index, index
    }
    %n1 = arith.addi %found#0, %c1 : index
    %begin32 = memref.load %offsets[%found#0] : memref<?xi32>
    %end32 = memref.load %offsets[%n1] : memref<?xi32>
    %past32 = memref.load %past[%found#0] : memref<?xi32>
    %begin = arith.index_cast %begin32 : i32 to index
    %end = arith.index_cast %end32 : i32 to index
    %before_all = arith.index_cast %past32 : i32 to index
    %length = arith.subi %end, %begin : index
    %whole0 = arith.divui %begin, %c128 : index
    %block0 = arith.addi %whole0, %found#0 : index
    %block_in = arith.subi %block, %block0 : index
    %row = arith.muli %block_in, %c128 : index

    // The block's tokens, and the keys that the last of them sees.
    %left = arith.subi %length, %row : index
    %left_in = arith.minsi %left, %c128 : index
    %count = arith.maxsi %left_in, %c0 : index
    %clip = arith.subi %c128, %count : index
    %token = arith.addi %begin, %row : index
    %token_end = arith.addi %token, %count : index
    %position = arith.addi %before_all, %row : index
    %position_end = arith.addi %position, %count : index
    %any_tokens = arith.cmpi sgt, %count, %c0 : index
    %visible = arith.select %any_tokens, %position_end, %c1 : index
    %last_key = arith.subi %visible, %c1 : index
    %last_page = arith.divui %last_key, %c64 : index
    %last_step = arith.divui %last_key, %c128 : index
    %steps = arith.addi %last_step, %c1 : index
    %often = arith.maxsi %steps, %c1 : index
    %table = arith.muli %found#0, %row_pages : index

    // A copy in has a row that exists: a block without tokens takes the first token, and of its pages the first.
    %some = arith.maxsi %count, %c1 : index
    %some_clip = arith.subi %c128, %some : index
    %some_token = arith.select %any_tokens, %token, %c0 : index
    %some_end = arith.addi %some_token, %some : index
    %qs = tile.alloc : !queries
    tile.copy_in %q[%c0, %some_clip, %some_end, %head] to %qs : !queries
    %lowest = arith.constant dense<-1.0e30> : !rows
    %none = arith.constant dense<0xFF800000> : !scores
    %no_parts = arith.constant dense<0.0> : !parts
    %no_output = arith.constant dense<0.0> : !output
    %scales = tensor.splat %scale : !scores
    %row_scales = tensor.splat %scale : !rows
    %eight = arith.constant 8.0 : f32
    %slack = arith.divf %eight, %scale : f32
    %row_slack = tensor.splat %slack : !rows
    %r:3 = scf.for %t = %c0 to %often step %c1 iter_args(%m = %lowest, %l = %no_parts, %sum = %no_output)
        -> (!rows, !parts, !output) {
      %t1 = arith.addi %t, %c1 : index
      %j = arith.subi %often, %t1 : index
      %key0 = arith.muli %j, %c128 : index
      // A page behind the last is the last again; the keys are behind the diagonal there.
      %page0 = arith.muli %j, %c2 : index
      %page1 = arith.addi %page0, %c1 : index
      %page1_in = arith.minsi %page1, %last_page : index
      %before1 = arith.muli %page1_in, %c64 : index
      %left0 = arith.subi %visible, %key0 : index
      %left1 = arith.subi %visible, %before1 : index
      %keys0 = arith.minsi %left0, %c64 : index
      %keys1 = arith.minsi %left1, %c64 : index
      %clip0 = arith.subi %c64, %keys0 : index
      %clip1 = arith.subi %c64, %keys1 : index
      %entry0 = arith.addi %table, %page0 : index
      %entry1 = arith.addi %table, %page1_in : index
      %found0_32 = memref.load %pages[%entry0] : memref<?xi32>
      %found1_32 = memref.load %pages[%entry1] : memref<?xi32>
      %known0_32 = arith.select %any_tokens, %found0_32, %c0_i32 : i32
      %known1_32 = arith.select %any_tokens, %found1_32, %c0_i32 : i32
      %number0 = arith.index_cast %known0_32 : i32 to index
      %number1 = arith.index_cast %known1_32 : i32 to index
      %ks = tile.alloc : !keys
      %vs = tile.alloc : !keys
      tile.copy_in %k[%c0, %clip0, %keys0, %number0, %key_head] to %ks rows [0, 64] multicast : !keys
      tile.copy_in %k[%c0, %clip1, %keys1, %number1, %key_head] to %ks rows [64, 64] multicast : !keys
      tile.copy_in %v[%c0, %clip0, %keys0, %number0, %key_head] to %vs rows [0, 64] multicast : !keys
      tile.copy_in %v[%c0, %clip1, %keys1, %number1, %key_head] to %vs rows [64, 64] multicast : !keys

      %s = tile.mma %qs, %ks transposed : !queries, !keys -> !scores
      // Token i of the block sees key j of this one if j - i <= position - key0: all do unless it meets the diagonal.
      %ahead = arith.subi %position, %key0 : index
      %meets = arith.cmpi slt, %ahead, %c127 : index
      %seen = scf.if %meets -> (!scores) {
        %ahead32 = arith.index_cast %ahead : index to i32
        %limit = tensor.splat %ahead32 : !places
        %token_of = tile.iota 0 : !places
        %key_of = tile.iota 1 : !places
        %distance = arith.subi %key_of, %token_of : !places
        %visible_keys = arith.cmpi sle, %distance, %limit : !places
        %masked = arith.select %visible_keys, %s, %none : tensor<128x128xi1>, !scores
        scf.yield %masked : !scores
      } else {
        scf.yield %s : !scores
      }
      // The reference stays as it is while no score is above it by more than 8 in base 2, which the weights can carry.
      %block_parts = tile.row_maximum %seen : !scores -> !parts
      %most = arith.addf %m, %row_slack : !rows
      %most_of_parts = tile.broadcast %most : !rows -> !parts
      %above = arith.cmpf ogt, %block_parts, %most_of_parts : !parts
      %any_above = tile.any %above : tensor<128x8xi1>
      %m1, %l1, %sum1 = scf.if %any_above -> (!rows, !parts, !output) {
        %block_maximum = tile.row_maximum %block_parts : !parts -> !rows
        %higher = arith.maxnumf %m, %block_maximum : !rows
        %fall = arith.subf %m, %higher : !rows
        %fall_scaled = arith.mulf %fall, %row_scales : !rows
        %factor = math.exp2 %fall_scaled : !rows
        %factor_of_parts = tile.broadcast %factor : !rows -> !parts
        %less = arith.mulf %l, %factor_of_parts : !parts
        %factor_of_output = tile.broadcast %factor : !rows -> !output
        %smaller = arith.mulf %sum, %factor_of_output : !output
        scf.yield %higher, %less, %smaller : !rows, !parts, !output
      } else {
        scf.yield %m, %l, %sum : !rows, !parts, !output
      }
      %m_scaled = arith.mulf %m1, %row_scales : !rows
      %minus_m = arith.negf %m_scaled : !rows
      %minus = tile.broadcast %minus_m : !rows -> !scores
      %power = math.fma %seen, %scales, %minus : !scores
      %p = math.exp2 %power : !scores
      %p_parts = tile.row_sum %p : !scores -> !parts
      %l2 = arith.addf %l1, %p_parts : !parts
      %pb = arith.truncf %p : !scores to !weights
      %sum2 = tile.mma %pb, %vs into %sum1 : !weights, !keys -> !output
      scf.yield %m1, %l2, %sum2 : !rows, !parts, !output
    }
    %total = tile.row_sum %r#1 : !parts -> !rows
    %one = arith.constant dense<1.0> : !rows
    %inverse = arith.divf %one, %total : !rows
    %share = tile.broadcast %inverse : !rows -> !output
    %out = arith.mulf %r#2, %share : !output
    %outb = arith.truncf %out : !output to !output_bf16
    %os = tile.alloc : !queries
    tile.write %outb to %os : !output_bf16, !queries
    tile.copy_out %os to %o[%c0, %clip, %token_end, %head] : !queries
    tile.return
  }
}
