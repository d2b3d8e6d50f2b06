// RUN: mm01-opt %s --pass-pipeline='builtin.module(gpu.module(func.func(mm01-distribute-threads)))' -split-input-file | FileCheck %s

// 128 rows of 32 columns: eight threads have a row, each four columns of four rows, 32 apart. All loads come before
// all stores.
// CHECK-LABEL: func.func @update_and_sum
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: %[[SLOTS:.*]] = exec.scratch at 0() : memref<256xf32>
// CHECK: gpu.barrier
// CHECK: %[[GROUP:.*]] = arith.remui %[[THREAD]], %c8{{.*}} :
// CHECK: %[[ROW:.*]] = arith.divui %[[THREAD]], %c8{{.*}} :
// CHECK-NOT: memref.store
// CHECK-COUNT-16: memref.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<128x32xf32>
// CHECK-NOT: memref.load
// CHECK-COUNT-16: memref.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : memref<128x32xf32>
// Four rows of a warp's lanes, then eight warps.
// CHECK-COUNT-8: gpu.shuffle xor
// CHECK-COUNT-4: memref.store %{{.*}}, %[[SLOTS]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[SUM:.*]][%[[THREAD]]] : memref<32xf32>
// CHECK-COUNT-8: memref.load %[[SLOTS]]
// CHECK: memref.store %{{.*}}, %[[SUM]][%[[THREAD]]]
// CHECK: gpu.barrier
// CHECK-NOT: linalg
gpu.module @kernels {
  func.func @update_and_sum(%k: f32, %x: memref<128x32xf32>, %sum: memref<32xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                    iterator_types = ["reduction", "parallel"]}
        outs(%x, %sum : memref<128x32xf32>, memref<32xf32>) {
    ^bb0(%a: f32, %total: f32):
      %b = arith.mulf %a, %k : f32
      %c = arith.addf %total, %b fastmath<reassoc> : f32
      linalg.yield %b, %c : f32, f32
    }
    return
  }
}

// -----

// 48 rows are no multiple of what 256 threads have at once: a thread a column.
// CHECK-LABEL: func.func @uneven
// CHECK-NOT: gpu.shuffle
// CHECK: scf.for
// CHECK: scf.for
gpu.module @kernels {
  func.func @uneven(%x: memref<48x32xf32>, %sum: memref<32xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                    iterator_types = ["reduction", "parallel"]}
        ins(%x : memref<48x32xf32>) outs(%sum : memref<32xf32>) {
    ^bb0(%a: f32, %total: f32):
      %c = arith.addf %total, %a fastmath<reassoc> : f32
      linalg.yield %c : f32
    }
    return
  }
}

// -----

// So it is where elements are rewritten, too: in the loop, while the sum is carried.
// CHECK-LABEL: func.func @uneven_update
// CHECK: scf.for
// CHECK: %[[OLD:.*]] = memref.load %[[SUM:.*]][%{{.*}}] : memref<32xf32>
// CHECK: %[[TOTAL:.*]] = scf.for %[[ROW:.*]] = %{{.*}} iter_args(%{{.*}} = %[[OLD]])
// CHECK: memref.load %[[X:.*]][%[[ROW]],
// CHECK: memref.store %{{.*}}, %[[X]][%[[ROW]],
// CHECK: scf.yield
// CHECK: memref.store %[[TOTAL]], %[[SUM]]
// CHECK-NOT: memref.store
// CHECK: return
gpu.module @kernels {
  func.func @uneven_update(%k: f32, %x: memref<48x32xf32>, %sum: memref<32xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                    iterator_types = ["reduction", "parallel"]}
        outs(%x, %sum : memref<48x32xf32>, memref<32xf32>) {
    ^bb0(%a: f32, %total: f32):
      %b = arith.mulf %a, %k : f32
      %c = arith.addf %total, %b fastmath<reassoc> : f32
      linalg.yield %b, %c : f32, f32
    }
    return
  }
}

// -----

// A sum that may not be reordered is one thread's from the first row to the last.
// CHECK-LABEL: func.func @ordered
// CHECK-NOT: gpu.shuffle
gpu.module @kernels {
  func.func @ordered(%x: memref<128x32xf32>, %sum: memref<32xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                    iterator_types = ["reduction", "parallel"]}
        ins(%x : memref<128x32xf32>) outs(%sum : memref<32xf32>) {
    ^bb0(%a: f32, %total: f32):
      %c = arith.addf %total, %a : f32
      linalg.yield %c : f32
    }
    return
  }
}

// -----

// Of a view whose place is a multiple of four elements in its memory, a piece is 16 bytes that LLVM may load at once;
// of one at any place it is not.
// CHECK-LABEL: func.func @views
// CHECK: %[[KNOWN:.*]] = memref.subview %{{.*}}[%{{.*}}, %{{.*}}, 0, %{{.*}}]
// CHECK: memref.load %[[KNOWN]][%{{.*}}, %{{.*}}] {alignment = 16 : i64}
// CHECK-NEXT: arith.constant 1
// CHECK-NOT: alignment
// CHECK: memref.load %[[KNOWN]]
// CHECK: memref.store %{{.*}}, %[[KNOWN]][%{{.*}}, %{{.*}}] {alignment = 16 : i64}
// CHECK: %[[ANY:.*]] = memref.subview
// CHECK: memref.load %[[ANY]]
// CHECK-NOT: alignment
// CHECK: return
gpu.module @kernels {
  func.func @views(%base: memref<f32>, %slots: index, %slot: index, %part: index, %any: index, %sum: memref<32xf32>) {
    %c32 = arith.constant 32 : index
    %c16384 = arith.constant 16384 : index
    %stride = arith.muli %slots, %c16384 : index
    %x = memref.reinterpret_cast %base to offset: [0], sizes: [2, %slots, 128, 128], strides: [%stride, 16384, 128, 1]
        : memref<f32> to memref<2x?x128x128xf32, strided<[?, 16384, 128, 1]>>
    %column = arith.muli %part, %c32 : index
    %known = memref.subview %x[%slot, %slot, 0, %column] [1, 1, 128, 32] [1, 1, 1, 1]
        : memref<2x?x128x128xf32, strided<[?, 16384, 128, 1]>> to memref<128x32xf32, strided<[128, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                    iterator_types = ["reduction", "parallel"]}
        outs(%known, %sum : memref<128x32xf32, strided<[128, 1], offset: ?>>, memref<32xf32>) {
    ^bb0(%a: f32, %total: f32):
      %b = arith.mulf %a, %a : f32
      %c = arith.addf %total, %b fastmath<reassoc> : f32
      linalg.yield %b, %c : f32, f32
    }
    %free = memref.subview %x[0, %slot, 0, %any] [1, 1, 128, 32] [1, 1, 1, 1]
        : memref<2x?x128x128xf32, strided<[?, 16384, 128, 1]>> to memref<128x32xf32, strided<[128, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                    iterator_types = ["reduction", "parallel"]}
        outs(%free, %sum : memref<128x32xf32, strided<[128, 1], offset: ?>>, memref<32xf32>) {
    ^bb0(%a: f32, %total: f32):
      %b = arith.mulf %a, %a : f32
      %c = arith.addf %total, %b fastmath<reassoc> : f32
      linalg.yield %b, %c : f32, f32
    }
    return
  }
}
