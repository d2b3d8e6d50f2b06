// RUN: mm01-opt %s -split-input-file -mm01-pack-launches -verify-diagnostics | FileCheck %s

// A memref crosses as its pointer and what its type leaves open; the structure is on the stack of the function's entry.
// CHECK-LABEL: func.func private @host
// CHECK-SAME: (%[[CONTEXT:.*]]: !llvm.ptr, %{{.*}}: memref<?x8xf32, strided<[?, 1], offset: ?>>, %[[N:.*]]: index)
// CHECK: %[[PACKED:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, i64, i64, i64, i64)>
// CHECK: scf.for
// CHECK-COUNT-5: llvm.store
// CHECK: %[[LAUNCH_FIELD:.*]] = llvm.getelementptr %[[CONTEXT]][24]
// CHECK: %[[LAUNCH:.*]] = llvm.load %[[LAUNCH_FIELD]]
// CHECK: %[[KERNEL:.*]] = llvm.mlir.addressof @k : !llvm.ptr
// CHECK: %[[NAME:.*]] = llvm.mlir.addressof @k.name : !llvm.ptr
// CHECK: %[[SCRATCH:.*]] = llvm.mlir.constant(4096 : i64)
// CHECK: llvm.call %[[LAUNCH]](%[[CONTEXT]], %[[KERNEL]], %[[NAME]], %{{.*}}, %[[PACKED]], %[[SCRATCH]])
func.func private @host(%context: !llvm.ptr, %x: memref<?x8xf32, strided<[?, 1], offset: ?>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    exec.launch @k grid(%n) (%x, %n) : memref<?x8xf32, strided<[?, 1], offset: ?>>, index
  }
  return
}

// CHECK: llvm.mlir.global internal constant @k.name("k\00")
// CHECK: llvm.func internal @k(%[[CTX:.*]]: !llvm.ptr, %[[ARGS:.*]]: !llvm.ptr, %[[SCR:.*]]: !llvm.ptr, %[[WG:.*]]: i64)
// CHECK-SAME: passthrough = ["mm01-kernel"]
// CHECK-COUNT-5: llvm.load
// CHECK: call @k.body(%[[CTX]], %[[SCR]], %[[WG]]
// CHECK: llvm.return
// CHECK-LABEL: func.func private @k.body
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.noalias}, %[[INNER:.*]]: i64, %{{.*}}: !llvm.ptr {llvm.noalias}
// CHECK: arith.index_cast %[[INNER]] : i64 to index
func.func private @k(%workgroup: index, %x: memref<?x8xf32, strided<[?, 1], offset: ?>>, %n: index)
    attributes {exec.kernel, exec.scratch_bytes = 4096 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%workgroup, %n] : memref<?x8xf32, strided<[?, 1], offset: ?>>
  return
}

// -----

func.func private @k(%workgroup: index) attributes {exec.kernel} {
  return
}
func.func @no_context(%n: index) {
  // expected-error @+1 {{function around the launch has no context, expected mm01-export-entries before}}
  exec.launch @k grid(%n) ()
  return
}

// -----

// expected-error @+1 {{expected a strided layout}}
func.func private @k(%workgroup: index, %x: memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>>) attributes {exec.kernel} {
  return
}
