// RUN: mm01-opt %s -split-input-file -verify-diagnostics

func.func private @plain(%workgroup: index) {
  return
}
// A launch names a kernel, not any function.
func.func @launch_c1(%n: index) {
  // expected-error @+1 {{C1: @plain is no function with the attribute 'exec.kernel'}}
  exec.launch @plain grid(%n) ()
  return
}

// -----

func.func private @kernel(%workgroup: index, %x: memref<?xf32>) attributes {exec.kernel} {
  return
}
func.func @launch_c2(%n: index) {
  // expected-error @+1 {{C2: kernel @kernel takes ('memref<?xf32>'), found ('index')}}
  exec.launch @kernel grid(%n) (%n) : index
  return
}

// -----

func.func @gemm_c1(%a: memref<4x8xf32, strided<[1, 4]>>, %b: memref<4x8xf32>, %c: memref<4x4xf32>) {
  // expected-error @+1 {{C1: expected an inner stride of 1}}
  exec.gemm %a, %b, %c : memref<4x8xf32, strided<[1, 4]>>, memref<4x8xf32>, memref<4x4xf32>
  return
}

// -----

func.func @gemm_c2(%a: memref<4x8xf32>, %b: memref<4x9xf32>, %c: memref<4x4xf32>) {
  // expected-error @+1 {{C2: expected a[m, k], b[n, k] and c[m, n]}}
  exec.gemm %a, %b, %c : memref<4x8xf32>, memref<4x9xf32>, memref<4x4xf32>
  return
}

// -----

func.func @arena_c1(%n: index) {
  // expected-error @+1 {{C1: 'memref<?xf32>' has 1 dynamic extents, found 0 sizes}}
  %view = exec.arena at %n () : memref<?xf32>
  return
}

// -----

func.func @arena_c2(%n: index) {
  // expected-error @+1 {{C2: expected no layout}}
  %view = exec.arena at %n () : memref<4xf32, strided<[2]>>
  return
}

// -----

func.func @scratch_c1(%n: index) {
  // expected-error @+1 {{C1: 'memref<4xf32>' has 0 dynamic extents, found 1 sizes}}
  %view = exec.scratch at 0 (%n) : memref<4xf32>
  return
}

// -----

func.func @scratch_c2() {
  // expected-error @+1 {{C2: expected no layout}}
  %view = exec.scratch at 0 () : memref<4xf32, strided<[2]>>
  return
}

// -----

func.func @scratch_c3() {
  // expected-error @+1 {{C3: expected an offset that is a multiple of 64, found 8}}
  %view = exec.scratch at 8 () : memref<4xf32>
  return
}

// -----

func.func @scratch_c3_negative() {
  // expected-error @+1 {{C3: expected an offset that is a multiple of 64, found -64}}
  %view = exec.scratch at -64 () : memref<4xf32>
  return
}

// -----

func.func @result_c1() {
  // expected-error @+1 {{C1: 'memref<?xf32>' has 1 dynamic extents, found 0 sizes}}
  %view = exec.result 0 () : memref<?xf32>
  return
}

// -----

func.func @result_c2() {
  // expected-error @+1 {{C2: expected no layout}}
  %view = exec.result 0 () : memref<4xf32, strided<[2]>>
  return
}

// -----

func.func @weight_part_c1(%w: !mm01.weight<4x96x64xbf16>, %e: index) {
  // expected-error @+1 {{C1: expected 'memref<96x64xbf16>', found 'memref<64x96xbf16>'}}
  %p = exec.weight_part %w[%e] : !mm01.weight<4x96x64xbf16> -> memref<64x96xbf16>
  return
}

// -----

func.func @weight_scales_c1(%w: !mm01.weight<4x96x64xbf16>, %e: index) {
  // expected-error @+1 {{C1: expected a weight of i8, found '!mm01.weight<4x96x64xbf16>'}}
  %s = exec.weight_scales %w[%e] : !mm01.weight<4x96x64xbf16> -> memref<96xf32>
  return
}

// -----

func.func @weight_scales_c2(%w: !mm01.weight<4x96x64xi8>, %e: index) {
  // expected-error @+1 {{C2: expected 'memref<96xf32>', found 'memref<64xf32>'}}
  %s = exec.weight_scales %w[%e] : !mm01.weight<4x96x64xi8> -> memref<64xf32>
  return
}
