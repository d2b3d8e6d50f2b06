// RUN: mm01-opt %s --mm01-form-device-kernels --split-input-file | FileCheck %s

// A wide weight is the library's, however many rows there are.
// CHECK-LABEL: func.func @wide
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x64xbf16>, %[[W:[^:]+]]: !mm01.weight<2048x64xbf16>, %[[OUT:[^:]+]]: tensor<?x2048xbf16>
// CHECK-NOT: scf.forall
// CHECK: %[[Y:.*]] = mm01.library_linear %[[X]], %[[W]] into %[[OUT]] above 0
// CHECK: return %[[Y]]
func.func @wide(%x: tensor<?x64xbf16>, %w: !mm01.weight<2048x64xbf16>, %out: tensor<?x2048xbf16>) -> tensor<?x2048xbf16> {
  %y = mm01.linear %x, %w into %out : tensor<?x64xbf16>, !mm01.weight<2048x64xbf16> into tensor<?x2048xbf16>
  return %y : tensor<?x2048xbf16>
}

// -----

// Few rows of a narrow one have a kernel, a workgroup for each column, whose grid
// is empty where the library multiplies.
// CHECK-LABEL: func.func @narrow
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x64xbf16>, %[[W:[^:]+]]: !mm01.weight<1024x64xbf16>, %[[OUT:[^:]+]]: tensor<?x1024xbf16>
// CHECK: %[[ROWS:.*]] = tensor.dim %[[X]]
// CHECK: %[[FEW:.*]] = arith.cmpi sle, %[[ROWS]], %{{.*}}
// CHECK: %[[TILES:.*]] = arith.select %[[FEW]], %{{.*}}, %{{.*}} : index
// CHECK: %[[DONE:.*]] = scf.forall (%{{.*}}, %{{.*}}) in (%[[TILES]], 1024) shared_outs(%{{.*}} = %[[OUT]])
// A block of one row, of two and of four.
// CHECK-COUNT-3: scf.for {{.*}} -> (f32
// CHECK-NOT: gpu.warp
// CHECK: mm01.kernel = "linear"
// CHECK: %[[ALL:.*]] = mm01.library_linear %[[X]], %[[W]] into %[[DONE]] above 4
// CHECK: return %[[ALL]]
func.func @narrow(%x: tensor<?x64xbf16>, %w: !mm01.weight<1024x64xbf16>, %out: tensor<?x1024xbf16>) -> tensor<?x1024xbf16> {
  %y = mm01.linear %x, %w into %out : tensor<?x64xbf16>, !mm01.weight<1024x64xbf16> into tensor<?x1024xbf16>
  return %y : tensor<?x1024xbf16>
}

// -----

