// RUN: mm01-opt %s | mm01-opt | FileCheck %s
// RUN: mm01-opt %s --mlir-print-op-generic | mm01-opt | FileCheck %s

// Two grids over the same 64 ranks.
// CHECK: mm01.mesh @world <tp = 2, cp = 4, dp = 4, pp = 2>
mm01.mesh @world <tp = 2, cp = 4, dp = 4, pp = 2>
// CHECK: mm01.mesh @experts <etp = 2, ep = 8, edp = 2, "pipeline stage" = 2>
mm01.mesh @experts <etp = 2, ep = 8, edp = 2, "pipeline stage" = 2>
// CHECK: mm01.process_group @TP over @world axes ["tp"]
mm01.process_group @TP over @world axes ["tp"]
// CHECK: mm01.process_group @SHARDS over @world axes ["cp", "dp"]
mm01.process_group @SHARDS over @world axes ["cp", "dp"]
mm01.process_group @EP over @experts axes ["ep"]
mm01.process_group @ETP over @experts axes ["etp"]

// CHECK-LABEL: func @rank
// CHECK: mm01.rank @TP
func.func @rank() -> index {
  %r = mm01.rank @TP
  return %r : index
}

// CHECK-LABEL: func @all_reduce
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x64xf32>, %[[OUT:[^:]+]]: tensor<?x64xf32>
// CHECK: %[[T0:.+]] = mm01.token_start : !mm01.token<@TP>
// CHECK: %[[P0:.+]], %[[T1:.+]] = mm01.all_reduce sum %[[X]] into %[[OUT]] after %[[T0]]
// CHECK-SAME: : tensor<?x64xf32> into tensor<?x64xf32>, !mm01.token<@TP>
// CHECK: %[[P1:.+]], %[[T2:.+]] = mm01.all_reduce max %[[X]] into %[[OUT]] after %[[T1]]
// CHECK: mm01.wait %[[P0]] : !mm01.pending<tensor<?x64xf32>>
// CHECK: mm01.wait %[[P1]] : !mm01.pending<tensor<?x64xf32>>
// CHECK: mm01.token_end %[[T2]] : !mm01.token<@TP>
func.func @all_reduce(%x: tensor<?x64xf32>, %out: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %t0 = mm01.token_start : !mm01.token<@TP>
  %p0, %t1 = mm01.all_reduce sum %x into %out after %t0 : tensor<?x64xf32> into tensor<?x64xf32>, !mm01.token<@TP>
  %p1, %t2 = mm01.all_reduce max %x into %out after %t1 : tensor<?x64xf32> into tensor<?x64xf32>, !mm01.token<@TP>
  %a = mm01.wait %p0 : !mm01.pending<tensor<?x64xf32>>
  %b = mm01.wait %p1 : !mm01.pending<tensor<?x64xf32>>
  mm01.token_end %t2 : !mm01.token<@TP>
  return %a, %b : tensor<?x64xf32>, tensor<?x64xf32>
}

// CHECK-LABEL: func @all_gather
// CHECK: mm01.all_gather %{{.+}} along 1 into %{{.+}} after %{{.+}} : tensor<8x64xbf16> into tensor<8x128xbf16>, !mm01.token<@TP>
// CHECK: mm01.all_gather %{{.+}} along 0 counts %{{.+}} into %{{.+}} after %{{.+}} : tensor<8x64xbf16>, tensor<2xi32> into tensor<?x64xbf16>, !mm01.token<@TP>
func.func @all_gather(%x: tensor<8x64xbf16>, %o: tensor<8x128xbf16>, %c: tensor<2xi32>, %v: tensor<?x64xbf16>,
                      %t0: !mm01.token<@TP>) -> !mm01.token<@TP> {
  %p0, %t1 = mm01.all_gather %x along 1 into %o after %t0
    : tensor<8x64xbf16> into tensor<8x128xbf16>, !mm01.token<@TP>
  %p1, %t2 = mm01.all_gather %x along 0 counts %c into %v after %t1
    : tensor<8x64xbf16>, tensor<2xi32> into tensor<?x64xbf16>, !mm01.token<@TP>
  %a = mm01.wait %p0 : !mm01.pending<tensor<8x128xbf16>>
  %b = mm01.wait %p1 : !mm01.pending<tensor<?x64xbf16>>
  return %t2 : !mm01.token<@TP>
}

