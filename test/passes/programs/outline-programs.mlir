// RUN: mm01-opt %s -split-input-file -mm01-outline-programs -canonicalize -cse | FileCheck %s

!heads = memref<?x4x64xbf16, strided<[?, ?, ?], offset: ?>>
!states = memref<2x?x64xf32, strided<[?, ?, ?], offset: ?>>
!slopes = memref<4xf32, strided<[?], offset: ?>>

// The host makes the map and clusters become blocks; of a dense buffer the kernel
// gets memory, and of its layout what no type says.
// CHECK-LABEL: tile.kernel @f.copy
// CHECK-SAME: (%[[MAP:.*]]: !exec.tensor_map, %[[SLOPES:.*]]: memref<f32>, %[[RAGGED:.*]]: !mm01.ragged,
// CHECK-SAME: %[[STATE:.*]]: memref<f32>, %[[STRIDE:.*]]: index) attributes {cluster = 2 : i64, resident = 2 : i64}
// CHECK: %[[H:.*]] = gpu.block_id y
// CHECK: %[[PLACE:.*]] = memref.reinterpret_cast %[[SLOPES]] to offset: [%[[H]]], sizes: [], strides: [] : memref<f32> to memref<f32, strided<[], offset: ?>>
// CHECK: memref.load %[[PLACE]][] : memref<f32, strided<[], offset: ?>>
// CHECK: %[[SLOT:.*]] = mm01.ragged_get %[[RAGGED]] slot
// CHECK: arith.muli %[[SLOT]], %[[STRIDE]] : index
// CHECK: tile.copy_in %[[MAP]]
// CHECK: tile.store {{.*}} to %[[STATE]]{{.*}} : tensor<64x64xf32>, memref<f32>
// CHECK-LABEL: func.func @f
// CHECK-SAME: (%[[Q:.*]]: memref<?x4x64xbf16>
// CHECK: memref.extract_strided_metadata %[[Q]]
// CHECK: %[[HOSTMAP:.*]] = exec.tensor_map %[[Q]] view[%{{.*}}, %{{.*}}, %{{.*}}] strides[%{{.*}}, %{{.*}}] box [1, 64, 64] : memref<?x4x64xbf16>
// CHECK: %[[BLOCKS:.*]] = arith.muli %{{.*}}, %c2
// CHECK: exec.launch_device @kernels::@f.copy grid(%[[BLOCKS]], %{{.*}}, %{{.*}}) (%[[HOSTMAP]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-SAME: {exec.sequences = #exec.sequences<several>} : !exec.tensor_map, memref<f32>, !mm01.ragged, memref<f32>, index
func.func @f(%q: memref<?x4x64xbf16>, %slopes: memref<4xf32>, %r: !mm01.ragged, %n: index, %state: memref<2x?x64xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tile.program "copy" grid(%n, %c4, %c1) cluster 2 resident 2 ins(%q, %slopes, %r : memref<?x4x64xbf16>, memref<4xf32>, !mm01.ragged)
      outs(%state : memref<2x?x64xf32>) attributes {exec.sequences = #exec.sequences<several>} {
  ^bb0(%qb: !heads, %sl: !slopes, %rb: !mm01.ragged, %st: !states):
    %base, %offset, %sizes:3, %strides:3 = memref.extract_strided_metadata %qb
        : !heads -> memref<bf16>, index, index, index, index, index, index, index
    %map = exec.tensor_map %qb view [%sizes#1, %sizes#0, %sizes#2] strides [%strides#1, %strides#0] box [1, 64, 64] : !heads
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %h = gpu.block_id y
    %slope = memref.load %sl[%h] : !slopes
    %slot = mm01.ragged_get %rb slot[%h]
    %sbase, %soffset, %ssizes:3, %sstrides:3 = memref.extract_strided_metadata %st
        : !states -> memref<f32>, index, index, index, index, index, index, index
    %at = arith.muli %slot, %sstrides#0 : index
    %tile = tile.alloc : !tile.buffer<64x64xbf16>
    tile.copy_in %map[%c0, %c0, %h] to %tile : !tile.buffer<64x64xbf16>
    %all = arith.constant dense<true> : tensor<64x64xi1>
    %t = tensor.splat %slope : tensor<64x64xf32>
    tile.store %t to %st[%at] strides [%c0, %i1] where %all : tensor<64x64xf32>, !states, tensor<64x64xi1>
    tile.return
  }
  return
}

// -----

!row = memref<8xf32, strided<[?], offset: ?>>

// A slice is passed as the memory that it is a slice of, and where it begins. Two
// programs that are one kernel, and one that is not.
// CHECK-LABEL: tile.kernel @g.one
// CHECK-SAME: (%[[OFFSET:.*]]: index, %[[BASE:.*]]: memref<f32>)
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [], strides: []
// CHECK-LABEL: tile.kernel @g.three
// CHECK-SAME: (%{{.*}}: memref<f32>)
// CHECK-NOT: tile.kernel
// CHECK-LABEL: func.func @g
// CHECK: exec.launch_device @kernels::@g.one
// CHECK: exec.launch_device @kernels::@g.one
// CHECK: exec.launch_device @kernels::@g.three
func.func @g(%x: memref<64xf32>, %n: index, %c1: index) {
  %a = memref.subview %x[%n] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
  %whole = memref.subview %x[0] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1]>>
  tile.program "one" grid(%n, %c1, %c1) ins() outs(%a : memref<8xf32, strided<[1], offset: ?>>) {
  ^bb0(%m: !row):
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %all = arith.constant dense<true> : tensor<64x8xi1>
    %t = arith.constant dense<0.0> : tensor<64x8xf32>
    tile.store %t to %m[%c0] strides [%c0, %i1] where %all : tensor<64x8xf32>, !row, tensor<64x8xi1>
    tile.return
  }
  tile.program "two" grid(%n, %c1, %c1) ins() outs(%a : memref<8xf32, strided<[1], offset: ?>>) {
  ^bb0(%m: !row):
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %all = arith.constant dense<true> : tensor<64x8xi1>
    %t = arith.constant dense<0.0> : tensor<64x8xf32>
    tile.store %t to %m[%c0] strides [%c0, %i1] where %all : tensor<64x8xf32>, !row, tensor<64x8xi1>
    tile.return
  }
  tile.program "three" grid(%n, %c1, %c1) ins() outs(%whole : memref<8xf32, strided<[1]>>) {
  ^bb0(%m: !row):
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %all = arith.constant dense<true> : tensor<64x8xi1>
    %t = arith.constant dense<0.0> : tensor<64x8xf32>
    tile.store %t to %m[%c0] strides [%c0, %i1] where %all : tensor<64x8xf32>, !row, tensor<64x8xi1>
    tile.return
  }
  return
}
