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
