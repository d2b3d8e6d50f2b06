// RUN: mm01-opt %s -split-input-file -mm01-verify-in-place -verify-diagnostics

// A cache that is passed on and written in slices: nothing to say.
func.func private @layer(%keys: memref<1x?x64x2x32xf32>, %row: memref<32xf32>) {
  %slice = memref.subview %keys[0, 0, 0, 0, 0] [1, 1, 1, 1, 32] [1, 1, 1, 1, 1]
      : memref<1x?x64x2x32xf32> to memref<32xf32, strided<[1]>>
  memref.copy %row, %slice : memref<32xf32> to memref<32xf32, strided<[1]>>
  return
}
func.func @in_place(%keys: memref<1x?x64x2x32xf32> {mm01.role = "keys"}, %row: memref<32xf32>) {
  call @layer(%keys, %row) : (memref<1x?x64x2x32xf32>, memref<32xf32>) -> ()
  return
}

// -----

// A buffer of another role may be allocated and copied.
func.func @other_role(%x: memref<?x64xf32> {mm01.role = "hidden"}, %n: index) {
  %y = memref.alloc(%n) : memref<?x64xf32>
  memref.copy %x, %y : memref<?x64xf32> to memref<?x64xf32>
  return
}

// -----

func.func @allocated(%state: memref<7x?x4x32x32xf32> {mm01.role = "lightning_state"}, %n: index) {
  // expected-error @+1 {{allocates a buffer of a cache's type}}
  %y = memref.alloc(%n) : memref<7x?x4x32x32xf32>
  return
}

// -----

// In a function that gets the cache by a call, under a less static type.
func.func private @layer(%values: memref<?x?x64x2x32xf32>, %other: memref<?x?x64x2x32xf32>) {
  // expected-error @+1 {{copies a buffer of a cache's type}}
  memref.copy %other, %values : memref<?x?x64x2x32xf32> to memref<?x?x64x2x32xf32>
  return
}
func.func @copied_in_callee(%values: memref<1x?x64x2x32xf32> {mm01.role = "values"}, %other: memref<?x?x64x2x32xf32>) {
  %cast = memref.cast %values : memref<1x?x64x2x32xf32> to memref<?x?x64x2x32xf32>
  call @layer(%cast, %other) : (memref<?x?x64x2x32xf32>, memref<?x?x64x2x32xf32>) -> ()
  return
}
