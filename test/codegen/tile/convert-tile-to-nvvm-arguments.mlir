// RUN: mm01-opt %s -mm01-convert-tile-to-nvvm | FileCheck %s

gpu.module @kernels {
  // Ragged batches are structures in memory, an element of a buffer has an address.
  // CHECK-LABEL: llvm.func @arguments
  // CHECK-SAME: (%[[RAGGED:.*]]: !llvm.ptr, %[[BASE:.*]]: !llvm.ptr<1>, %{{.*}}: i64)
  // CHECK: llvm.getelementptr %[[RAGGED]][{{.*}}] : (!llvm.ptr) -> !llvm.ptr, i8
  // CHECK: llvm.load {{.*}} invariant : !llvm.ptr -> !llvm.ptr
  // CHECK: llvm.load {{.*}} invariant : !llvm.ptr -> i32
  // CHECK: llvm.load {{.*}} invariant : !llvm.ptr -> i64
  // CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[BASE]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  // CHECK: llvm.load %[[PLACE]] : !llvm.ptr<1> -> f32
  // CHECK-COUNT-4: @p st.global.f32 [$0], $1;
  tile.kernel @arguments(%r: !mm01.ragged, %x: memref<f32>, %n: index) attributes {tile.threads = 128 : i64} {
    %c1 = arith.constant 1 : index
    %past = mm01.ragged_get %r past[%n]
    %tokens = mm01.ragged_size %r tokens
    %at = arith.addi %past, %tokens : index
    %place = memref.reinterpret_cast %x to offset: [%at], sizes: [], strides: [] : memref<f32> to memref<f32, strided<[], offset: ?>>
    %value = memref.load %place[] : memref<f32, strided<[], offset: ?>>
    %t = tensor.splat %value : tensor<64x8xf32, #tile.accumulator>
    %yes = arith.constant true
    %mask = tensor.splat %yes : tensor<64x8xi1, #tile.accumulator>
    tile.store %t to %place[%n] strides [%n, %c1] where %mask
      : tensor<64x8xf32, #tile.accumulator>, memref<f32, strided<[], offset: ?>>, tensor<64x8xi1, #tile.accumulator>
    tile.return
  }
}
