// REQUIRES: ptxas
// RUN: mm01-opt %s -mm01-serialize-kernels | FileCheck %s

// PTX, machine code and a record: name, images, block and cluster, shared
// memory. A launch names the record.
// CHECK-NOT: gpu.module
// CHECK: llvm.mlir.global internal constant @device.scale_row.name("scale_row\00")
// CHECK: llvm.mlir.global internal constant @device.scale_row.ptx("{{.*}}.target sm_90a{{.*}}.entry scale_row(
// CHECK: llvm.mlir.global internal constant @device.scale_row.cubin("\7FELF
// CHECK: llvm.mlir.global internal constant @device.scale_row() {{.*}} : !llvm.struct<(ptr, ptr, ptr, i64, array<3 x i64>, array<3 x i64>, i64)>
// CHECK-DAG: llvm.mlir.constant(128 : i64)
// CHECK-DAG: llvm.mlir.constant(2 : i64)
// CHECK-DAG: llvm.mlir.constant(65536 : i64)
// A second kernel has images of its own.
// CHECK: llvm.mlir.global internal constant @device.nothing.ptx("
// CHECK-NOT: .entry scale_row
// CHECK: llvm.mlir.global internal constant @device.nothing()
gpu.module @kernels {
  llvm.func @scale.row(%x: !llvm.ptr) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>,
      nvvm.cluster_dim = array<i32: 2, 1, 1>, exec.dynamic_shared_bytes = 65536 : i64} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %place = llvm.getelementptr %x[%thread] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %v = llvm.load %place : !llvm.ptr -> f32
    %w = llvm.fadd %v, %v : f32
    llvm.store %w, %place : f32, !llvm.ptr
    llvm.return
  }
  llvm.func @nothing() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    llvm.return
  }
}

// CHECK-LABEL: func.func @host
// CHECK: exec.launch_device @device.scale_row grid(
func.func @host(%x: memref<f32>, %n: index) {
  exec.launch_device @kernels::@scale.row grid(%n, %n, %n) (%x) : memref<f32>
  return
}
