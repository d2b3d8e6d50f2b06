// RUN: mm01-opt %s -mm01-offload-kernels -split-input-file | FileCheck %s

// A buffer is passed as its first element and the extents that are open; the
// workgroup is the block. Constants go along; scratch is shared memory.
// CHECK: gpu.module @kernels
// CHECK: memref.global "private" constant @table
// CHECK-LABEL: func.func @scale
// CHECK-SAME: (%[[X:.*]]: memref<f32>, %[[ROWS:.*]]: index, %[[COLUMNS:.*]]: index, %[[Y:.*]]: memref<bf16>, %[[N:.*]]: index, %[[R:.*]]: !mm01.ragged)
// CHECK-SAME: exec.dynamic_shared_bytes = 256 : i64
// CHECK-NOT: exec.kernel
// CHECK-DAG: %[[I:.*]] = gpu.block_id x
// CHECK-DAG: memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[ROWS]], %[[COLUMNS]]], strides: [%{{.*}}, 1] : memref<f32> to memref<?x?xf32>
// CHECK-DAG: memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [4, 8], strides: [8, 1] : memref<bf16> to memref<4x8xbf16>
// CHECK: memref.load %{{.*}}[%[[I]], %[[N]]]
memref.global "private" constant @table : memref<2xf64> = dense<[1.0, 2.0]>
func.func private @scale(%workgroup: index, %x: memref<?x?xf32>, %y: memref<4x8xbf16>, %n: index, %r: !mm01.ragged)
    attributes {exec.kernel, exec.scratch_bytes = 256 : i64} {
  %table = memref.get_global @table : memref<2xf64>
  %c0 = arith.constant 0 : index
  %f = memref.load %table[%c0] : memref<2xf64>
  %v = memref.load %x[%workgroup, %n] : memref<?x?xf32>
  memref.store %v, %x[%n, %n] : memref<?x?xf32>
  %s = exec.scratch at 0 () : memref<64xf32>
  memref.store %v, %s[%n] : memref<64xf32>
  return
}

// CHECK-LABEL: func.func @host
// CHECK-SAME: (%[[X:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<4x8xbf16>, %[[N:.*]]: index, %[[R:.*]]: !mm01.ragged)
// CHECK-DAG: %[[XBASE:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [], strides: [] : memref<?x?xf32> to memref<f32>
// CHECK-DAG: %[[ROWS:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG: %[[COLUMNS:.*]] = memref.dim %[[X]], %c1
// CHECK-DAG: %[[YBASE:.*]] = memref.reinterpret_cast %[[Y]]
// CHECK: exec.launch_device @kernels::@scale grid(%[[N]], %{{.*}}, %{{.*}}) (%[[XBASE]], %[[ROWS]], %[[COLUMNS]], %[[YBASE]], %[[N]], %[[R]]) {exec.sequences = #exec.sequences<single>}
func.func @host(%x: memref<?x?xf32>, %y: memref<4x8xbf16>, %n: index, %r: !mm01.ragged) {
  exec.launch @scale grid(%n) (%x, %y, %n, %r) {exec.sequences = #exec.sequences<single>} : memref<?x?xf32>, memref<4x8xbf16>, index, !mm01.ragged
  return
}

// -----

// Nothing to do is nothing done.
// CHECK-NOT: gpu.module
// CHECK-LABEL: func.func @nothing
func.func @nothing(%n: index) {
  return
}
