// The forward pass of lightning attention on bf16 activations, heads of 128, as a sequential tile program; README.md of
// dialects/tile follows it through its stations. A cluster of two blocks computes one head of one sequence, block r of it
// the value columns from 64 r. The state is kept transposed, and states and decays are float32. The grid has two blocks for
// each head along x and a block for each sequence along y.
//
// The maps are {head size, 64, tokens + 64, heads}, begin 64 rows before their tensor, and clip ragged blocks.

gpu.module @kernels {
tile.kernel @lightning(%q: !exec.tensor_map, %k: !exec.tensor_map, %v: !exec.tensor_map, %o: !exec.tensor_map,
    %slopes: memref<?xf32>, %offsets: memref<?xi32>, %past: memref<?xi32>, %slots: memref<?xi32>, %state: memref<?xf32>,
    %heads: index) attributes {cluster = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c16384 = arith.constant 16384 : index
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
  %i = tile.iota 0 : tensor<64x64xi32>
  %j = tile.iota 1 : tensor<64x64xi32>
  %zero32 = arith.constant dense<0> : tensor<64x64xi32>
  %zerof = arith.constant dense<0.0> : tensor<64x64xf32>
  %distance = arith.subi %i, %j : tensor<64x64xi32>
  %causal = arith.cmpi sge, %distance, %zero32 : tensor<64x64xi32>
  %nonneg = arith.maxsi %distance, %zero32 : tensor<64x64xi32>
  %distf = arith.sitofp %nonneg : tensor<64x64xi32> to tensor<64x64xf32>
  %decays = tensor.splat %decay : tensor<64x64xf32>
  %logd = arith.mulf %distf, %decays : tensor<64x64xf32>
  %expd = math.exp2 %logd : tensor<64x64xf32>
  %d = arith.select %causal, %expd, %zerof : tensor<64x64xi1>, tensor<64x64xf32>

  // exp(-s (j + 1)) along the tokens of an output block
  %one32 = arith.constant dense<1> : tensor<64x64xi32>
  %jp = arith.addi %j, %one32 : tensor<64x64xi32>
  %jpf = arith.sitofp %jp : tensor<64x64xi32> to tensor<64x64xf32>
  %logo = arith.mulf %jpf, %decays : tensor<64x64xf32>
  %oscale = math.exp2 %logo : tensor<64x64xf32>

  // weights of a whole block
  %last63 = arith.constant dense<63> : tensor<64x64xi32>
  %wd = arith.subi %last63, %j : tensor<64x64xi32>
  %wdf = arith.sitofp %wd : tensor<64x64xi32> to tensor<64x64xf32>
  %logw = arith.mulf %wdf, %decays : tensor<64x64xf32>
  %w = math.exp2 %logw : tensor<64x64xf32>
  %whi = arith.truncf %w : tensor<64x64xf32> to tensor<64x64xbf16>
  %whif = arith.extf %whi : tensor<64x64xbf16> to tensor<64x64xf32>
  %wrest = arith.subf %w, %whif : tensor<64x64xf32>
  %wlo = arith.truncf %wrest : tensor<64x64xf32> to tensor<64x64xbf16>

  // the state of the slot, transposed
  %slot32 = memref.load %slots[%n] : memref<?xi32>
  %past32 = memref.load %past[%n] : memref<?xi32>
  %slot = arith.index_cast %slot32 : i32 to index
  %c0_i32 = arith.constant 0 : i32
  %has = arith.cmpi ne, %past32, %c0_i32 : i32
  %sh = arith.muli %slot, %heads : index
  %shh = arith.addi %sh, %h : index
  %sbase = arith.muli %shh, %c16384 : index
  %sat = arith.addi %sbase, %column0 : index
  %mask = tensor.splat %has : tensor<64x128xi1>
  %kv0 = tile.load %state[%sat] strides [%c1, %c128] where %mask : memref<?xf32>, tensor<64x128xi1> -> tensor<64x128xf32>
  %len0 = arith.minsi %length, %c64 : index
  %len0i = arith.index_cast %len0 : index to i32
  %len0f = arith.sitofp %len0i : i32 to f32
  %x0 = arith.mulf %len0f, %minus : f32
  %g0 = math.expm1 %x0 : f32
  %g0t = tensor.splat %g0 : tensor<64x128xf32>
  %kvb0 = arith.truncf %kv0 : tensor<64x128xf32> to tensor<64x128xbf16>
  %kvd0 = math.fma %kv0, %g0t, %kv0 : tensor<64x128xf32>

  %r:2 = scf.for %t = %c0 to %blocks step %c1 iter_args(%kvb = %kvb0, %kvd = %kvd0) -> (tensor<64x128xbf16>, tensor<64x128xf32>) {
    %done = arith.muli %t, %c64 : index
    %left = arith.subi %length, %done : index
    %len = arith.minsi %left, %c64 : index
    %clip = arith.subi %c64, %len : index
    %first = arith.addi %begin, %done : index
    %row = arith.addi %first, %len : index
    %qs = tile.alloc : !tile.buffer<64x128xbf16>
    %ks = tile.alloc : !tile.buffer<64x128xbf16>
    %vs = tile.alloc : !tile.buffer<64x64xbf16>
    tile.copy_in %k[%c0, %clip, %row, %h] to %ks multicast : !tile.buffer<64x128xbf16>
    tile.copy_in %q[%c0, %clip, %row, %h] to %qs multicast : !tile.buffer<64x128xbf16>
    tile.copy_in %v[%column0, %clip, %row, %h] to %vs : !tile.buffer<64x64xbf16>

    %s = tile.mma %qs, %ks transposed : !tile.buffer<64x128xbf16>, !tile.buffer<64x128xbf16> -> tensor<64x64xf32>
    %p = arith.mulf %s, %d : tensor<64x64xf32>
    %pb = arith.truncf %p : tensor<64x64xf32> to tensor<64x64xbf16>
    %ps = tile.alloc : !tile.buffer<64x64xbf16>
    tile.write %pb to %ps : tensor<64x64xbf16>, !tile.buffer<64x64xbf16>

    %inter = tile.mma %kvb, %qs transposed : tensor<64x128xbf16>, !tile.buffer<64x128xbf16> -> tensor<64x64xf32>
    %whole = arith.cmpi eq, %len, %c64 : index
    %wnow:2 = scf.if %whole -> (tensor<64x64xbf16>, tensor<64x64xbf16>) {
      scf.yield %whi, %wlo : tensor<64x64xbf16>, tensor<64x64xbf16>
    } else {
      %lenm1 = arith.subi %len, %c1 : index
      %lasti = arith.index_cast %lenm1 : index to i32
      %lastt = tensor.splat %lasti : tensor<64x64xi32>
      %td = arith.subi %lastt, %j : tensor<64x64xi32>
      %tdp = arith.maxsi %td, %zero32 : tensor<64x64xi32>
      %tdf = arith.sitofp %tdp : tensor<64x64xi32> to tensor<64x64xf32>
      %tlog = arith.mulf %tdf, %decays : tensor<64x64xf32>
      %tw = math.exp2 %tlog : tensor<64x64xf32>
      %high = arith.truncf %tw : tensor<64x64xf32> to tensor<64x64xbf16>
      %highf = arith.extf %high : tensor<64x64xbf16> to tensor<64x64xf32>
      %trest = arith.subf %tw, %highf : tensor<64x64xf32>
      %low = arith.truncf %trest : tensor<64x64xf32> to tensor<64x64xbf16>
      scf.yield %high, %low : tensor<64x64xbf16>, tensor<64x64xbf16>
    }
    %vt = tile.read %vs transposed : !tile.buffer<64x64xbf16> -> tensor<64x64xbf16>
    %vlo = arith.mulf %vt, %wnow#1 : tensor<64x64xbf16>
    %vw = math.fma %vt, %wnow#0, %vlo : tensor<64x64xbf16>
    %kv = tile.mma %vw, %ks into %kvd : tensor<64x64xbf16>, !tile.buffer<64x128xbf16> -> tensor<64x128xf32>
    %scaled = arith.mulf %inter, %oscale : tensor<64x64xf32>
    %out = tile.mma %vs transposed, %ps transposed into %scaled : !tile.buffer<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
    // the next block's state
    %next = arith.subi %left, %c64 : index
    %nextc = arith.maxsi %next, %c0 : index
    %nextl = arith.minsi %nextc, %c64 : index
    %nexti = arith.index_cast %nextl : index to i32
    %nextf = arith.sitofp %nexti : i32 to f32
    %x = arith.mulf %nextf, %minus : f32
    %g = math.expm1 %x : f32
    %gt = tensor.splat %g : tensor<64x128xf32>
    %kvb1 = arith.truncf %kv : tensor<64x128xf32> to tensor<64x128xbf16>
    %kvd1 = math.fma %kv, %gt, %kv : tensor<64x128xf32>

    %outb = arith.truncf %out : tensor<64x64xf32> to tensor<64x64xbf16>
    %os = tile.alloc : !tile.buffer<64x64xbf16>
    tile.write %outb to %os transposed : tensor<64x64xbf16>, !tile.buffer<64x64xbf16>
    tile.copy_out %os to %o[%column0, %clip, %row, %h] : !tile.buffer<64x64xbf16>
    scf.yield %kvb1, %kvd1 : tensor<64x128xbf16>, tensor<64x128xf32>
  }
  %all = arith.constant dense<true> : tensor<64x128xi1>
  tile.store %r#1 to %state[%sat] strides [%c1, %c128] where %all : tensor<64x128xf32>, memref<?xf32>, tensor<64x128xi1>
  tile.return
}
}
