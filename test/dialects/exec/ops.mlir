// RUN: mm01-opt %s | mm01-opt | FileCheck %s

// Every op of the dialect prints and parses; attributes of functions too.

// CHECK-LABEL: func.func private @kernel
// CHECK-SAME: exec.kernel, exec.scratch_bytes = 16384 : i64
func.func private @kernel(%workgroup: index, %x: memref<?xf32>) attributes {exec.kernel, exec.scratch_bytes = 16384 : i64} {
  // CHECK: exec.scratch at 0() : memref<32x64xf32>
  %tile = exec.scratch at 0 () : memref<32x64xf32>
  // CHECK: exec.scratch at 8192(%{{.*}}) : memref<?x64xf32>
  %rows = exec.scratch at 8192 (%workgroup) : memref<?x64xf32>
  return
}

// CHECK-LABEL: func.func @launch
func.func @launch(%x: memref<?xf32>, %n: index) {
  // CHECK: exec.launch @kernel grid(%{{.*}}) (%{{.*}}) : memref<?xf32>
  exec.launch @kernel grid(%n) (%x) : memref<?xf32>
  return
}

// A kernel without arguments but its workgroup.
func.func private @nothing(%workgroup: index) attributes {exec.kernel} {
  return
}

// CHECK-LABEL: func.func @launch_nothing
func.func @launch_nothing(%n: index) {
  // CHECK: exec.launch @nothing grid(%{{.*}}) ()
  exec.launch @nothing grid(%n) ()
  return
}

// CHECK-LABEL: func.func @gemm
func.func @gemm(%a: memref<?x8xf32>, %b: memref<4x8xf32>, %c: memref<?x4xf32, strided<[16, 1], offset: ?>>) {
  // CHECK: exec.gemm %{{.*}}, %{{.*}}, %{{.*}} : memref<?x8xf32>
  exec.gemm %a, %b, %c : memref<?x8xf32>, memref<4x8xf32>, memref<?x4xf32, strided<[16, 1], offset: ?>>
  // CHECK: exec.gemm %{{.*}}, %{{.*}}, %{{.*}} accumulate : memref<?x8xf32>
  exec.gemm %a, %b, %c accumulate : memref<?x8xf32>, memref<4x8xf32>, memref<?x4xf32, strided<[16, 1], offset: ?>>
  return
}

