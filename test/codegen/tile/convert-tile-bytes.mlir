// RUN: mm01-opt %s -mm01-convert-tile-to-nvvm -canonicalize -cse | FileCheck %s

!bytes = tensor<128x32xi8, #tile.accumulator>
!wide = tensor<128x32xbf16, #tile.accumulator>
!weight = !tile.buffer<128x32xi8, 32>
!tokens = !tile.buffer<16x32xbf16, 64>
!sum = tensor<128x16xf32, #tile.accumulator>
!rows = tensor<128xf32, #tile.accumulator>

gpu.module @kernels {
  // 32 columns are two chunks of 16 bytes, of which a thread has two pairs in each of two rows 8 apart: 256 bytes in a panel
  // of 32. A chunk is exchanged with the other by the fourth row, and 8 columns are 8 bytes on.
  // CHECK-LABEL: llvm.func @widen
  // CHECK-DAG: %[[EXPONENTS:.*]] = arith.constant 1128481603 : i32
  // CHECK-DAG: %[[ORDER:.*]] = arith.constant 29040 : i32
  // CHECK-DAG: %[[LOW:.*]] = arith.constant -8388737 : i32
  // CHECK-DAG: %[[SIGN:.*]] = arith.constant -8323200 : i32
  // CHECK: %[[LANE:.*]] = arith.remui %{{.*}}, %c32_i32
  // CHECK: %[[ROW:.*]] = arith.divui %[[LANE]], %c4_i32
  // CHECK: %[[FIRST:.*]] = llvm.inline_asm {{.*}} "ld.shared.u16 $0, [$1+0];", "=r,r,~{memory}" %[[AT:.*]] :
  // CHECK: llvm.inline_asm {{.*}} "ld.shared.u16 $0, [$1+256];", "=r,r,~{memory}" %[[AT]] :
  // CHECK: %[[BEHIND:.*]] = arith.addi %{{.*}}, %c8_i32
  // CHECK: "ld.shared.u16 $0, [$1+0];", "=r,r,~{memory}" %[[BEHIND]] :
  // CHECK: arith.xori
  // CHECK-COUNT-4: ld.shared.u16
  // CHECK-NOT: ld.shared.u16
  // Two bytes as the low bytes of bf16 numbers of 128 and more, and what they are too much.
  // CHECK: %[[WORD:.*]] = nvvm.prmt <default> %[[ORDER]], %[[FIRST]], %[[EXPONENTS]] : i32
  // CHECK: %[[A:.*]] = arith.andi %[[WORD]], %[[LOW]]
  // CHECK: %[[PAIR:.*]] = llvm.bitcast %[[A]] : i32 to vector<2xbf16>
  // CHECK: %[[B:.*]] = arith.andi %[[WORD]], %[[SIGN]]
  // CHECK: %[[MORE:.*]] = llvm.bitcast %[[B]] : i32 to vector<2xbf16>
  // CHECK: arith.subf %[[PAIR]], %[[MORE]] : vector<2xbf16>
  // CHECK: wgmma.mma_async.sync.aligned.m64n16k16
  // CHECK: wgmma.mma_async.sync.aligned.m64n16k16
  // CHECK-NOT: wgmma
  tile.kernel @widen() attributes {tile.threads = 384 : i64} {
    %w = tile.alloc : !weight
    %x = tile.alloc : !tokens
    %bytes = tile.read %w : !weight -> !bytes
    %a = arith.sitofp %bytes : !bytes to !wide
    %sum = tile.mma %a, %x transposed : !wide, !tokens -> !sum
    tile.return
  }

  // A vector has an element for each of a thread's two rows, 8 apart.
  // CHECK-LABEL: llvm.func @scales
  // CHECK: %[[ROW:.*]] = arith.addi
  // CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %c8_i32
  // CHECK: arith.cmpi slt
  // CHECK: arith.cmpi slt, %[[NEXT]]
  // CHECK-COUNT-2: @p ld.global.f32 $0, [$1];
  // CHECK-NOT: ld.global
  tile.kernel @scales(%s: memref<?xf32>, %at: index, %left: i32) attributes {tile.threads = 384 : i64} {
    %c1 = arith.constant 1 : index
    %number = tile.iota 0 : tensor<128xi32, #tile.accumulator>
    %all = tensor.splat %left : tensor<128xi32, #tile.accumulator>
    %mask = arith.cmpi slt, %number, %all : tensor<128xi32, #tile.accumulator>
    %rows = tile.load %s[%at] strides [%c1] where %mask : memref<?xf32>, tensor<128xi1, #tile.accumulator> -> !rows
    %scales = tile.broadcast %rows : !rows -> !sum
    %b = arith.truncf %scales : !sum to tensor<128x16xbf16, #tile.accumulator>
    %buffer = tile.alloc : !tile.buffer<128x16xbf16, 32>
    tile.write %b to %buffer : tensor<128x16xbf16, #tile.accumulator>, !tile.buffer<128x16xbf16, 32>
    tile.return
  }
}
