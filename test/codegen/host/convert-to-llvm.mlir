// RUN: mm01-opt %s -mm01-convert-to-llvm | FileCheck %s

// The arena is the third field of the context; indices have 64 bits.
// CHECK-LABEL: llvm.func internal @arena
// CHECK-SAME: (%[[CONTEXT:.*]]: !llvm.ptr, %[[OFFSET:.*]]: i64)
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[CONTEXT]][16]
// CHECK: %[[ARENA:.*]] = llvm.load %[[FIELD]] invariant
// CHECK: llvm.getelementptr %[[ARENA]][%[[OFFSET]]]
func.func private @arena(%context: !llvm.ptr, %offset: index) -> f32 {
  %c0 = arith.constant 0 : index
  %x = exec.arena at %offset (%offset) : memref<?xf32>
  %y = memref.load %x[%c0] : memref<?xf32>
  return %y : f32
}

// CHECK-LABEL: llvm.func internal @scratch
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %[[SCRATCH:.*]]: !llvm.ptr)
// CHECK: %[[OFFSET:.*]] = llvm.mlir.constant(128 : i64)
// CHECK: llvm.getelementptr %[[SCRATCH]][%[[OFFSET]]]
func.func private @scratch(%context: !llvm.ptr, %scratch: !llvm.ptr) -> f32 {
  %c0 = arith.constant 0 : index
  %x = exec.scratch at 128 () : memref<4xf32>
  %y = memref.load %x[%c0] : memref<4xf32>
  return %y : f32
}

// A refused result leaves the entry with 1.
// CHECK-LABEL: llvm.func @mm01_entry_result
// CHECK: %[[SHAPE:.*]] = llvm.alloca
// CHECK: %[[MEMORY:.*]] = llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %[[SHAPE]]) : !llvm.ptr, (!llvm.ptr, i64, i64, !llvm.ptr) -> !llvm.ptr
// CHECK: %[[NULL:.*]] = llvm.mlir.zero
// CHECK: %[[REFUSED:.*]] = llvm.icmp "eq" %[[MEMORY]], %[[NULL]]
// CHECK: llvm.cond_br %[[REFUSED]], ^[[LEAVE:.*]], ^
// CHECK: ^[[LEAVE]]:
// CHECK-NEXT: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK-NEXT: llvm.return %[[ONE]]
llvm.func @mm01_entry_result(%context: !llvm.ptr, %arguments: !llvm.ptr) -> i32 {
  %x = exec.result 0 () : memref<2x3xf32>
  %done = llvm.mlir.constant(0 : i32) : i32
  llvm.return %done : i32
}

// An element of the page table: row times pages plus column, widened.
// CHECK-LABEL: llvm.func internal @ragged
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %[[RAGGED:.*]]: !llvm.ptr, %[[N:.*]]: i64)
// CHECK: %[[PAGES_FIELD:.*]] = llvm.getelementptr %[[RAGGED]][16]
// CHECK: %[[PAGES:.*]] = llvm.load %[[PAGES_FIELD]] invariant
// CHECK: %[[ROW:.*]] = llvm.mul %[[N]], %[[PAGES]]
// CHECK: llvm.add %[[ROW]], %[[N]]
// CHECK: llvm.sext %{{.*}} : i32 to i64
func.func private @ragged(%context: !llvm.ptr, %r: !mm01.ragged, %n: index) -> index {
  %page = mm01.ragged_get %r page_table[%n, %n]
  return %page : index
}

// Part e of a weight is the e-th pointer of a table.
// CHECK-LABEL: llvm.func internal @weight
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %[[TABLE:.*]]: !llvm.ptr, %[[E:.*]]: i64)
// CHECK: %[[ENTRY:.*]] = llvm.getelementptr %[[TABLE]][%[[E]]] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
func.func private @weight(%context: !llvm.ptr, %w: !mm01.weight<2x4x8xf32>, %e: index) -> f32 {
  %c0 = arith.constant 0 : index
  %p = exec.weight_part %w[%e] : !mm01.weight<2x4x8xf32> -> memref<4x8xf32>
  %x = memref.load %p[%c0, %c0] : memref<4x8xf32>
  return %x : f32
}

// The scales of a part stand behind the pointers to all parts.
// CHECK-LABEL: llvm.func internal @scales
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %[[TABLE:.*]]: !llvm.ptr, %[[E:.*]]: i64)
// CHECK: %[[PARTS:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: %[[NUMBER:.*]] = llvm.add %[[E]], %[[PARTS]]
// CHECK: llvm.getelementptr %[[TABLE]][%[[NUMBER]]] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
func.func private @scales(%context: !llvm.ptr, %w: !mm01.weight<2x4x8xi8>, %e: index) -> f32 {
  %c0 = arith.constant 0 : index
  %s = exec.weight_scales %w[%e] : !mm01.weight<2x4x8xi8> -> memref<4xf32>
  %x = memref.load %s[%c0] : memref<4xf32>
  return %x : f32
}

// CHECK-LABEL: llvm.func internal @gemm
// CHECK: llvm.getelementptr %{{.*}}[40]
// CHECK: llvm.call %{{.*}} : !llvm.ptr, (!llvm.ptr, i64, i64, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64, i32) -> ()
func.func private @gemm(%context: !llvm.ptr, %a: memref<2x8xf32>, %b: memref<4x8xf32>, %c: memref<2x4xf32>) {
  exec.gemm %a, %b, %c accumulate : memref<2x8xf32>, memref<4x8xf32>, memref<2x4xf32>
  return
}

// An instruction where there is one, libm where not.
// CHECK-LABEL: llvm.func internal @math
// CHECK: llvm.intr.fma
// CHECK: llvm.call @erfc
func.func private @math(%context: !llvm.ptr, %x: f64) -> f64 {
  %y = math.fma %x, %x, %x : f64
  %z = math.erfc %y : f64
  return %z : f64
}
