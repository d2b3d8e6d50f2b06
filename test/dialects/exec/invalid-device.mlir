// RUN: mm01-opt %s -split-input-file -verify-diagnostics

// A function beside the kernels is none.
func.func private @plain(%x: memref<f32>)
func.func @launch_device_c1(%x: memref<f32>, %n: index) {
  // expected-error @+1 {{C1: @plain is no function of a gpu.module}}
  exec.launch_device @plain grid(%n, %n, %n) (%x) : memref<f32>
  return
}

// -----

gpu.module @kernels {
  func.func @scale(%x: memref<f32>) {
    return
  }
}
func.func @launch_device_c1_unknown(%n: index) {
  // expected-error @+1 {{C1: @kernels::@other is no function of a gpu.module}}
  exec.launch_device @kernels::@other grid(%n, %n, %n) ()
  return
}

// -----

gpu.module @kernels {
  func.func @scale(%x: memref<f32>) {
    return
  }
}
func.func @launch_device_c2(%n: index) {
  // expected-error @+1 {{C2: kernel @kernels::@scale takes ('memref<f32>'), found ('index')}}
  exec.launch_device @kernels::@scale grid(%n, %n, %n) (%n) : index
  return
}

// -----

gpu.module @kernels {
  func.func @scale(%x: memref<4xf32, strided<[1], offset: ?>>) {
    return
  }
}
func.func @launch_device_c3(%n: index, %x: memref<4xf32, strided<[1], offset: ?>>) {
  // expected-error @+1 {{C3: expected a memref of static offset}}
  exec.launch_device @kernels::@scale grid(%n, %n, %n) (%x) : memref<4xf32, strided<[1], offset: ?>>
  return
}

// -----

func.func @gemm_device_c1(%a: memref<?x64xbf16, strided<[64, 2]>>, %b: memref<96x64xbf16>, %c: memref<?x96xf32>) {
  // expected-error @+1 {{C1: expected an inner stride of 1}}
  exec.gemm_device %a, %b, %c above 16 : memref<?x64xbf16, strided<[64, 2]>>, memref<96x64xbf16>, memref<?x96xf32>
  return
}

// -----

func.func @gemm_device_c2(%a: memref<?x64xbf16>, %b: memref<96x32xbf16>, %c: memref<?x96xf32>) {
  // expected-error @+1 {{C2: expected a[m, k], b[n, k] and c[m, n]}}
  exec.gemm_device %a, %b, %c above 16 : memref<?x64xbf16>, memref<96x32xbf16>, memref<?x96xf32>
  return
}

// -----

func.func @gemm_device_c3(%a: memref<?x64xbf16>, %b: memref<96x64xf16>, %c: memref<?x96xf32>) {
  // expected-error @+1 {{C3: expected a and b of one type, and c of it or f32}}
  exec.gemm_device %a, %b, %c above 16 : memref<?x64xbf16>, memref<96x64xf16>, memref<?x96xf32>
  return
}

// -----

func.func @gemm_device_c4(%a: memref<?x64xbf16>, %b: memref<96x64xbf16>, %c: memref<?x96xf32>) {
  // expected-error @+1 {{C4: expected above not to be negative, found -1}}
  exec.gemm_device %a, %b, %c above -1 : memref<?x64xbf16>, memref<96x64xbf16>, memref<?x96xf32>
  return
}

// -----

func.func @tensor_map_c1(%x: memref<?x128xbf16>) {
  // expected-error @+1 {{C1: expected a box of as many extents as the tensor, 1 to 5, found 1 for 2}}
  %m = exec.tensor_map %x box [64] : memref<?x128xbf16>
  return
}

// -----

func.func @tensor_map_c1_rank(%x: memref<1x1x1x1x1x8xf32>) {
  // expected-error @+1 {{C1: expected a box of as many extents as the tensor, 1 to 5, found 6 for 6}}
  %m = exec.tensor_map %x box [1, 1, 1, 1, 1, 8] : memref<1x1x1x1x1x8xf32>
  return
}

// -----

func.func @tensor_map_c2(%x: memref<?x128xbf16>) {
  // expected-error @+1 {{C2: expected box extents from 1 to 256, the innermost a multiple of 16 bytes, found [257, 64]}}
  %m = exec.tensor_map %x box [257, 64] : memref<?x128xbf16>
  return
}

// -----

func.func @tensor_map_c2_bytes(%x: memref<?x128xbf16>) {
  // expected-error @+1 {{C2: expected box extents from 1 to 256, the innermost a multiple of 16 bytes, found [8, 4]}}
  %m = exec.tensor_map %x box [8, 4] : memref<?x128xbf16>
  return
}

// -----

func.func @tensor_map_c2_overflow(%x: memref<?x128xbf16>) {
  // expected-error @+1 {{C2: expected box extents from 1 to 256, the innermost a multiple of 16 bytes, found [64, 9223372036854775807]}}
  %m = exec.tensor_map %x box [64, 9223372036854775807] : memref<?x128xbf16>
  return
}

// -----

func.func @tensor_map_c3(%x: memref<?x128xbf16>) {
  // expected-error @+1 {{C3: expected a swizzle of 0, 32, 64 or 128 bytes that holds 128 bytes, found 64}}
  %m = exec.tensor_map %x box [8, 64] swizzle 64 : memref<?x128xbf16>
  return
}

// -----

func.func @tensor_map_c3_other(%x: memref<?x128xbf16>) {
  // expected-error @+1 {{C3: expected a swizzle of 0, 32, 64 or 128 bytes that holds 32 bytes, found 48}}
  %m = exec.tensor_map %x box [8, 16] swizzle 48 : memref<?x128xbf16>
  return
}

// -----

func.func @tensor_map_c4(%x: memref<?x128xbf16>, %n: index) {
  // expected-error @+1 {{C4: expected 1 strides for a view of 2 extents, found 2}}
  %m = exec.tensor_map %x view [%n, %n] strides [%n, %n] box [8, 64] : memref<?x128xbf16>
  return
}

// -----

func.func @tensor_map_c5(%x: memref<?x128xf64>) {
  // expected-error @+1 {{C5: expected elements of f32, f16, bf16, i8 or i32, found 'f64'}}
  %m = exec.tensor_map %x box [8, 16] : memref<?x128xf64>
  return
}

// -----

func.func @tensor_map_c6(%x: memref<8x128xf32, strided<[256, 2]>>) {
  // expected-error @+1 {{C6: expected a static offset and an inner stride of 1 without a view}}
  %m = exec.tensor_map %x box [8, 16] : memref<8x128xf32, strided<[256, 2]>>
  return
}
