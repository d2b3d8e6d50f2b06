// The forward pass of lightning attention on bf16 activations as a sequential tile program, for heads of 128;
// dialects/tile/README.md follows it through its stations. A cluster of two blocks computes one head of one sequence,
// block r of it the value columns from 64 r. The state is kept transposed, and states and decays are float32. The grid
// has a cluster for each head along x and one for each sequence along y.
//
// The maps are {head size, 64, tokens + 64, heads}, begin 64 rows before their tensor, and clip ragged blocks. For another
// head size write it for every 128; up to 64, where a block has all columns, with a cluster of 1 and without multicast.

!keys = !tile.buffer<64x128xbf16>
!values = !tile.buffer<64x64xbf16>
!scores = tensor<64x64xf32>
!scores_bf16 = tensor<64x64xbf16>
!places = tensor<64x64xi32>
!state = tensor<64x128xf32>
!state_bf16 = tensor<64x128xbf16>
!state_mask = tensor<64x128xi1>
!state_places = tensor<64x128xi32>

gpu.module @kernels {
  tile.kernel @lightning(%q: !exec.tensor_map, %k: !exec.tensor_map, %v: !exec.tensor_map, %o: !exec.tensor_map,
      %slopes: memref<?xf32>, %offsets: memref<?xi32>, %past: memref<?xi32>, %slots: memref<?xi32>, %state: memref<?xf32>,
      %heads: index) attributes {cluster = 2 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %size = arith.constant 128 : index
    %elements = arith.muli %size, %size : index
    %h = gpu.cluster_id x
    %n = gpu.block_id y
    %rank = gpu.cluster_block_id x
    %n1 = arith.addi %n, %c1 : index
    %begin32 = memref.load %offsets[%n] : memref<?xi32>
    %end32 = memref.load %offsets[%n1] : memref<?xi32>
    %begin = arith.index_cast %begin32 : i32 to index
    %end = arith.index_cast %end32 : i32 to index
    %length = arith.subi %end, %begin : index
    %padded = arith.addi %length, %c63 : index
    %blocks = arith.divui %padded, %c64 : index
    %slope = memref.load %slopes[%h] : memref<?xf32>
    %minus = arith.negf %slope : f32
    %log2e = arith.constant 1.44269504 : f32
    %decay = arith.mulf %minus, %log2e : f32
    %column0 = arith.muli %rank, %c64 : index

    // D[i, j] = exp(-s (i - j)) if i >= j
    %i = tile.iota 0 : !places
    %j = tile.iota 1 : !places
    %zero32 = arith.constant dense<0> : !places
    %zerof = arith.constant dense<0.0> : !scores
    %distance = arith.subi %i, %j : !places
    %causal = arith.cmpi sge, %distance, %zero32 : !places
    %nonneg = arith.maxsi %distance, %zero32 : !places
    %distf = arith.sitofp %nonneg : !places to !scores
    %decays = tensor.splat %decay : !scores
    %logd = arith.mulf %distf, %decays : !scores
    %expd = math.exp2 %logd : !scores
    %d = arith.select %causal, %expd, %zerof : tensor<64x64xi1>, !scores

    // exp(-s (j + 1)) along the tokens of an output block
    %one32 = arith.constant dense<1> : !places
    %jp = arith.addi %j, %one32 : !places
    %jpf = arith.sitofp %jp : !places to !scores
    %logo = arith.mulf %jpf, %decays : !scores
    %oscale = math.exp2 %logo : !scores

    // weights of a whole block
    %last63 = arith.constant dense<63> : !places
    %wd = arith.subi %last63, %j : !places
    %wdf = arith.sitofp %wd : !places to !scores
    %logw = arith.mulf %wdf, %decays : !scores
    %w = math.exp2 %logw : !scores
    %whi = arith.truncf %w : !scores to !scores_bf16
    %whif = arith.extf %whi : !scores_bf16 to !scores
    %wrest = arith.subf %w, %whif : !scores
    %wlo = arith.truncf %wrest : !scores to !scores_bf16

    // the state of the slot, transposed
    %slot32 = memref.load %slots[%n] : memref<?xi32>
    %past32 = memref.load %past[%n] : memref<?xi32>
    %slot = arith.index_cast %slot32 : i32 to index
    %c0_i32 = arith.constant 0 : i32
    %has = arith.cmpi ne, %past32, %c0_i32 : i32
    %sh = arith.muli %slot, %heads : index
    %shh = arith.addi %sh, %h : index
    %sbase = arith.muli %shh, %elements : index
    %sat = arith.addi %sbase, %column0 : index
    %allowed = tensor.splat %has : !state_mask
    %columns = arith.subi %size, %column0 : index
    %columns32 = arith.index_cast %columns : index to i32
    %limit = tensor.splat %columns32 : !state_places
    %value = tile.iota 0 : !state_places
    %mine = arith.cmpi slt, %value, %limit : !state_places
    %mask = arith.andi %allowed, %mine : !state_mask
    %kv0 = tile.load %state[%sat] strides [%c1, %size] where %mask : memref<?xf32>, !state_mask -> !state
    %len0 = arith.minsi %length, %c64 : index
    %len0i = arith.index_cast %len0 : index to i32
    %len0f = arith.sitofp %len0i : i32 to f32
    %x0 = arith.mulf %len0f, %minus : f32
    %g0 = math.expm1 %x0 : f32
    %g0t = tensor.splat %g0 : !state
    %kvb0 = arith.truncf %kv0 : !state to !state_bf16
    %kvd0 = math.fma %kv0, %g0t, %kv0 : !state

    %none = arith.constant dense<0.0> : !scores_bf16
    %r:3 = scf.for %t = %c0 to %blocks step %c1 iter_args(%kvb = %kvb0, %kvd = %kvd0, %before = %none)
        -> (!state_bf16, !state, !scores_bf16) {
      %done = arith.muli %t, %c64 : index
      %left = arith.subi %length, %done : index
      %len = arith.minsi %left, %c64 : index
      %clip = arith.subi %c64, %len : index
      %first = arith.addi %begin, %done : index
      %row = arith.addi %first, %len : index
      %qs = tile.alloc : !keys
      %ks = tile.alloc : !keys
      %vs = tile.alloc : !values
      tile.copy_in %k[%c0, %clip, %row, %h] to %ks multicast : !keys
      tile.copy_in %q[%c0, %clip, %row, %h] to %qs multicast : !keys
      tile.copy_in %v[%column0, %clip, %row, %h] to %vs : !values

      %s = tile.mma %qs, %ks transposed : !keys, !keys -> !scores
      %p = arith.mulf %s, %d : !scores
      %pb = arith.truncf %p : !scores to !scores_bf16
      %ps = tile.alloc : !values
      tile.write %pb to %ps : !scores_bf16, !values
      // What rounding takes from the scores goes along as a second summand: a block of few tokens would show it.
      %pf = arith.extf %pb : !scores_bf16 to !scores
      %prest = arith.subf %p, %pf : !scores
      %plow = arith.truncf %prest : !scores to !scores_bf16
      %pls = tile.alloc : !values
      tile.write %plow to %pls : !scores_bf16, !values

      %inter = tile.mma %kvb, %qs transposed : !state_bf16, !keys -> !scores
      %whole = arith.cmpi eq, %len, %c64 : index
      %wnow:2 = scf.if %whole -> (!scores_bf16, !scores_bf16) {
        scf.yield %whi, %wlo : !scores_bf16, !scores_bf16
      } else {
        %lenm1 = arith.subi %len, %c1 : index
        %lasti = arith.index_cast %lenm1 : index to i32
        %lastt = tensor.splat %lasti : !places
        %td = arith.subi %lastt, %j : !places
        %tdp = arith.maxsi %td, %zero32 : !places
        %tdf = arith.sitofp %tdp : !places to !scores
        %tlog = arith.mulf %tdf, %decays : !scores
        %tw = math.exp2 %tlog : !scores
        %high = arith.truncf %tw : !scores to !scores_bf16
        %highf = arith.extf %high : !scores_bf16 to !scores
        %trest = arith.subf %tw, %highf : !scores
        %low = arith.truncf %trest : !scores to !scores_bf16
        scf.yield %high, %low : !scores_bf16, !scores_bf16
      }
      %vt = tile.read %vs transposed : !values -> !scores_bf16
      %vlo = arith.mulf %vt, %wnow#1 : !scores_bf16
      %vw = math.fma %vt, %wnow#0, %vlo : !scores_bf16
      %kv = tile.mma %vw, %ks into %kvd : !scores_bf16, !keys -> !state
      // The output of the block before goes out while these products run; before the first there are no rows of it.
      %is_first = arith.cmpi eq, %t, %c0 : index
      %len_before = arith.select %is_first, %c0, %c64 : index
      %clip_before = arith.subi %c64, %len_before : index
      %row_before = arith.subi %first, %c64 : index
      %end_before = arith.addi %row_before, %len_before : index
      %inside_before = arith.maxsi %end_before, %c0 : index
      %os = tile.alloc : !values
      tile.write %before to %os transposed : !scores_bf16, !values
      tile.copy_out %os to %o[%column0, %clip_before, %inside_before, %h] : !values
      %scaled = arith.mulf %inter, %oscale : !scores
      %most = tile.mma %vs transposed, %ps transposed into %scaled : !values, !values -> !scores
      %out = tile.mma %vs transposed, %pls transposed into %most : !values, !values -> !scores
      // the next block's state
      %next = arith.subi %left, %c64 : index
      %nextc = arith.maxsi %next, %c0 : index
      %nextl = arith.minsi %nextc, %c64 : index
      %nexti = arith.index_cast %nextl : index to i32
      %nextf = arith.sitofp %nexti : i32 to f32
      %x = arith.mulf %nextf, %minus : f32
      %g = math.expm1 %x : f32
      %gt = tensor.splat %g : !state
      %kvb1 = arith.truncf %kv : !state to !state_bf16
      %kvd1 = math.fma %kv, %gt, %kv : !state

      %outb = arith.truncf %out : !scores to !scores_bf16
      scf.yield %kvb1, %kvd1, %outb : !state_bf16, !state, !scores_bf16
    }
    %last = arith.subi %blocks, %c1 : index
    %last_done = arith.muli %last, %c64 : index
    %last_left = arith.subi %length, %last_done : index
    %last_len = arith.minsi %last_left, %c64 : index
    %is_empty = arith.cmpi eq, %length, %c0 : index
    %last_rows = arith.select %is_empty, %c0, %last_len : index
    %last_clip = arith.subi %c64, %last_rows : index
    %last_end0 = arith.addi %begin, %last_done : index
    %last_end = arith.addi %last_end0, %last_rows : index
    %last_inside = arith.maxsi %last_end, %c0 : index
    %last_os = tile.alloc : !values
    tile.write %r#2 to %last_os transposed : !scores_bf16, !values
    tile.copy_out %last_os to %o[%column0, %last_clip, %last_inside, %h] : !values
    tile.store %r#1 to %state[%sat] strides [%c1, %size] where %mine : !state, memref<?xf32>, !state_mask
    tile.return
  }
}
