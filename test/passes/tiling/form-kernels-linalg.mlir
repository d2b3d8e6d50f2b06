// RUN: mm01-opt %s --mm01-form-kernels --canonicalize --cse | FileCheck %s

// Elementwise ops are tiled by rows: 16,384 elements a workgroup.
// CHECK-LABEL: func.func @silu
// CHECK-DAG: %[[TILE:.*]] = arith.constant 64 : index
// CHECK: arith.ceildivui %{{.*}}, %[[TILE]]
// CHECK: scf.forall
// CHECK: linalg.generic
// CHECK: mm01.kernel = "generic_divf"
func.func @silu(%x: tensor<?x64xf32>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %one = arith.constant 1.0 : f32
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x64xf32>) outs(%out : tensor<?x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    %e = math.exp %n : f32
    %d = arith.addf %one, %e : f32
    %q = arith.divf %a, %d : f32
    linalg.yield %q : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// A leading reduction cannot be split over workgroups: one workgroup does it all.
// CHECK-LABEL: func.func @column_sums
// CHECK: scf.forall (%{{.*}}) in (1)
// CHECK: linalg.reduce
// CHECK: mm01.kernel = "reduce"
func.func @column_sums(%x: tensor<?x64xf32>, %out: tensor<64xf32>) -> tensor<64xf32> {
  %y = linalg.reduce ins(%x : tensor<?x64xf32>) outs(%out : tensor<64xf32>) dimensions = [0]
    (%a: f32, %s: f32) { %r = arith.addf %a, %s : f32  linalg.yield %r : f32 }
  return %y : tensor<64xf32>
}

// An op that is in a kernel already stays as it is.
// CHECK-LABEL: func.func @inside
// CHECK: scf.forall
// CHECK-NOT: scf.forall (
// CHECK: mm01.kernel = "mine"
func.func @inside(%v: f32, %out: tensor<8xf32>) -> tensor<8xf32> {
  %y = scf.forall (%i) in (2) shared_outs(%o = %out) -> tensor<8xf32> {
    %c4 = arith.constant 4 : index
    %at = arith.muli %i, %c4 : index
    %s = tensor.extract_slice %o[%at] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %f = linalg.fill ins(%v : f32) outs(%s : tensor<4xf32>) -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %f into %o[%at] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  } {mm01.kernel = "mine"}
  return %y : tensor<8xf32>
}
