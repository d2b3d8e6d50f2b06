// RUN: mm01-opt %s -mm01-form-grouped-programs -split-input-file | FileCheck %s

#rows = affine_map<(d0, d1) -> (d0, d1)>
!x = tensor<?x128xbf16>
!y = tensor<?x96xbf16>
!w = !mm01.weight<4x96x128xbf16>
!o = tensor<5xi32>

// A gate and what it is multiplied with are one program for each width, on the
// memory of the gate. A width that no expert can need is not launched.
// CHECK-LABEL: func.func @gated
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x128xbf16>, %[[O:[a-z0-9]+]]: tensor<5xi32>, %[[W1:[a-z0-9]+]]: !mm01.weight<4x96x128xbf16>
// CHECK-SAME: %[[W3:[a-z0-9]+]]: !mm01.weight<4x96x128xbf16>, %[[A:[a-z0-9]+]]: tensor<?x96xbf16>
// CHECK: %[[ROWS:.*]] = tensor.dim %[[X]]
// CHECK: %[[ANY:.*]] = arith.cmpi ugt, %[[ROWS]], %{{.*}}
// CHECK: %[[GRID:.*]] = arith.select %[[ANY]]
// CHECK: %[[Y:.*]] = tile.program "experts_silu16" grid(%[[GRID]], %{{.*}}, %{{.*}}) cluster 2
// CHECK-SAME: ins(%[[X]], %[[O]], %[[W1]], %[[W3]] :
// CHECK-SAME: outs(%[[A]] : tensor<?x96xbf16>)
// CHECK-DAG: exec.tensor_map %{{.*}} view{{.*}} box [1, 64, 64] : memref<96x128xbf16>
// CHECK-DAG: exec.tensor_map %{{.*}} view{{.*}} box [8, 64]
// CHECK-DAG: exec.tensor_map %{{.*}} at {{.*}} box [1, 8, 64]
// CHECK: scf.while
// CHECK: tile.copy_in {{.*}} multicast : <16x64xbf16>
// CHECK: tile.rows %{{.*}}[8]
// CHECK: math.exp
// CHECK: arith.divf {{.*}} fastmath<arcp,afn>
// CHECK: tile.return
// CHECK: tile.program "experts_silu32"
// CHECK-SAME: outs(%[[Y]] : tensor<?x96xbf16>)
// CHECK: tile.program "experts_silu64"
// CHECK: tile.program "experts_silu96"
// CHECK: tile.program "experts_silu128"
// CHECK: tile.program "experts_silu192"
// CHECK: %[[ALL:.*]] = tile.program "experts_silu256"
// CHECK-NOT: mm01.grouped_linear
// CHECK-NOT: linalg.generic
// CHECK: return %[[ALL]]
func.func @gated(%x: !x, %o: !o, %w1: !w, %w3: !w, %a: !y, %b: !y) -> !y {
  %g = mm01.grouped_linear %x, %o, %w1 into %a : !x, !o, !w into !y
  %u = mm01.grouped_linear %x, %o, %w3 into %b : !x, !o, !w into !y
  %y = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%u : !y) outs(%g : !y) {
  ^bb0(%in: bf16, %out: bf16):
    %up = arith.extf %in : bf16 to f32
    %gate = arith.extf %out : bf16 to f32
    %minus = arith.negf %gate : f32
    %exp = math.exp %minus : f32
    %one = arith.constant 1.0 : f32
    %sum = arith.addf %exp, %one : f32
    %silu = arith.divf %gate, %sum : f32
    %wide = arith.mulf %silu, %up : f32
    %narrow = arith.truncf %wide : f32 to bf16
    linalg.yield %narrow : bf16
  } -> !y
  return %y : !y
}

// -----

#rows = affine_map<(d0, d1) -> (d0, d1)>
!x = tensor<?x128xbf16>
!y = tensor<?x96xbf16>
!w = !mm01.weight<4x96x128xbf16>
!o = tensor<5xi32>

