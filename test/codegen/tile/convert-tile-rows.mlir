// RUN: mm01-opt %s -mm01-convert-tile-to-nvvm -canonicalize -cse | FileCheck %s

!tile = tensor<128x16xf32, #tile.accumulator>
!parts = tensor<128x8xf32, #tile.accumulator>
!rows = tensor<128xf32, #tile.accumulator>
!buffer = !tile.buffer<128x64xbf16, 128>

gpu.module @kernels {
  // Eight registers of a thread: columns 0, 1, 8 and 9 of two rows, which have the same values here. [m, 8] adds those that
  // are eight columns apart; [m] adds the rest of the row, and exchanges it with the other lanes of the quad.
  // CHECK-LABEL: llvm.func @sum
  // CHECK-SAME: denormal_fp_math_f32 = "preserve-sign,preserve-sign"
  // CHECK: %[[EVEN:.*]] = arith.addf
  // CHECK-NEXT: %[[ODD:.*]] = arith.addf
  // CHECK-NEXT: %[[ROW:.*]] = arith.addf %[[EVEN]], %[[ODD]]
  // CHECK-NEXT: %[[NEAR:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[ROW]], %c1_i32, %c31_i32
  // CHECK-NEXT: %[[TWO:.*]] = arith.addf %[[ROW]], %[[NEAR]]
  // CHECK-NEXT: %[[FAR:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[TWO]], %c2_i32, %c31_i32
  // CHECK-NEXT: %[[FOUR:.*]] = arith.addf %[[TWO]], %[[FAR]]
  // CHECK-COUNT-2: nvvm.shfl.sync bfly
  // Each row's value goes to its registers.
  // CHECK: arith.mulf %{{.*}}, %[[FOUR]]
  // CHECK: stmatrix
  tile.kernel @sum(%x: f32, %to: index) attributes {tile.threads = 384 : i64} {
    %s = tensor.splat %x : !tile
    %i = tile.iota 1 : tensor<128x16xi32, #tile.accumulator>
    %f = arith.sitofp %i : tensor<128x16xi32, #tile.accumulator> to !tile
    %t = arith.mulf %s, %f : !tile
    %parts = tile.row_sum %t : !tile -> !parts
    %rows = tile.row_sum %parts : !parts -> !rows
    %all = tile.broadcast %rows : !rows -> !tile
    %scaled = arith.mulf %t, %all : !tile
    %b = arith.truncf %scaled : !tile to tensor<128x16xbf16, #tile.accumulator>
    %buffer = tile.alloc : !tile.buffer<128x16xbf16, 32>
    tile.write %b to %buffer : tensor<128x16xbf16, #tile.accumulator>, !tile.buffer<128x16xbf16, 32>
    tile.return
  }

  // CHECK-LABEL: llvm.func @maximum
  // CHECK: arith.maxnumf
  // CHECK: arith.ori
  // CHECK: nvvm.vote.sync any
  // CHECK: stmatrix
  tile.kernel @maximum(%x: f32) attributes {tile.threads = 128 : i64} {
    %i = tile.iota 1 : tensor<128x16xi32, #tile.accumulator>
    %f = arith.sitofp %i : tensor<128x16xi32, #tile.accumulator> to !tile
    %parts = tile.row_maximum %f : !tile -> !parts
    %limit = tensor.splat %x : !parts
    %above = arith.cmpf ogt, %parts, %limit : !parts
    %any = tile.any %above : tensor<128x8xi1, #tile.accumulator>
    %t = scf.if %any -> !tile {
      %twice = arith.addf %f, %f : !tile
      scf.yield %twice : !tile
    } else {
      scf.yield %f : !tile
    }
    %b = arith.truncf %t : !tile to tensor<128x16xbf16, #tile.accumulator>
    %buffer = tile.alloc : !tile.buffer<128x16xbf16, 32>
    tile.write %b to %buffer : tensor<128x16xbf16, #tile.accumulator>, !tile.buffer<128x16xbf16, 32>
    tile.return
  }

  // The second group of a role reads its 64 rows of A, 64 * 128 bytes further on; B is the same for both.
  // CHECK-LABEL: llvm.func @groups
  // CHECK: %[[FIRST:.*]] = nvvm.shfl.sync idx
  // CHECK: %[[GROUP:.*]] = arith.remui %[[FIRST]], %c2_i32
  // CHECK: arith.muli %[[GROUP]], %c8192_i32
  // CHECK: wgmma.mma_async.sync.aligned.m64n128k16
  tile.kernel @groups() attributes {tile.threads = 384 : i64} {
    %a = tile.alloc : !buffer
    %s = tile.mma %a, %a transposed : !buffer, !buffer -> tensor<128x128xf32, #tile.accumulator>
    tile.return
  }

  // Rows 64 to 127 of a tile begin 64 * 128 bytes further on in each panel.
  // CHECK-LABEL: llvm.func @rows
  // CHECK: arith.addi %{{.*}}, %c8192_i32
  // CHECK: cp.async.bulk.tensor.2d
  tile.kernel @rows(%map: !exec.tensor_map, %c: index) attributes {tile.threads = 128 : i64} {
    %k = tile.alloc : !buffer
    %full = tile.barrier arrivals 1 : !tile.barriers<1>
    tile.copy_in %map[%c, %c] to %k rows [64, 64] signals %full[%c] : !buffer, !tile.barriers<1>
    tile.return
  }
}
