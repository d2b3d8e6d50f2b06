// RUN: split-file %s %t
// RUN: mm01-opt %t/types.mlir --mm01-add-random-weights | FileCheck %t/types.mlir
// RUN: mm01-opt %t/none.mlir --mm01-add-random-weights | FileCheck %t/none.mlir

// Again, it changes nothing.
// RUN: mm01-opt %t/types.mlir --mm01-add-random-weights > %t/once.mlir
// RUN: mm01-opt %t/once.mlir --mm01-add-random-weights | diff %t/once.mlir -

// RUN: not mm01-opt %t/taken.mlir --mm01-add-random-weights 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: error: 'random_weights_bf16' is the name of a function that the runtime calls to make random weights, expected another

//--- types.mlir
// One function a type, however many parameters have it or are made of it, and one for each type that int8 is made of.
mm01.parameter @a : !mm01.weight<96x64xbf16> from [#mm01.source<"a" : 96x64>]
mm01.parameter @b : !mm01.weight<64xf32> from [#mm01.source<"b" : 64>]
mm01.parameter @c : !mm01.weight<4x96x64xbf16> from [#mm01.source<"c.{}" : 96x64>]
mm01.parameter @d : !mm01.weight<96x64xi8> from [#mm01.source<"d" : 96x64>] stored f16
// CHECK: func.func @random_weights_bf16(%[[TO:.*]]: tensor<?xbf16>, %{{.*}}: i64, %{{.*}}: i64, %[[FIRST:.*]]: i64, %[[SCALE:.*]]: f32, %[[OFFSET:.*]]: f32) -> tensor<?xbf16> attributes {mm01.helper}
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]} outs(%[[TO]] : tensor<?xbf16>)
// CHECK: %[[AT:.*]] = linalg.index 0
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[AT]] : index to i64
// CHECK: %[[ELEMENT:.*]] = arith.addi %[[FIRST]], %[[NUMBER]]
// Two products a round, ten rounds.
// CHECK-COUNT-20: arith.muli
// CHECK-NOT: arith.muli
// CHECK: %[[U:.*]] = arith.mulf
// CHECK: %[[SCALED:.*]] = arith.mulf %[[SCALE]], %[[U]]
// CHECK: %[[VALUE:.*]] = arith.addf %[[OFFSET]], %[[SCALED]]
// CHECK: arith.truncf %[[VALUE]] : f32 to bf16
// CHECK: func.func @random_weights_f32(
// CHECK-NOT: arith.truncf
// CHECK: func.func @random_weights_f16(
// CHECK: func.func @quantize_rows_f16(%[[FROM:.*]]: tensor<?x?xf16>, %[[INTO:.*]]: tensor<?x?xi8>, %[[SCALES:.*]]: tensor<?xf32>) -> (tensor<?x?xi8>, tensor<?xf32>) attributes {mm01.helper}
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[FROM]] : tensor<?x?xf16>)
// CHECK: math.absf
// CHECK: arith.maximumf
// CHECK: %[[SCALE:.*]] = linalg.generic
// CHECK: arith.divf %{{.*}}, %cst{{.*}} : f32
// CHECK: %[[DONE:.*]] = linalg.generic {{.*}} ins(%[[FROM]], %[[SCALE]] : tensor<?x?xf16>, tensor<?xf32>) outs(%[[INTO]] : tensor<?x?xi8>)
// CHECK: math.roundeven
// CHECK: arith.fptosi {{.*}} : f32 to i8
// CHECK: return %[[DONE]], %[[SCALE]]
// CHECK-NOT: func.func

//--- none.mlir
// A module without parameters stays as it is.
// CHECK-NOT: func.func @random
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

//--- taken.mlir
mm01.parameter @a : !mm01.weight<96x64xbf16> from [#mm01.source<"a" : 96x64>]
func.func @random_weights_bf16(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
