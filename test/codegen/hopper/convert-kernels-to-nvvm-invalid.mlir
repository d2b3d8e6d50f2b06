// RUN: mm01-opt %s -mm01-convert-kernels-to-nvvm -verify-diagnostics

gpu.module @kernels {
  func.func @scales(%w: !mm01.weight<4x96x64xi8>, %e: index, %out: memref<96xf32>) {
    // expected-error @below {{int8 weight in a kernel for sm_90a, expected one of f32, f16 or bf16 (--quantize=none)}}
    %s = exec.weight_scales %w[%e] : !mm01.weight<4x96x64xi8> -> memref<96xf32>
    %c0 = arith.constant 0 : index
    %v = memref.load %s[%c0] : memref<96xf32>
    memref.store %v, %out[%c0] : memref<96xf32>
    return
  }
}