// CHECK-LABEL: func.func @memory
// CHECK-SAME: exec.frame = #exec.frame<()[s0] -> (s0 * 256), arguments = [0], extents = [0]>
// CHECK-SAME: exec.results = [#exec.fresh<"logits" : memref<?x64xf32>>, #exec.tied<1>]
func.func @memory(%n: index, %state: memref<4xf32>) attributes {
    exec.frame = #exec.frame<()[s0] -> (s0 * 256), arguments = [0], extents = [0]>,
    exec.results = [#exec.fresh<"logits" : memref<?x64xf32>>, #exec.tied<1>]} {
  %c0 = arith.constant 0 : index
  // CHECK: exec.arena at %{{.*}}(%{{.*}}) : memref<?x64xf32>
  %view = exec.arena at %c0 (%n) : memref<?x64xf32>
  // CHECK: exec.result 0(%{{.*}}) : memref<?x64xf32>
  %logits = exec.result 0 (%n) : memref<?x64xf32>
  return
}

// A frame without symbols.
// CHECK: exec.frame = #exec.frame<() -> (64), arguments = [], extents = []>
func.func private @constant_frame() attributes {
    exec.frame = #exec.frame<() -> (64), arguments = [], extents = []>} {
  return
}

// CHECK-LABEL: func.func @weight
func.func @weight(%w: !mm01.weight<4x96x64xbf16>, %e: index) -> memref<96x64xbf16> {
  // CHECK: exec.weight_part %{{.*}}[%{{.*}}] : <4x96x64xbf16> -> memref<96x64xbf16>
  %p = exec.weight_part %w[%e] : !mm01.weight<4x96x64xbf16> -> memref<96x64xbf16>
  return %p : memref<96x64xbf16>
}

// CHECK-LABEL: func.func @scales
func.func @scales(%w: !mm01.weight<4x96x64xi8>, %e: index) -> memref<96xf32> {
  // CHECK: exec.weight_scales %{{.*}}[%{{.*}}] : <4x96x64xi8> -> memref<96xf32>
  %s = exec.weight_scales %w[%e] : !mm01.weight<4x96x64xi8> -> memref<96xf32>
  return %s : memref<96xf32>
}

// CHECK-LABEL: gpu.module @kernels
gpu.module @kernels {
  // CHECK: func.func @scale
  // CHECK-SAME: exec.dynamic_shared_bytes = 1024 : i64
  func.func @scale(%x: memref<f32>, %n: index, %map: !exec.tensor_map) attributes {exec.dynamic_shared_bytes = 1024 : i64} {
    return
  }
  func.func @nothing() {
    return
  }
}

// CHECK-LABEL: func.func @launch_device
func.func @launch_device(%x: memref<f32>, %n: index, %map: !exec.tensor_map) {
  // CHECK: exec.launch_device @kernels::@scale grid(%{{.*}}, %{{.*}}, %{{.*}}) (%{{.*}}, %{{.*}}, %{{.*}}) : memref<f32>, index, !exec.tensor_map
  exec.launch_device @kernels::@scale grid(%n, %n, %n) (%x, %n, %map) : memref<f32>, index, !exec.tensor_map
  // CHECK: exec.launch_device @kernels::@nothing grid(%{{.*}}, %{{.*}}, %{{.*}}) ()
  exec.launch_device @kernels::@nothing grid(%n, %n, %n) ()
  return
}

// CHECK-LABEL: func.func @gemm_device
func.func @gemm_device(%a: memref<?x64xbf16, strided<[192, 1]>>, %b: memref<96x64xbf16>, %c: memref<?x96xf32>) {
  // CHECK: exec.gemm_device %{{.*}}, %{{.*}}, %{{.*}} above 16 : memref<?x64xbf16, strided<[192, 1]>>, memref<96x64xbf16>, memref<?x96xf32>
  exec.gemm_device %a, %b, %c above 16
    : memref<?x64xbf16, strided<[192, 1]>>, memref<96x64xbf16>, memref<?x96xf32>
  return
}

// CHECK-LABEL: func.func @tensor_map
func.func @tensor_map(%x: memref<?x128xbf16>, %base: memref<f32>, %n: index) {
  // CHECK: exec.tensor_map %{{.*}} box [64, 64] swizzle 128 : memref<?x128xbf16>
  %a = exec.tensor_map %x box [64, 64] swizzle 128 : memref<?x128xbf16>
  // CHECK: exec.tensor_map %{{.*}} box [64, 64] : memref<?x128xbf16>
  %b = exec.tensor_map %x box [64, 64] : memref<?x128xbf16>
  // CHECK: exec.tensor_map %{{.*}} at %{{.*}} view[%{{.*}}, %{{.*}}] strides[%{{.*}}] box [8, 32] swizzle 128 : memref<f32>
  %c = exec.tensor_map %base at %n view [%n, %n] strides [%n] box [8, 32] swizzle 128 : memref<f32>
  // CHECK: exec.tensor_map %{{.*}} view[%{{.*}}] strides[] box [32] : memref<f32>
  %d = exec.tensor_map %base view [%n] strides [] box [32] : memref<f32>
  return
}

gpu.module @branches {
  func.func @prefill(%r: !mm01.ragged) {
    return
  }
  func.func @decode(%r: !mm01.ragged) {
    return
  }
}

// CHECK-LABEL: func.func @concurrent
// CHECK: exec.concurrent {
// CHECK: %[[N:.*]] = mm01.ragged_size %{{.*}} several
// CHECK: exec.launch_device @branches::@prefill grid(%[[N]], %{{.*}}, %{{.*}}) (%{{.*}}) {exec.sequences = #exec.sequences<several>} : !mm01.ragged
// CHECK: }, {
// CHECK: exec.launch_device @branches::@decode grid(%{{.*}}, %{{.*}}, %{{.*}}) (%{{.*}}) {exec.sequences = #exec.sequences<single>} : !mm01.ragged
// CHECK: }
func.func @concurrent(%r: !mm01.ragged, %n: index) {
  exec.concurrent {
    %several = mm01.ragged_size %r several
    exec.launch_device @branches::@prefill grid(%several, %n, %n) (%r) {exec.sequences = #exec.sequences<several>} : !mm01.ragged
  }, {
    exec.launch_device @branches::@decode grid(%n, %n, %n) (%r) {exec.sequences = #exec.sequences<single>} : !mm01.ragged
  }
  return
}
