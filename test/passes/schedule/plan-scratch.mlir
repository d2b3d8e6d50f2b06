// RUN: mm01-opt %s -split-input-file -mm01-plan-scratch -verify-diagnostics | FileCheck %s

// Up to 1 KiB on the stack, at the entry; more in scratch, one place behind the other.
// CHECK-LABEL: func.func private @places
// CHECK-SAME: exec.scratch_bytes = 5184 : i64
// CHECK-NEXT: memref.alloca() : memref<256xf32>
// CHECK: scf.for
// CHECK: exec.scratch at 0() : memref<257xf32>
// CHECK: exec.scratch at 1088() : memref<64x16xf32>
func.func private @places(%workgroup: index) attributes {exec.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %workgroup step %c1 {
    %small = memref.alloc() : memref<256xf32>
    %large = memref.alloc() : memref<257xf32>
    %tile = memref.alloc() : memref<64x16xf32>
  }
  return
}

// -----

// A size that a constant bounds takes the bound.
// CHECK-LABEL: func.func private @bounded
// CHECK-SAME: exec.scratch_bytes = 4096 : i64
// CHECK: %[[ROWS:.*]] = arith.minsi
// CHECK: exec.scratch at 0(%[[ROWS]]) : memref<?x64xf32>
func.func private @bounded(%workgroup: index, %n: index) attributes {exec.kernel} {
  %c16 = arith.constant 16 : index
  %rows = arith.minsi %n, %c16 : index
  %tile = memref.alloc(%rows) : memref<?x64xf32>
  return
}

// -----

// The host's buffers are the arena's.
// CHECK-LABEL: func.func @host
// CHECK: memref.alloc()
func.func @host() {
  %x = memref.alloc() : memref<4096xf32>
  return
}

// -----

func.func private @unbounded(%workgroup: index, %n: index) attributes {exec.kernel} {
  // expected-error @+1 {{buffer of a kernel has an extent without a constant bound}}
  %tile = memref.alloc(%n) : memref<?x64xf32>
  return
}

// -----

func.func private @too_large(%workgroup: index) attributes {exec.kernel} {
  // expected-error @+1 {{buffer of a kernel is too large}}
  %tile = memref.alloc() : memref<4611686018427387904x64xf32>
  return
}
