// RUN: mm01-opt %s --one-shot-bufferize="bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map" | FileCheck %s

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
