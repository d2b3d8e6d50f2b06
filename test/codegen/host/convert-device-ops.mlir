// RUN: mm01-opt %s -mm01-convert-to-llvm | FileCheck %s

llvm.mlir.global internal constant @device.scale() : !llvm.struct<(ptr)> {
  %null = llvm.mlir.zero : !llvm.ptr
  %undef = llvm.mlir.undef : !llvm.struct<(ptr)>
  %record = llvm.insertvalue %null, %undef[0] : !llvm.struct<(ptr)>
  llvm.return %record : !llvm.struct<(ptr)>
}

// Each parameter is a pointer to its value; launch_device is the seventh field
// of the context.
// CHECK-LABEL: llvm.func internal @launch
// CHECK-SAME: (%[[CONTEXT:[^:]*]]: !llvm.ptr, %[[X:[^:]*]]: !llvm.ptr, {{.*}}, %[[N:[^:]*]]: i64, %[[VALUE:[^:]*]]: f32, %[[RAGGED:[^:]*]]: !llvm.ptr, %[[WEIGHT:[^:]*]]: !llvm.ptr, %[[MAP:[^:]*]]: !llvm.ptr)
// CHECK-DAG: llvm.store %[[N]], %[[NSLOT:.*]] : i64, !llvm.ptr
// CHECK-DAG: llvm.store %[[VALUE]], %{{.*}} : f32, !llvm.ptr
// The ragged batch in device memory, and the first part of the weight.
// CHECK-DAG: %[[DEVICE:.*]] = llvm.getelementptr %[[RAGGED]][88]
// CHECK-DAG: llvm.load %[[DEVICE]] invariant
// CHECK-DAG: %[[FIRST:.*]] = llvm.getelementptr %[[WEIGHT]][0]
// CHECK-DAG: llvm.load %[[FIRST]] invariant
// CHECK-DAG: %[[RECORD:.*]] = llvm.mlir.addressof @device.scale
// A tensor map is passed where it lies.
// CHECK-DAG: llvm.store %[[MAP]], %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[CONTEXT]][48]
// CHECK: %[[LAUNCH:.*]] = llvm.load %[[FIELD]] invariant
// CHECK: llvm.call %[[LAUNCH]](%[[CONTEXT]], %[[RECORD]], %{{.*}}, %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
func.func private @launch(%context: !llvm.ptr, %x: memref<f32>, %n: index, %value: f32, %r: !mm01.ragged,
                          %w: !mm01.weight<2x4x8xf32>, %map: !exec.tensor_map) {
  exec.launch_device @device.scale grid(%n, %n, %n) (%x, %n, %value, %r, %w, %map)
      : memref<f32>, index, f32, !mm01.ragged, !mm01.weight<2x4x8xf32>, !exec.tensor_map
  return
}

// The extents and strides of the source, and of a view; 128 bytes at a multiple
// of 64 are written.
// CHECK-LABEL: llvm.func internal @maps
// CHECK-DAG: llvm.alloca %{{.*}} x i8 {alignment = 64 : i64}
// CHECK-DAG: %[[ELEMENT:.*]] = llvm.mlir.constant(2 : i64)
// CHECK-DAG: %[[SWIZZLE:.*]] = llvm.mlir.constant(128 : i64)
// CHECK: llvm.getelementptr %{{.*}}[56]
// CHECK: llvm.call %{{.*}} : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
// CHECK: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
// CHECK: llvm.call %{{.*}} : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
func.func private @maps(%context: !llvm.ptr, %x: memref<?x128xbf16>, %n: index) -> (!exec.tensor_map, !exec.tensor_map) {
  %all = exec.tensor_map %x box [64, 64] swizzle 128 : memref<?x128xbf16>
  %part = exec.tensor_map %x at %n view [%n, %n] strides [%n] box [8, 64] swizzle 128 : memref<?x128xbf16>
  return %all, %part : !exec.tensor_map, !exec.tensor_map
}

// Rows are none where the library does not multiply; gemm_device is the ninth
// field of the context.
// CHECK-LABEL: llvm.func internal @product
// CHECK: %[[LIMIT:.*]] = llvm.mlir.constant(16 : i64)
// CHECK: %[[MANY:.*]] = llvm.icmp "sgt" %[[ROWS:.*]], %[[LIMIT]]
// CHECK: %[[NONE:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: %[[SOME:.*]] = llvm.select %[[MANY]], %[[ROWS]], %[[NONE]]
// CHECK: llvm.store %[[SOME]], %{{.*}} : i64, !llvm.ptr
// CHECK: llvm.getelementptr %{{.*}}[64]
// CHECK: llvm.call %{{.*}} : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> ()
func.func private @product(%context: !llvm.ptr, %a: memref<?x64xbf16>, %b: memref<96x64xbf16>, %c: memref<?x96xf32>) {
  exec.gemm_device %a, %b, %c above 16 : memref<?x64xbf16>, memref<96x64xbf16>, memref<?x96xf32>
  return
}

// A fork, its branches, one behind the other, and a join: the tenth to twelfth
// fields of the context. Sizes are those of the batch in host memory.
// CHECK-LABEL: llvm.func internal @branches
// CHECK: llvm.getelementptr %{{.*}}[72]
// CHECK: llvm.call %{{.*}}(%[[CONTEXT:.*]]) : !llvm.ptr, (!llvm.ptr) -> ()
// CHECK: llvm.getelementptr %{{.*}}[24]
// CHECK: llvm.getelementptr %[[CONTEXT]][48]
// CHECK: llvm.getelementptr %[[CONTEXT]][80]
// CHECK: llvm.call %{{.*}}(%[[CONTEXT]]) : !llvm.ptr, (!llvm.ptr) -> ()
// CHECK: llvm.getelementptr %[[CONTEXT]][48]
// CHECK: llvm.getelementptr %[[CONTEXT]][88]
// CHECK: llvm.call %{{.*}}(%[[CONTEXT]]) : !llvm.ptr, (!llvm.ptr) -> ()
// CHECK-NEXT: llvm.return
func.func private @branches(%context: !llvm.ptr, %r: !mm01.ragged, %n: index) {
  exec.concurrent {
    %several = mm01.ragged_size %r several
    exec.launch_device @device.scale grid(%several, %n, %n) (%r) {exec.sequences = #exec.sequences<several>} : !mm01.ragged
  }, {
    exec.launch_device @device.scale grid(%n, %n, %n) (%r) {exec.sequences = #exec.sequences<single>} : !mm01.ragged
  }
  return
}
