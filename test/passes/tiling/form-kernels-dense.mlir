// RUN: mm01-opt %s --mm01-form-kernels --canonicalize --cse | FileCheck %s

// A row of the table a token; the table is read in its storage type.
// CHECK-LABEL: func.func @embed
// CHECK: scf.forall (%[[I:.*]]) in (%{{.*}}) shared_outs
// CHECK: mm01.weight_part
// CHECK: tensor.extract %{{.*}} : tensor<?xi32>
// CHECK: arith.extf {{.*}} : bf16 to f32
// CHECK: mm01.kernel = "embedding"
func.func @embed(%ids: tensor<?xi32>, %table: !mm01.weight<256x64xbf16>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %x = mm01.embedding %ids, %table into %out : tensor<?xi32>, !mm01.weight<256x64xbf16> into tensor<?x64xf32>
  return %x : tensor<?x64xf32>
}

// Two types of the same width: by way of float32.
// CHECK-LABEL: func.func @embed_half
// CHECK: arith.extf {{.*}} : f16 to f32
// CHECK-NEXT: arith.truncf {{.*}} : f32 to bf16
// CHECK: mm01.kernel = "embedding"
func.func @embed_half(%ids: tensor<?xi32>, %table: !mm01.weight<256x64xf16>, %out: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %x = mm01.embedding %ids, %table into %out : tensor<?xi32>, !mm01.weight<256x64xf16> into tensor<?x64xbf16>
  return %x : tensor<?x64xbf16>
}

// The sum of squares may be reassociated, and eps is added to the mean.
// CHECK-LABEL: func.func @norm
// CHECK-DAG: %[[EPS:.*]] = arith.constant 9.99999974E-6 : f32
// CHECK: scf.forall
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} iter_args({{.*}}) -> (f32)
// CHECK: arith.addf {{.*}} fastmath<reassoc,contract>
// CHECK: %[[MEAN:.*]] = arith.divf %[[SUM]]
// CHECK: arith.addf %[[MEAN]], %[[EPS]]
// CHECK: math.sqrt
// CHECK: mm01.kernel = "rms_norm"
func.func @norm(%x: tensor<?x64xf32>, %w: !mm01.weight<64xbf16>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = mm01.rms_norm %x, %w into %out {eps = 1.0e-5} : tensor<?x64xf32>, !mm01.weight<64xbf16> into tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Few rows: dot products on the storage type. More: a widened panel and the BLAS.
// CHECK-LABEL: func.func @linear
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (%{{.*}}, 1)
// CHECK: scf.if
// CHECK: arith.extf {{.*}} : bf16 to f32
// CHECK: else
// CHECK: tensor.empty() : tensor<96x64xf32>
// CHECK: linalg.fill
// CHECK: linalg.matmul indexing_maps
// CHECK: mm01.kernel = "linear"
func.func @linear(%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xbf16>, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %y = mm01.linear %x, %w into %out : tensor<?x64xf32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// int8, few rows: a product of whole elements is scaled when it is complete. More: a panel is scaled while it is widened.
// CHECK-LABEL: func.func @linear_int8
// CHECK: mm01.weight_part
// CHECK: %[[SCALES:.*]] = mm01.weight_scales
// CHECK: scf.if
// CHECK: arith.sitofp {{.*}} : i8 to f32
// CHECK: scf.yield
// CHECK: %[[SCALE:.*]] = tensor.extract %{{.*}} : tensor<{{.*}}xf32>
// CHECK: arith.mulf %{{.*}}, %[[SCALE]]
// CHECK: else
// CHECK: tensor.empty() : tensor<96x64xf32>
// CHECK: arith.sitofp {{.*}} : i8 to f32
// CHECK-NEXT: arith.mulf
// CHECK: linalg.matmul indexing_maps
// CHECK: mm01.kernel = "linear"
func.func @linear_int8(%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xi8>, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %y = mm01.linear %x, %w into %out : tensor<?x64xf32>, !mm01.weight<96x64xi8> into tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// Wanted rows are gathered, then multiplied.
// CHECK-LABEL: func.func @head
// CHECK: mm01.kernel = "head_rows"
// CHECK: mm01.kernel = "linear"
func.func @head(%x: tensor<?x64xf32>, %rows: tensor<?xi32>, %w: !mm01.weight<256x64xbf16>, %out: tensor<?x256xf32>) -> tensor<?x256xf32> {
  %y = mm01.head %x, %rows, %w into %out : tensor<?x64xf32>, tensor<?xi32>, !mm01.weight<256x64xbf16> into tensor<?x256xf32>
  return %y : tensor<?x256xf32>
}

// The angle is float64; only sine and cosine are rounded.
// CHECK-LABEL: func.func @rotary
// CHECK: mm01.ragged_get %{{.*}} token_position
// CHECK: math.cos %{{.*}} : f64
// CHECK: math.sin %{{.*}} : f64
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: mm01.kernel = "rotary"
func.func @rotary(%x: tensor<?x4x32xf32>, %r: !mm01.ragged, %out: tensor<?x4x32xf32>) -> tensor<?x4x32xf32> {
  %y = mm01.rotary %x, %r into %out {rotary_dim = 16, theta = 1.0e7} : tensor<?x4x32xf32> into tensor<?x4x32xf32>
  return %y : tensor<?x4x32xf32>
}

// A float32 weight is multiplied where it lies: no panel, no conversion.
// CHECK-LABEL: func.func @linear_f32
// CHECK-NOT: arith.extf
// CHECK: linalg.matmul
// CHECK: mm01.kernel = "linear"
func.func @linear_f32(%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xf32>, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %y = mm01.linear %x, %w into %out : tensor<?x64xf32>, !mm01.weight<96x64xf32> into tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// No features are rotated: the row is copied.
// CHECK-LABEL: func.func @rotary_none
// CHECK-NOT: math.cos
// CHECK: mm01.kernel = "rotary"
func.func @rotary_none(%x: tensor<?x4x32xf32>, %r: !mm01.ragged, %out: tensor<?x4x32xf32>) -> tensor<?x4x32xf32> {
  %y = mm01.rotary %x, %r into %out {rotary_dim = 0, theta = 1.0e7} : tensor<?x4x32xf32> into tensor<?x4x32xf32>
  return %y : tensor<?x4x32xf32>
}
