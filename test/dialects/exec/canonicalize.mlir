// RUN: mm01-opt %s -canonicalize -cse | FileCheck %s

func.func private @kernel(%workgroup: index) attributes {exec.kernel} {
  return
}

// A grid of nothing does nothing.
// CHECK-LABEL: func.func @empty_grid
// CHECK-NOT: exec.launch
func.func @empty_grid() {
  %c0 = arith.constant 0 : index
  exec.launch @kernel grid(%c0) ()
  return
}

// Any other grid stays.
// CHECK-LABEL: func.func @some_grid
// CHECK: exec.launch
func.func @some_grid() {
  %c1 = arith.constant 1 : index
  exec.launch @kernel grid(%c1) ()
  return
}

// Two views of one place are one view; results are not.
// CHECK-LABEL: func.func @views
// CHECK-COUNT-1: exec.arena
// CHECK-NOT: exec.arena
// CHECK-COUNT-2: exec.result
func.func @views(%offset: index) -> (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>) {
  %a = exec.arena at %offset () : memref<4xf32>
  %b = exec.arena at %offset () : memref<4xf32>
  %c = exec.result 0 () : memref<4xf32>
  %d = exec.result 1 () : memref<4xf32>
  return %a, %b, %c, %d : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>
}

// A result that nobody writes to is asked for all the same.
// CHECK-LABEL: func.func @unwritten
// CHECK: exec.result 0
func.func @unwritten() attributes {exec.results = [#exec.fresh<"" : memref<4xf32>>]} {
  %a = exec.result 0 () : memref<4xf32>
  return
}

gpu.module @kernels {
  func.func @nothing() {
    return
  }
}

// Nor does a grid of nothing on a GPU, in any direction.
// CHECK-LABEL: func.func @empty_device_grid
// CHECK-NOT: exec.launch_device
// CHECK: return
func.func @empty_device_grid(%n: index) {
  %c0 = arith.constant 0 : index
  exec.launch_device @kernels::@nothing grid(%n, %c0, %n) ()
  return
}

// CHECK-LABEL: func.func @some_device_grid
// CHECK: exec.launch_device
func.func @some_device_grid(%n: index) {
  exec.launch_device @kernels::@nothing grid(%n, %n, %n) ()
  return
}