// Another function of the two is no gate: each product is on its own, of half the
// rows in a block's tile.
// CHECK-LABEL: func.func @other
// CHECK: tile.program "experts16"
// CHECK-DAG: exec.tensor_map %{{.*}} view{{.*}} box [1, 128, 64] : memref<96x128xbf16>
// CHECK: tile.program "experts256"
// CHECK: tile.program "experts16"
// CHECK: tile.program "experts256"
// CHECK: linalg.generic
func.func @other(%x: !x, %o: !o, %w1: !w, %w3: !w, %a: !y, %b: !y) -> !y {
  %g = mm01.grouped_linear %x, %o, %w1 into %a : !x, !o, !w into !y
  %u = mm01.grouped_linear %x, %o, %w3 into %b : !x, !o, !w into !y
  %y = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%u : !y) outs(%g : !y) {
  ^bb0(%in: bf16, %out: bf16):
    %sum = arith.addf %in, %out : bf16
    linalg.yield %sum : bf16
  } -> !y
  return %y : !y
}

// -----

// The matrix unit takes no float32, copies move no rows of odd bytes, and a single
// step of a product has no loop.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: tile.program
func.func @stay(%x: tensor<?x128xf32>, %n: tensor<?x60xbf16>, %o: tensor<5xi32>, %w: !mm01.weight<4x96x128xbf16>,
                %v: !mm01.weight<4x96x60xbf16>, %a: tensor<?x96xf32>, %b: tensor<?x96xbf16>, %s: tensor<?x64xbf16>,
                %t: !mm01.weight<4x96x64xbf16>)
    -> (tensor<?x96xf32>, tensor<?x96xbf16>, tensor<?x96xbf16>) {
  %y = mm01.grouped_linear %x, %o, %w into %a
    : tensor<?x128xf32>, tensor<5xi32>, !mm01.weight<4x96x128xbf16> into tensor<?x96xf32>
  %z = mm01.grouped_linear %n, %o, %v into %b
    : tensor<?x60xbf16>, tensor<5xi32>, !mm01.weight<4x96x60xbf16> into tensor<?x96xbf16>
  %q = mm01.grouped_linear %s, %o, %t into %b
    : tensor<?x64xbf16>, tensor<5xi32>, !mm01.weight<4x96x64xbf16> into tensor<?x96xbf16>
  return %y, %z, %q : tensor<?x96xf32>, tensor<?x96xbf16>, tensor<?x96xbf16>
}

// -----

!x = tensor<?x272xbf16>
!y = tensor<?x96xbf16>
!w = !mm01.weight<4x96x272xi8>
!o = tensor<5xi32>

// Weights of int8 come in steps of 128 elements, two at once, become bf16 in
// registers, and the scales of the block's features multiply the sums.
// CHECK-LABEL: func.func @quantized
// CHECK: %[[SCALES:.*]] = mm01.weight_scales %{{.*}}[%{{.*}}] : <4x96x272xi8> -> tensor<96xf32>
// CHECK: tile.program "experts_int8_16"
// CHECK-SAME: ins(%{{.*}}, %{{.*}}, %{{.*}}, %[[SCALES]] :
// CHECK-DAG: exec.tensor_map %{{.*}} view{{.*}} box [1, 128, 128] : memref<96x272xi8>
// CHECK-DAG: exec.tensor_map %{{.*}} view{{.*}} box [16, 128]
// CHECK-DAG: exec.tensor_map %{{.*}} at {{.*}} box [1, 16, 128]
// CHECK: %[[SCALE:.*]] = tile.load {{.*}} -> tensor<128xf32>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} -> (tensor<128x16xf32>)
// CHECK: tile.copy_in {{.*}} : <128x128xi8>
// CHECK: tile.copy_in {{.*}} multicast : <16x128xbf16>
// CHECK: %[[BYTES:.*]] = tile.read {{.*}} : <128x128xi8> -> tensor<128x128xi8>
// CHECK: %[[WIDE:.*]] = arith.sitofp %[[BYTES]] : tensor<128x128xi8> to tensor<128x128xbf16>
// CHECK: %[[ONE:.*]] = tile.mma %[[WIDE]], %{{.*}} transposed into
// CHECK: %[[NEXT:.*]] = arith.sitofp
// CHECK: tile.mma %[[NEXT]], %{{.*}} transposed into %[[ONE]]
// CHECK: %[[ALL:.*]] = tile.broadcast %[[SCALE]] : tensor<128xf32> -> tensor<128x16xf32>
// CHECK: arith.mulf %[[SUM]], %[[ALL]]
// CHECK: tile.write {{.*}} transposed
// CHECK: tile.program "experts_int8_32"
// CHECK: tile.program "experts_int8_64"
// CHECK: tile.program "experts_int8_128"
// CHECK-NOT: tile.program
func.func @quantized(%x: !x, %o: !o, %w: !w, %a: !y) -> !y {
  %y = mm01.grouped_linear %x, %o, %w into %a : !x, !o, !w into !y
  return %y : !y
}