// The library does not multiply bf16 by float32. A narrow weight has a workgroup
// for each column, and warps with four columns where there are many rows.
// CHECK-LABEL: func.func @router
// CHECK: %[[ROWS:.*]] = tensor.dim
// CHECK: %[[FEW:.*]] = arith.cmpi sle, %[[ROWS]], %{{.*}}
// CHECK: %[[TILES:.*]] = arith.select %[[FEW]]
// CHECK: %[[DONE:.*]] = scf.forall (%{{.*}}, %{{.*}}) in (%[[TILES]], {{[0-9]+}}) shared_outs
// CHECK-NOT: gpu.warp
// CHECK: mm01.kernel = "linear"
// CHECK: %[[MANY:.*]] = arith.cmpi sle, %{{.*}}, %[[ROWS]]
// CHECK: %[[OTHERS:.*]] = arith.select %[[MANY]]
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (%[[OTHERS]], {{[0-9]+}}) shared_outs(%{{.*}} = %[[DONE]])
// CHECK: mapping = [#gpu.warp<linear_dim_0>]
// CHECK: mm01.kernel = "linear"
// CHECK-NOT: library_linear
func.func @router(%x: tensor<?x64xbf16>, %w: !mm01.weight<4x64xf32>, %out: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = mm01.linear %x, %w into %out : tensor<?x64xbf16>, !mm01.weight<4x64xf32> into tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// Rows that are no multiple of 16 bytes are not the library's, and a wide weight
// has one kernel for all rows.
// CHECK-LABEL: func.func @odd
// CHECK-NOT: arith.select
// CHECK-NOT: library_linear
func.func @odd(%x: tensor<?x65xbf16>, %w: !mm01.weight<2048x65xbf16>, %out: tensor<?x2048xbf16>) -> tensor<?x2048xbf16> {
  %y = mm01.linear %x, %w into %out : tensor<?x65xbf16>, !mm01.weight<2048x65xbf16> into tensor<?x2048xbf16>
  return %y : tensor<?x2048xbf16>
}

// -----

// The head gathers its rows, then is a linear map like another.
// CHECK-LABEL: func.func @head
// CHECK: mm01.kernel = "head_rows"
// CHECK: mm01.kernel = "linear"
// CHECK: mm01.library_linear %{{.*}} above 4 : tensor<?x64xbf16>, <256x64xbf16> into tensor<?x256xf32>
func.func @head(%x: tensor<?x64xbf16>, %rows: tensor<?xi32>, %w: !mm01.weight<256x64xbf16>, %out: tensor<?x256xf32>) -> tensor<?x256xf32> {
  %y = mm01.head %x, %rows, %w into %out : tensor<?x64xbf16>, tensor<?xi32>, !mm01.weight<256x64xbf16> into tensor<?x256xf32>
  return %y : tensor<?x256xf32>
}

// -----

// All rows of an expert are one workgroup's, for each panel.
// CHECK-LABEL: func.func @experts
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in ({{[%0-9]+}}, {{[%0-9]+}}) shared_outs
// CHECK: mm01.weight_part %{{.*}}[%{{.*}}] : <4x2048x64xbf16>
// CHECK: mapping = [#gpu.warp<linear_dim_0>]
// CHECK: mm01.kernel = "grouped_linear"
func.func @experts(%rows: tensor<?x64xbf16>, %offsets: tensor<5xi32>, %w: !mm01.weight<4x2048x64xbf16>, %out: tensor<?x2048xbf16>) -> tensor<?x2048xbf16> {
  %y = mm01.grouped_linear %rows, %offsets, %w into %out
    : tensor<?x64xbf16>, tensor<5xi32>, !mm01.weight<4x2048x64xbf16> into tensor<?x2048xbf16>
  return %y : tensor<?x2048xbf16>
}

// -----

// Eight rows a workgroup, a warp for each; a choice reads the scores once and
// passes over the experts chosen before. Nothing is copied. Then come the shares.
// CHECK-LABEL: func.func @route
// CHECK-SAME: %[[LOGITS:[^:]+]]: tensor<?x4xf32>
// CHECK: scf.forall (%[[G:.*]]) in (%{{.*}}) shared_outs
// CHECK: %[[FIRST:.*]] = arith.muli %[[G]], %{{.*}}
// CHECK-NOT: tensor.empty
// CHECK: scf.forall (%[[R:.*]]) in (%{{.*}}) shared_outs
// CHECK: %[[T:.*]] = arith.addi %[[FIRST]], %[[R]]
// CHECK: %[[ONE:.*]]:2 = scf.for
// CHECK: tensor.extract %[[LOGITS]][%[[T]], %{{.*}}]
// CHECK-NOT: arith.cmpi ne
// CHECK: scf.for %[[E:[a-z0-9]+]] =
// CHECK: arith.cmpi ne, %[[E]], %[[ONE]]#1
// CHECK: mapping = [#gpu.warp<linear_dim_0>]
// CHECK: scf.forall
// CHECK-NOT: scf.for
// CHECK-COUNT-2: math.exp
// CHECK: mapping = [#gpu.warp<linear_dim_0>]
// CHECK: mm01.kernel = "route"
func.func @route(%logits: tensor<?x4xf32>, %w: tensor<?x2xf32>, %e: tensor<?x2xi32>) -> (tensor<?x2xf32>, tensor<?x2xi32>) {
  %weights, %experts = mm01.route %logits into %w, %e : tensor<?x4xf32> into tensor<?x2xf32>, tensor<?x2xi32>
  return %weights, %experts : tensor<?x2xf32>, tensor<?x2xi32>
}

// -----

// Sums instead of a counting sort.
// CHECK-LABEL: func.func @dispatch
// CHECK: mm01.kernel = "dispatch_counts"
// CHECK: mm01.kernel = "dispatch_starts"
// CHECK: mm01.kernel = "dispatch_rows"
// CHECK-NOT: mm01.dispatch
func.func @dispatch(%x: tensor<?x64xbf16>, %e: tensor<?x2xi32>, %rows: tensor<?x64xbf16>, %o: tensor<5xi32>, %p: tensor<?x2xi32>)
    -> (tensor<?x64xbf16>, tensor<5xi32>, tensor<?x2xi32>) {
  %a, %b, %c = mm01.dispatch %x, %e into %rows, %o, %p
    : tensor<?x64xbf16>, tensor<?x2xi32> into tensor<?x64xbf16>, tensor<5xi32>, tensor<?x2xi32>
  return %a, %b, %c : tensor<?x64xbf16>, tensor<5xi32>, tensor<?x2xi32>
}

// -----

// Cosines and sines of a token, then both halves of all heads, then the features
// that pass through.
// CHECK-LABEL: func.func @rotary
// CHECK: scf.forall
// CHECK: linalg.generic
// CHECK: math.cos
// CHECK: linalg.generic
// CHECK: math.sin
// CHECK-COUNT-3: linalg.generic
// CHECK: mm01.kernel = "rotary"
func.func @rotary(%x: tensor<?x4x32xbf16>, %r: !mm01.ragged, %out: tensor<?x4x32xbf16>) -> tensor<?x4x32xbf16> {
  %y = mm01.rotary %x, %r into %out {rotary_dim = 16, theta = 1.0e7} : tensor<?x4x32xbf16> into tensor<?x4x32xbf16>
  return %y : tensor<?x4x32xbf16>
}

// -----

// Without features to rotate it is a copy.
// CHECK-LABEL: func.func @pass
// CHECK-NOT: math
// CHECK: mm01.kernel = "rotary"
func.func @pass(%x: tensor<?x4x32xbf16>, %r: !mm01.ragged, %out: tensor<?x4x32xbf16>) -> tensor<?x4x32xbf16> {
  %y = mm01.rotary %x, %r into %out {rotary_dim = 0, theta = 1.0e7} : tensor<?x4x32xbf16> into tensor<?x4x32xbf16>
  return %y : tensor<?x4x32xbf16>
}

// -----

// Other ops stay.
// CHECK-LABEL: func.func @norm
// CHECK: mm01.rms_norm
func.func @norm(%x: tensor<?x64xbf16>, %w: !mm01.weight<64xbf16>, %out: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %y = mm01.rms_norm %x, %w into %out {eps = 1.0e-5} : tensor<?x64xbf16>, !mm01.weight<64xbf16> into tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// -----

// What a program has done for many rows has a kernel for few alone.
// CHECK-LABEL: func.func @few
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x64xbf16>, %[[W:[^:]+]]: !mm01.weight<2048x64xi8>, %[[MANY:[^:]+]]: tensor<?x2048xbf16>
// CHECK: %[[ROWS:.*]] = tensor.dim %[[X]]
// CHECK: %[[FEW:.*]] = arith.cmpi sle, %[[ROWS]], %c4
// CHECK: %[[TILES:.*]] = arith.select %[[FEW]], %{{.*}}, %c0
// CHECK: %[[DONE:.*]] = scf.forall (%{{.*}}, %{{.*}}) in (%[[TILES]], 128) shared_outs(%{{.*}} = %[[MANY]])
// CHECK: mm01.weight_scales
// CHECK: arith.sitofp
// CHECK: mapping = [#gpu.warp<linear_dim_0>]
// CHECK: mm01.kernel = "linear"
// CHECK-NOT: scf.forall
// CHECK: return %[[DONE]]
func.func @few(%x: tensor<?x64xbf16>, %w: !mm01.weight<2048x64xi8>, %many: tensor<?x2048xbf16>) -> tensor<?x2048xbf16> {
  %y = mm01.linear %x, %w into %many {mm01.few_rows = 4 : i64} : tensor<?x64xbf16>, !mm01.weight<2048x64xi8> into tensor<?x2048xbf16>
  return %y : tensor<?x2048xbf16>
}
