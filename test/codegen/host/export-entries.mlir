// RUN: mm01-opt %s -split-input-file -mm01-export-entries -verify-diagnostics | FileCheck %s

// The arena's size from the shape of argument 0 and the tokens of argument 1: offsets are those of runtime/abi/program.h.
// CHECK-LABEL: llvm.func @mm01_arena_forward
// CHECK-SAME: (%[[ARGS:.*]]: !llvm.ptr) -> i64
// CHECK: %[[SHAPE_FIELD:.*]] = llvm.getelementptr %[[ARGS]][8]
// CHECK: %[[SHAPE:.*]] = llvm.load %[[SHAPE_FIELD]] invariant
// CHECK: llvm.getelementptr %[[SHAPE]][0]
// CHECK: llvm.getelementptr %[[ARGS]][16]
// CHECK: %[[BYTES:.*]] = arith.maxsi
// CHECK: %[[RESULT:.*]] = arith.index_cast %[[BYTES]] : index to i64
// CHECK: llvm.return %[[RESULT]]

// The entry reads its arguments, passes its context on and returns 0.
// CHECK-LABEL: llvm.func @mm01_entry_forward
// CHECK-SAME: (%[[CONTEXT:.*]]: !llvm.ptr, %[[ARGS:.*]]: !llvm.ptr) -> i32
// CHECK: %[[X:.*]] = builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<{{.*}}> to memref<?x8xf32>
// CHECK: %[[R:.*]] = builtin.unrealized_conversion_cast %{{.*}} : !llvm.ptr to !mm01.ragged
// CHECK: %[[N:.*]] = builtin.unrealized_conversion_cast %{{.*}} : i64 to index
// CHECK: call @layer(%[[CONTEXT]], %[[X]], %[[R]], %[[N]])
// CHECK: %[[DONE:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.return %[[DONE]]
func.func @forward(%x: memref<?x8xf32>, %r: !mm01.ragged, %n: index) attributes {
    exec.frame = #exec.frame<()[s0, s1] -> (s0 * 64, s1 * 128), arguments = [0, 1], extents = [0, 0]>,
    exec.results = []} {
  call @layer(%x, %r, %n) : (memref<?x8xf32>, !mm01.ragged, index) -> ()
  return
}
// CHECK-LABEL: func.func private @layer
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %{{.*}}: memref<?x8xf32>, %{{.*}}: !mm01.ragged, %{{.*}}: index)
func.func private @layer(%x: memref<?x8xf32>, %r: !mm01.ragged, %n: index) {
  return
}

// -----

// Declarations of parameters go away.
// CHECK-NOT: mm01.parameter
mm01.parameter @w : !mm01.weight<8xf32> from [#mm01.source<"w" : 8>]

// -----

// expected-error @+1 {{public function has no 'exec.frame', expected a scheduled module}}
func.func @not_scheduled() attributes {exec.results = []} {
  return
}
