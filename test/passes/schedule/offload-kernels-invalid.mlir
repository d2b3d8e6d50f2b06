// RUN: mm01-opt %s -mm01-offload-kernels -split-input-file -verify-diagnostics

// expected-error @+1 {{kernel large needs 230401 bytes of scratch, expected at most the 230400 bytes of shared memory of a block}}
func.func private @large(%workgroup: index) attributes {exec.kernel, exec.scratch_bytes = 230401 : i64} {
  return
}

// -----

// expected-error @+1 {{kernel takes 'memref<4xf32, strided<[2]>>', expected a buffer without layout}}
func.func private @strided(%workgroup: index, %x: memref<4xf32, strided<[2]>>) attributes {exec.kernel} {
  return
}

// -----

func.func @reads(%x: memref<4xf32>, %i: index) -> f32 {
  // expected-error @+1 {{runs on the host, which cannot reach device memory, expected it in a kernel}}
  %v = memref.load %x[%i] : memref<4xf32>
  return %v : f32
}

// -----

func.func @fills(%x: memref<4xf32>, %v: f32) {
  // expected-error @+1 {{runs on the host, which cannot reach device memory, expected it in a kernel}}
  linalg.fill ins(%v : f32) outs(%x : memref<4xf32>)
  return
}
