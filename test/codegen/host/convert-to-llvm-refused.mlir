// RUN: mm01-opt %s -split-input-file -mm01-convert-to-llvm -verify-diagnostics

func.func private @arena_without_context(%offset: index) {
  // expected-error @+1 {{failed to legalize operation 'exec.arena'}}
  %x = exec.arena at %offset () : memref<4xf32>
  return
}

// -----

func.func private @gemm_without_context(%n: index, %a: memref<2x8xf32>, %b: memref<4x8xf32>, %c: memref<2x4xf32>) {
  // expected-error @+1 {{failed to legalize operation 'exec.gemm'}}
  exec.gemm %a, %b, %c : memref<2x8xf32>, memref<4x8xf32>, memref<2x4xf32>
  return
}

// -----

func.func private @result_outside_of_an_entry(%context: !llvm.ptr) {
  // expected-error @+1 {{failed to legalize operation 'exec.result'}}
  %x = exec.result 0 () : memref<4xf32>
  return
}