// -----

!x = tensor<?x272xbf16>
!y = tensor<?x96xbf16>
!w = !mm01.weight<96x272xi8>

// A linear map is one expert's product, whose rows the host knows: one width is launched. Few rows are left.
// CHECK-LABEL: func.func @linear
// CHECK: %[[ROWS:.*]] = tensor.dim
// CHECK-DAG: %[[MORE:.*]] = arith.cmpi ugt, %[[ROWS]], %c4
// CHECK-DAG: %[[NOT_TOO_MANY:.*]] = arith.cmpi ule, %[[ROWS]], %c16
// CHECK: arith.andi %[[MORE]], %[[NOT_TOO_MANY]]
// CHECK: tile.program "linear_int8_16"
// CHECK-NOT: memref.load
// CHECK: tile.program "linear_int8_32"
// CHECK: tile.program "linear_int8_64"
// CHECK: arith.cmpi ugt, %[[ROWS]], %c64
// CHECK-NOT: arith.cmpi ule, %[[ROWS]], %c128
// CHECK: %[[MANY:.*]] = tile.program "linear_int8_128"
// CHECK: mm01.linear %{{.*}}, %{{.*}} into %[[MANY]] {mm01.few_rows = 4 : i64}
func.func @linear(%x: !x, %w: !w, %a: !y) -> !y {
  %y = mm01.linear %x, %w into %a : !x, !w into !y
  return %y : !y
}

// -----

// Rows of a weight that are no multiple of 16 bytes, a single iteration, results that are not bf16, and a weight of bf16, which
// is the library's.
// CHECK-LABEL: func.func @stay_linear
// CHECK-NOT: tile.program
// CHECK-NOT: mm01.few_rows
func.func @stay_linear(%x: tensor<?x264xbf16>, %w: !mm01.weight<96x264xi8>, %a: tensor<?x96xbf16>, %s: tensor<?x256xbf16>,
                       %v: !mm01.weight<96x256xi8>, %b: tensor<?x96xf32>, %u: !mm01.weight<96x272xi8>,
                       %z: tensor<?x272xbf16>, %t: !mm01.weight<96x272xbf16>)
    -> (tensor<?x96xbf16>, tensor<?x96xbf16>, tensor<?x96xf32>, tensor<?x96xbf16>) {
  %0 = mm01.linear %x, %w into %a : tensor<?x264xbf16>, !mm01.weight<96x264xi8> into tensor<?x96xbf16>
  %1 = mm01.linear %s, %v into %a : tensor<?x256xbf16>, !mm01.weight<96x256xi8> into tensor<?x96xbf16>
  %2 = mm01.linear %z, %u into %b : tensor<?x272xbf16>, !mm01.weight<96x272xi8> into tensor<?x96xf32>
  %3 = mm01.linear %z, %t into %a : tensor<?x272xbf16>, !mm01.weight<96x272xbf16> into tensor<?x96xbf16>
  return %0, %1, %2, %3 : tensor<?x96xbf16>, tensor<?x96xbf16>, tensor<?x96xf32>, tensor<?x96xbf16>
}