// CHECK-LABEL: func @reduce_scatter
// CHECK: mm01.reduce_scatter sum %{{.+}} along 0 into %{{.+}} after %{{.+}} : tensor<32x64xf32> into tensor<2x64xf32>, !mm01.token<@SHARDS>
// CHECK: mm01.reduce_scatter max %{{.+}} along 0 counts %{{.+}} into %{{.+}} after %{{.+}} : tensor<32x64xf32>, tensor<?xi32> into tensor<2x64xf32>, !mm01.token<@SHARDS>
func.func @reduce_scatter(%x: tensor<32x64xf32>, %o: tensor<2x64xf32>, %c: tensor<?xi32>, %t0: !mm01.token<@SHARDS>)
    -> !mm01.token<@SHARDS> {
  %p0, %t1 = mm01.reduce_scatter sum %x along 0 into %o after %t0
    : tensor<32x64xf32> into tensor<2x64xf32>, !mm01.token<@SHARDS>
  %p1, %t2 = mm01.reduce_scatter max %x along 0 counts %c into %o after %t1
    : tensor<32x64xf32>, tensor<?xi32> into tensor<2x64xf32>, !mm01.token<@SHARDS>
  %a = mm01.wait %p0 : !mm01.pending<tensor<2x64xf32>>
  %b = mm01.wait %p1 : !mm01.pending<tensor<2x64xf32>>
  return %t2 : !mm01.token<@SHARDS>
}

// Chains of different groups interleave as they like.
// CHECK-LABEL: func @all_to_all
// CHECK: mm01.all_to_all %{{.+}} into %{{.+}} after %{{.+}} : tensor<8xi32> into tensor<8xi32>, !mm01.token<@EP>
// CHECK: mm01.all_to_all %{{.+}} send %{{.+}} receive %{{.+}} into %{{.+}} after %{{.+}} : tensor<?x64xf32>, tensor<8xi32>, tensor<8xi32> into tensor<?x64xf32>, !mm01.token<@EP>
func.func @all_to_all(%x: tensor<?x64xf32>, %counts: tensor<8xi32>, %received: tensor<8xi32>, %o: tensor<?x64xf32>,
                      %t0: !mm01.token<@EP>, %e0: !mm01.token<@ETP>) -> (!mm01.token<@EP>, !mm01.token<@ETP>) {
  %p0, %t1 = mm01.all_to_all %counts into %received after %t0 : tensor<8xi32> into tensor<8xi32>, !mm01.token<@EP>
  %receive = mm01.wait %p0 : !mm01.pending<tensor<8xi32>>
  %p1, %t2 = mm01.all_to_all %x send %counts receive %receive into %o after %t1
    : tensor<?x64xf32>, tensor<8xi32>, tensor<8xi32> into tensor<?x64xf32>, !mm01.token<@EP>
  %p2, %e1 = mm01.all_reduce sum %x into %o after %e0 : tensor<?x64xf32> into tensor<?x64xf32>, !mm01.token<@ETP>
  %a = mm01.wait %p1 : !mm01.pending<tensor<?x64xf32>>
  %b = mm01.wait %p2 : !mm01.pending<tensor<?x64xf32>>
  return %t2, %e1 : !mm01.token<@EP>, !mm01.token<@ETP>
}

// Around a ring: the token and the tensor go through the loop.
// CHECK-LABEL: func @ring_shift
// CHECK: scf.for
// CHECK: mm01.ring_shift %{{.+}} by -1 into %{{.+}} after %{{.+}} : tensor<4x64xf32> into tensor<4x64xf32>, !mm01.token<@EP>
func.func @ring_shift(%x: tensor<4x64xf32>, %o: tensor<4x64xf32>, %n: index, %t0: !mm01.token<@EP>)
    -> (tensor<4x64xf32>, !mm01.token<@EP>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y, %t = scf.for %i = %c0 to %n step %c1 iter_args(%xi = %x, %ti = %t0) -> (tensor<4x64xf32>, !mm01.token<@EP>) {
    %p, %tn = mm01.ring_shift %xi by -1 into %o after %ti : tensor<4x64xf32> into tensor<4x64xf32>, !mm01.token<@EP>
    %xn = mm01.wait %p : !mm01.pending<tensor<4x64xf32>>
    scf.yield %xn, %tn : tensor<4x64xf32>, !mm01.token<@EP>
  }
  return %y, %t : tensor<4x64xf32>, !mm01.token<@EP>
}
