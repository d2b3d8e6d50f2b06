// RUN: mm01-opt %s --pass-pipeline='builtin.module(gpu.module(func.func(mm01-distribute-threads)))' -split-input-file -verify-diagnostics | FileCheck %s

// The warps of a block share the iterations, the lanes of a warp the sum: eight
// neighbours each, which are 16 bytes at multiples of 16, and shuffles alone.
// CHECK-LABEL: func.func @rows
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: gpu.barrier
// CHECK: %[[WARP:.*]] = arith.divui %[[THREAD]]
// CHECK: %[[LANE:.*]] = arith.remui %[[THREAD]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]]
// CHECK: scf.for %[[N:.*]] = %[[WARP]] to
// CHECK: %[[MINE:.*]] = arith.muli %[[LANE]], %{{.*}}
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK: vector.load %{{.*}}[%[[N]], %[[K]]] {alignment = 16 : i64} : memref<64x512xbf16>, vector<8xbf16>
// CHECK-COUNT-8: arith.addf
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.barrier
// CHECK: nvvm.bar.warp.sync
// CHECK: scf.if %[[FIRST]]
// CHECK: memref.store
// CHECK: nvvm.bar.warp.sync
// CHECK: gpu.barrier
// CHECK-NOT: scf.forall
gpu.module @kernels {
  func.func @rows(%w: memref<64x512xbf16>, %out: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c512 = arith.constant 512 : index
    %zero = arith.constant 0.0 : f32
    scf.forall (%n) in (64) {
      %sum = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zero) -> f32 {
        %e = memref.load %w[%n, %k] : memref<64x512xbf16>
        %wide = arith.extf %e : bf16 to f32
        %next = arith.addf %s, %wide fastmath<reassoc> : f32
        scf.yield %next : f32
      }
      memref.store %sum, %out[%n] : memref<64xf32>
    } {mapping = [#gpu.warp<linear_dim_0>]}
    return
  }
}

// -----

// Rows of 520 elements lie at multiples of 16 bytes, too; of 516 they do not,
// and of 513 no eight neighbours are whole.
// CHECK-LABEL: func.func @steps
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<4x520xbf16>
// CHECK: vector.load
// CHECK-NOT: alignment
// CHECK-SAME: : memref<4x516xbf16, strided<[516, 1]>>, vector<8xbf16>
// CHECK: memref.load %{{.*}} : memref<4x513xbf16>
gpu.module @kernels {
  func.func @steps(%a: memref<4x520xbf16>, %b: memref<4x516xbf16, strided<[516, 1]>>, %c: memref<4x513xbf16>, %out: memref<3xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c512 = arith.constant 512 : index
    %c513 = arith.constant 513 : index
    %zero = arith.constant 0.0 : f32
    %x = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zero) -> f32 {
      %e = memref.load %a[%n, %k] : memref<4x520xbf16>
      %wide = arith.extf %e : bf16 to f32
      %next = arith.addf %s, %wide fastmath<reassoc> : f32
      scf.yield %next : f32
    }
    memref.store %x, %out[%c0] : memref<3xf32>
    %y = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zero) -> f32 {
      %e = memref.load %b[%n, %k] : memref<4x516xbf16, strided<[516, 1]>>
      %wide = arith.extf %e : bf16 to f32
      %next = arith.addf %s, %wide fastmath<reassoc> : f32
      scf.yield %next : f32
    }
    memref.store %y, %out[%c1] : memref<3xf32>
    %z = scf.for %k = %c0 to %c513 step %c1 iter_args(%s = %zero) -> f32 {
      %e = memref.load %c[%n, %k] : memref<4x513xbf16>
      %wide = arith.extf %e : bf16 to f32
      %next = arith.addf %s, %wide fastmath<reassoc> : f32
      scf.yield %next : f32
    }
    memref.store %z, %out[%c2] : memref<3xf32>
    return
  }
}

// -----

// A part of a row that begins at a multiple of 16 bytes, which no type says, and
// one of which that is not known.
// CHECK-LABEL: func.func @parts
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<512xf32, strided<[1], offset: ?>>, vector<8xf32>
// CHECK: vector.load
// CHECK-NOT: alignment
// CHECK-SAME: : memref<512xf32, strided<[1], offset: ?>>, vector<8xf32>
gpu.module @kernels {
  func.func @parts(%a: memref<4x4096xf32>, %out: memref<2xf32>, %n: index, %p: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c512 = arith.constant 512 : index
    %zero = arith.constant 0.0 : f32
    %first = arith.muli %p, %c512 : index
    %known = memref.subview %a[%n, %first] [1, 512] [1, 1] : memref<4x4096xf32> to memref<512xf32, strided<[1], offset: ?>>
    %any = memref.subview %a[%n, %p] [1, 512] [1, 1] : memref<4x4096xf32> to memref<512xf32, strided<[1], offset: ?>>
    %x = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zero) -> f32 {
      %e = memref.load %known[%k] : memref<512xf32, strided<[1], offset: ?>>
      %next = arith.addf %s, %e fastmath<reassoc> : f32
      scf.yield %next : f32
    }
    memref.store %x, %out[%c0] : memref<2xf32>
    %y = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zero) -> f32 {
      %e = memref.load %any[%k] : memref<512xf32, strided<[1], offset: ?>>
      %next = arith.addf %s, %e fastmath<reassoc> : f32
      scf.yield %next : f32
    }
    memref.store %y, %out[%c1] : memref<2xf32>
    return
  }
}

// -----

// A warp has no warps to share among.
gpu.module @kernels {
  func.func @nested(%out: memref<64xf32>, %v: f32) {
    scf.forall (%i) in (8) {
      // expected-error @+1 {{for warps: expected a bufferized loop of one dimension from 0 in steps of 1, not inside another}}
      scf.forall (%j) in (8) {
        memref.store %v, %out[%j] : memref<64xf32>
      } {mapping = [#gpu.warp<linear_dim_0>]}
    } {mapping = [#gpu.warp<linear_dim_0>]}
    return
  }
}
