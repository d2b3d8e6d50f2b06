// RUN: mm01-opt %s -mm01-shape-tensor-maps -split-input-file -verify-diagnostics | FileCheck %s

// A map of whole tiles becomes one of panels; rows may be spread over dimensions.
// Two kernels that see one map differently get one each, and a map that no copy
// goes through stays.
// CHECK-LABEL: func.func @host
// CHECK-DAG: %[[WIDE:.*]] = exec.tensor_map %{{.*}} box [2, 32, 64] swizzle 128
// CHECK-DAG: %[[NARROW:.*]] = exec.tensor_map %{{.*}} box [2, 32, 16] swizzle 32
// CHECK-DAG: %[[OTHER:.*]] = exec.tensor_map %{{.*}} box [2, 2, 16] :
// CHECK: exec.launch_device @kernels::@wide {{.*}}(%[[WIDE]], %[[OTHER]])
// CHECK: exec.launch_device @kernels::@narrow {{.*}}(%[[NARROW]])
gpu.module @kernels {
  tile.kernel @wide(%map: !exec.tensor_map {tile.box = [64, 64], tile.swizzle = 128 : i64}, %other: !exec.tensor_map) {
    tile.return
  }
  tile.kernel @narrow(%map: !exec.tensor_map {tile.box = [64, 16], tile.swizzle = 32 : i64}) {
    tile.return
  }
}
func.func @host(%x: memref<?x128xbf16>, %n: index) {
  %map = exec.tensor_map %x view [%n, %n, %n] strides [%n, %n] box [2, 32, 128] : memref<?x128xbf16>
  %other = exec.tensor_map %x view [%n, %n, %n] strides [%n, %n] box [2, 2, 16] : memref<?x128xbf16>
  exec.launch_device @kernels::@wide grid(%n, %n, %n) (%map, %other) : !exec.tensor_map, !exec.tensor_map
  exec.launch_device @kernels::@narrow grid(%n, %n, %n) (%map) : !exec.tensor_map
  return
}

// -----

gpu.module @kernels {
  tile.kernel @wide(%map: !exec.tensor_map {tile.box = [64, 64], tile.swizzle = 128 : i64}) {
    tile.return
  }
}
func.func @rows(%x: memref<?x128xbf16>, %n: index) {
  // expected-error @+1 {{has a box of [32, 128], expected 64 rows and columns in panels of 64, which kernel wide copies}}
  %map = exec.tensor_map %x view [%n, %n] strides [%n] box [32, 128] : memref<?x128xbf16>
  exec.launch_device @kernels::@wide grid(%n, %n, %n) (%map) : !exec.tensor_map
  return
}

// -----

// Heads of 48 have panels of 64 columns, of which the tensor has no more than 48: by its view, or by its type.
// CHECK-LABEL: func.func @padded
// CHECK-COUNT-2: exec.tensor_map %{{.*}} box [1, 64, 64] swizzle 128
gpu.module @kernels {
  tile.kernel @padded(%a: !exec.tensor_map {tile.box = [64, 64], tile.swizzle = 128 : i64},
                      %b: !exec.tensor_map {tile.box = [64, 64], tile.swizzle = 128 : i64}) {
    tile.return
  }
}
func.func @padded(%x: memref<?x8x48xbf16>, %y: memref<2x?x48xbf16>, %n: index) {
  %c48 = arith.constant 48 : index
  %a = exec.tensor_map %x view [%n, %n, %c48] strides [%n, %n] box [1, 64, 48] : memref<?x8x48xbf16>
  %b = exec.tensor_map %y box [1, 64, 48] : memref<2x?x48xbf16>
  exec.launch_device @kernels::@padded grid(%n, %n, %n) (%a, %b) : !exec.tensor_map, !exec.tensor_map
  return
}

// -----

// Of more columns, panels would bring those of another tile.
gpu.module @kernels {
  tile.kernel @wide(%map: !exec.tensor_map {tile.box = [64, 64], tile.swizzle = 128 : i64}) {
    tile.return
  }
}
func.func @columns(%x: memref<?x128xbf16>, %n: index) {
  // expected-error @+1 {{has a box of [64, 48], expected 64 rows and columns in panels of 64, which kernel wide copies}}
  %map = exec.tensor_map %x view [%n, %n] strides [%n] box [64, 48] : memref<?x128xbf16>
  exec.launch_device @kernels::@wide grid(%n, %n, %n) (%map) : !exec.tensor_map
  return
}
