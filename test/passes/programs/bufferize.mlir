// RUN: mm01-opt %s --mm01-bufferize | FileCheck %s

// A weight is read where it is.
// CHECK-LABEL: func.func @read
// CHECK: %[[PART:.*]] = exec.weight_part
// CHECK-NOT: memref.copy
// CHECK: memref.load %[[PART]]
func.func @read(%w: !mm01.weight<4x8xf32>, %i: index) -> f32 {
  %p = mm01.weight_part %w[%i] : !mm01.weight<4x8xf32> -> tensor<4x8xf32>
  %x = tensor.extract %p[%i, %i] : tensor<4x8xf32>
  return %x : f32
}

// What writes to a weight's tensor writes to a copy.
// CHECK-LABEL: func.func @written
// CHECK: %[[PART:.*]] = exec.weight_part
// CHECK: %[[COPY:.*]] = memref.alloc()
// CHECK: memref.copy %[[PART]], %[[COPY]]
// CHECK: memref.store %{{.*}}, %[[COPY]]
func.func @written(%w: !mm01.weight<4x8xf32>, %i: index, %v: f32) -> tensor<4x8xf32> {
  %p = mm01.weight_part %w[%i] : !mm01.weight<4x8xf32> -> tensor<4x8xf32>
  %x = tensor.insert %v into %p[%i, %i] : tensor<4x8xf32>
  return %x : tensor<4x8xf32>
}

// So are its scales.
// CHECK-LABEL: func.func @scales
// CHECK: %[[SCALES:.*]] = exec.weight_scales
// CHECK-NOT: memref.copy
// CHECK: memref.load %[[SCALES]]
func.func @scales(%w: !mm01.weight<4x8xi8>, %i: index) -> f32 {
  %s = mm01.weight_scales %w[%i] : !mm01.weight<4x8xi8> -> tensor<4xf32>
  %x = tensor.extract %s[%i] : tensor<4xf32>
  return %x : f32
}

!row = memref<8xf32, strided<[?], offset: ?>>

// A program takes buffers, its outs in place; the tensors of its body are registers.
// CHECK-LABEL: func.func @program
// CHECK-SAME: (%[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>, %{{.*}}: index, %{{.*}}: f32)
// CHECK-NOT: memref.copy
// CHECK: tile.program "p" grid({{.*}}) cluster 2 ins(%[[X]], %{{.*}}, %{{.*}} : memref<8xf32>, index, f32) outs(%[[Y]] : memref<8xf32>)
// CHECK-SAME: attributes {test.kept}
// CHECK: tensor.splat {{.*}} : tensor<64x64xf32>
// CHECK: scf.for {{.*}} -> (tensor<64x64xf32>)
// CHECK: return %[[Y]]
func.func @program(%x: tensor<8xf32>, %y: tensor<8xf32>, %n: index, %v: f32) -> tensor<8xf32> {
  %z = tile.program "p" grid(%n, %n, %n) cluster 2 ins(%x, %n, %v : tensor<8xf32>, index, f32) outs(%y : tensor<8xf32>)
      attributes {test.kept} {
  ^bb0(%a: !row, %m: index, %s: f32, %b: !row):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %all = arith.constant dense<true> : tensor<64x64xi1>
    %t = tensor.splat %s : tensor<64x64xf32>
    %u = scf.for %i = %c0 to %m step %c1 iter_args(%w = %t) -> tensor<64x64xf32> {
      %d = arith.addf %w, %t : tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %u to %b[%c0] strides [%c1, %c1] where %all : tensor<64x64xf32>, !row, tensor<64x64xi1>
    tile.return
  } -> tensor<8xf32>
  return %z : tensor<8xf32>
}

// Outs that somebody reads later are copied before, as any written tensor is.
// CHECK-LABEL: func.func @read_later
// CHECK: %[[COPY:.*]] = memref.alloc
// CHECK: memref.copy %{{.*}}, %[[COPY]]
// CHECK: tile.program {{.*}} outs(%[[COPY]] : memref<8xf32>)
func.func @read_later(%y: tensor<8xf32>, %n: index) -> (tensor<8xf32>, f32) {
  %z = tile.program "p" grid(%n, %n, %n) ins() outs(%y : tensor<8xf32>) {
  ^bb0(%b: !row):
    tile.return
  } -> tensor<8xf32>
  %old = tensor.extract %y[%n] : tensor<8xf32>
  return %z, %old : tensor<8xf32>, f32
}

// The library's product goes into the buffer that holds the rows of the kernel
// before it, where there are few.
// CHECK-LABEL: func.func @library
// CHECK-SAME: %[[X:[^:]+]]: memref<?x8xbf16>, %[[W:[^:]+]]: !mm01.weight<8x8xbf16>
// CHECK: %[[OUT:.*]] = memref.alloc(
// CHECK: linalg.fill {{.*}} outs(%[[OUT]]
// CHECK: %[[PART:.*]] = exec.weight_part %[[W]]
// CHECK: exec.gemm_device %[[X]], %[[PART]], %[[OUT]] above 16
// CHECK-NOT: memref.copy
// CHECK: return %[[OUT]]
func.func @library(%x: tensor<?x8xbf16>, %w: !mm01.weight<8x8xbf16>, %n: index, %v: f32) -> tensor<?x8xf32> {
  %empty = tensor.empty(%n) : tensor<?x8xf32>
  %few = linalg.fill ins(%v : f32) outs(%empty : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = mm01.library_linear %x, %w into %few above 16 : tensor<?x8xbf16>, !mm01.weight<8x8xbf16> into tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
