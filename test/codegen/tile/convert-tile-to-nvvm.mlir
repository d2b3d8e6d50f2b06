// RUN: mm01-opt %s -mm01-convert-tile-to-nvvm -canonicalize -cse | FileCheck %s

!tile = tensor<64x64xf32, #tile.accumulator>
!pairs = tensor<64x64xbf16, #tile.accumulator>
!buffer = !tile.buffer<64x64xbf16, 128>
!wide = !tile.buffer<64x128xbf16, 128>

gpu.module @kernels {
  // CHECK: llvm.mlir.global external @shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

  // Arguments: a pointer for a memref, i64 for an index, a map by value. Shared
  // memory: two tiles of 8 KiB, then two barriers.
  // CHECK-LABEL: llvm.func @signature
  // CHECK-SAME: %{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
  // CHECK-SAME: %{{[a-z0-9]+}}: !llvm.ptr<1>, %{{[a-z0-9]+}}: i64)
  // CHECK-SAME: exec.dynamic_shared_bytes = 16400 : i64
  // CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
  // CHECK-SAME: nvvm.kernel
  // CHECK-SAME: nvvm.minctasm = 1 : i32
  // CHECK-SAME: nvvm.reqntid = array<i32: 384, 1, 1>
  // CHECK-COUNT-2: mbarrier.init.shared::cta.b64
  // CHECK: barrier.cluster.arrive
  // CHECK: mbarrier.try_wait.parity
  // CHECK: mbarrier.arrive.expect_tx.shared::cta.b64
  // CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$3, $4}], [$2];
  // CHECK: bar.warp.sync 0xffffffff{{.*}}setp.ge.u32 p, $1, 2{{.*}}mapa.shared::cluster.u32
  // CHECK: "mbarrier.arrive.shared::cta.b64 _, [$0];
  // CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [$0, {$2, $3}], [$1];
  // CHECK: cp.async.bulk.commit_group
  // CHECK: cp.async.bulk.wait_group.read 0
  // CHECK: fence.proxy.async.shared::cta
  // CHECK: llvm.return
  tile.kernel @signature(%map: !exec.tensor_map, %x: memref<?xf32>, %n: index)
      attributes {cluster = 2 : i64, tile.threads = 384 : i64} {
    %ring = tile.alloc : !tile.buffer<2x64x64xbf16, 128>
    %b = tile.barrier arrivals 1 : !tile.barriers<2>
    tile.cluster_sync
    %tile = tile.slot %ring[%n] : !tile.buffer<2x64x64xbf16, 128> -> !buffer
    tile.wait %b[%n], %n : !tile.barriers<2>
    tile.expect %b[%n], 8192 : !tile.barriers<2>
    tile.copy_in %map[%n, %n] to %tile signals %b[%n] : !buffer, !tile.barriers<2>
    tile.arrive %b[%n] cluster : !tile.barriers<2>
    tile.arrive %b[%n] single : !tile.barriers<2>
    tile.copy_out %tile to %map[%n, %n] : !buffer
    tile.copy_wait 0
    tile.proxy_fence
    tile.return
  }

  // A block of the cluster copies its panel of two, for both.
  // CHECK-LABEL: llvm.func @multicast
  // CHECK: nvvm.read.ptx.sreg.cluster.ctaid.x
  // CHECK-COUNT-1: .multicast::cluster [$0], [$1, {$3, $4}], [$2], $5;
  // CHECK-NOT: cp.async.bulk.tensor
  tile.kernel @multicast(%map: !exec.tensor_map, %n: index)
      attributes {cluster = 2 : i64, tile.threads = 128 : i64} {
    %tile = tile.alloc : !wide
    %b = tile.barrier arrivals 1 : !tile.barriers<1>
    tile.copy_in %map[%n, %n] to %tile multicast signals %b[%n] : !wide, !tile.barriers<1>
    tile.return
  }

  // Of a single panel it copies its half of the rows, 64 of 128 bytes each. The rows
  // of a tile from 64 on lie 8 KiB behind its first. Of 24 columns the last 8 are
  // two blocks of 8x8.
  // CHECK-LABEL: llvm.func @rows
  // CHECK-DAG: %[[BYTES:.*]] = arith.constant 8192 : i32
  // CHECK-DAG: %[[ROWS:.*]] = arith.constant 64 : i32
  // CHECK: %[[BLOCK:.*]] = nvvm.read.ptx.sreg.cluster.ctaid.x
  // CHECK: arith.muli %[[BLOCK]], %[[BYTES]] : i32
  // CHECK: arith.muli %[[BLOCK]], %[[ROWS]] : i32
  // CHECK: .multicast::cluster [$0], [$1, {$3, $4}], [$2], $5;
  // CHECK-NOT: cp.async.bulk.tensor
  // CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
  // CHECK: ldmatrix.sync.aligned.m8n8.x2.shared.b16 {$0, $1}, [$2];
  // CHECK: stmatrix.sync.aligned.m8n8.x4.shared.b16
  // CHECK: stmatrix.sync.aligned.m8n8.x2.shared.b16 [$0], {$1, $2};
  tile.kernel @rows(%map: !exec.tensor_map, %n: index)
      attributes {cluster = 2 : i64, tile.threads = 128 : i64} {
    %tile = tile.alloc : !tile.buffer<128x64xbf16, 128>
    %b = tile.barrier arrivals 1 : !tile.barriers<1>
    tile.copy_in %map[%n, %n] to %tile multicast signals %b[%n] : !tile.buffer<128x64xbf16, 128>, !tile.barriers<1>
    %narrow = tile.alloc : !tile.buffer<128x24xbf16, 64>
    %half = tile.rows %narrow[64] : !tile.buffer<128x24xbf16, 64> -> !tile.buffer<64x24xbf16, 64>
    %v = tile.read %half : !tile.buffer<64x24xbf16, 64> -> tensor<64x24xbf16, #tile.accumulator>
    tile.write %v to %half : tensor<64x24xbf16, #tile.accumulator>, !tile.buffer<64x24xbf16, 64>
    tile.return
  }

  // Numbers of items go to a word in each block of the cluster.
  // CHECK-LABEL: llvm.func @items
  // CHECK-SAME: exec.dynamic_shared_bytes = 24 : i64
  // CHECK: nvvm.read.ptx.sreg.nctaid.x
  // CHECK: atom.global.inc.u32 number, [$0], $1;
  // CHECK-SAME: mapa.shared::cluster.u32 word, $2, 0;
  // CHECK-SAME: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [word], number, [barrier];
  // CHECK-SAME: mapa.shared::cluster.u32 word, $2, 1;
  // CHECK: ld.shared.u32 $0, [$1];
  tile.kernel @items(%counter: memref<?xi32>, %n: index) attributes {cluster = 2 : i64, tile.threads = 128 : i64} {
    %words = tile.words : !tile.words<2>
    %b = tile.barrier arrivals 1 : !tile.barriers<2>
    %blocks = gpu.grid_dim x
    tile.take %counter until %blocks to %words[%n] signals %b : memref<?xi32>, !tile.words<2>, !tile.barriers<2>
    %item = tile.word %words[%n] : !tile.words<2>
    tile.expect %b[%item], 4 : !tile.barriers<2>
    tile.return
  }

  // Products: the accumulator is tied, 32 registers of it. The first of four steps
  // overwrites where nothing is added to. A in registers is four words a step.
  // CHECK-LABEL: llvm.func @products
  // CHECK: "wgmma.fence.sync.aligned;"
  // CHECK: setp.ne.b32 p, 0, 0;{{.*}}wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, {{.*}}, $31}, $32, $33, p, 1, 1, 1, 0;
  // CHECK-COUNT-3: setp.ne.b32 p, 1, 0;{{.*}}{$0, {{.*}}, $31}, $64, $65, p, 1, 1, 1, 0;
  // CHECK: "wgmma.fence.sync.aligned;", "=r,
  // CHECK-COUNT-4: m64n64k16.f32.bf16.bf16 {$0, {{.*}}, $31}, {$64, $65, $66, $67}, $68, p, 1, 1, 1;
  // CHECK: "wgmma.commit_group.sync.aligned;"
  // CHECK: "wgmma.wait_group.sync.aligned 0;", "=f,
  // CHECK: stmatrix.sync.aligned.m8n8.x4.shared.b16
  tile.kernel @products(%n: index) attributes {tile.threads = 128 : i64} {
    %tile = tile.alloc : !buffer
    tile.mma_fence()
    %x = tile.mma %tile transposed, %tile transposed : !buffer, !buffer -> !tile
    %p = tile.read %tile : !buffer -> !pairs
    %f:2 = tile.mma_fence(%p, %x : !pairs, !tile)
    %y = tile.mma %f#0, %tile into %f#1 : !pairs, !buffer -> !tile
    tile.mma_commit
    %z = tile.mma_wait 0, %y : !tile
    %w = arith.truncf %z : !tile to !pairs
    tile.write %w to %tile : !pairs, !buffer
    tile.return
  }

  // Arithmetic is element by element, on pairs where bf16 takes part; columns that
  // rows 8 apart share are computed once: 16 of 32 registers.
  // CHECK-LABEL: llvm.func @registers
  // CHECK-COUNT-16: math.exp2 %{{.*}} : f32
  // CHECK-NOT: math.exp2
  // CHECK: arith.truncf %{{.*}} : vector<2xf32> to vector<2xbf16>
  // CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {$0, $1, $2, $3}, [$4];
  // CHECK: arith.mulf %{{.*}} : vector<2xbf16>
  // CHECK: stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [$0], {$1, $2, $3, $4};
  tile.kernel @registers() attributes {tile.threads = 128 : i64} {
    %tile = tile.alloc : !buffer
    %columns = tile.iota 1 : tensor<64x64xi32, #tile.accumulator>
    %numbers = arith.sitofp %columns : tensor<64x64xi32, #tile.accumulator> to !tile
    %powers = math.exp2 %numbers : !tile
    %weights = arith.truncf %powers : !tile to !pairs
    %v = tile.read %tile transposed : !buffer -> !pairs
    %w = arith.mulf %v, %weights : !pairs
    tile.write %w to %tile transposed : !pairs, !buffer
    tile.return
  }

  // Loops carry registers; elements of global memory are guarded one by one.
  // CHECK-LABEL: llvm.func @global
  // CHECK-COUNT-4: @p ld.global.f32 $0, [$1];
  // CHECK: scf.for {{.*}} -> (f32, f32, f32, f32)
  // CHECK-COUNT-4: arith.addf
  // CHECK-COUNT-4: @p st.global.f32 [$0], $1;
  tile.kernel @global(%x: memref<?xf32>, %n: index, %on: i32) attributes {tile.threads = 128 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %flag = arith.cmpi ne, %on, %zero : i32
    %mask = tensor.splat %flag : tensor<64x8xi1, #tile.accumulator>
    %a = tile.load %x[%n] strides [%n, %c1] where %mask
      : memref<?xf32>, tensor<64x8xi1, #tile.accumulator> -> tensor<64x8xf32, #tile.accumulator>
    %b = scf.for %t = %c0 to %n step %c1 iter_args(%s = %a) -> tensor<64x8xf32, #tile.accumulator> {
      %d = arith.addf %s, %s : tensor<64x8xf32, #tile.accumulator>
      scf.yield %d : tensor<64x8xf32, #tile.accumulator>
    }
    tile.store %b to %x[%n] strides [%n, %c1] where %mask
      : tensor<64x8xf32, #tile.accumulator>, memref<?xf32>, tensor<64x8xi1, #tile.accumulator>
    tile.return
  }
}
