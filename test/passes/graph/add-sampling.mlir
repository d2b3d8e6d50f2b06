// RUN: split-file %s %t
// RUN: mm01-opt %t/logits.mlir --mm01-add-sampling | FileCheck %t/logits.mlir
// RUN: mm01-opt %t/none.mlir --mm01-add-sampling | FileCheck %t/none.mlir

// Again, it changes nothing.
// RUN: mm01-opt %t/logits.mlir --mm01-add-sampling > %t/once.mlir
// RUN: mm01-opt %t/once.mlir --mm01-add-sampling | diff %t/once.mlir -

// RUN: not mm01-opt %t/taken.mlir --mm01-add-sampling 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: error: 'sample_8' is the name of a function that the runtime calls to choose tokens, expected another

// Every target gets it.
// RUN: mm01-opt %t/logits.mlir --mm01-phase-graph | FileCheck %t/logits.mlir

//--- logits.mlir
// One function a vocabulary, however many entries have it.
func.func @forward(%x: tensor<?x8xf32>) -> (tensor<?x8xf32> {mm01.role = "logits"}) {
  return %x : tensor<?x8xf32>
}
func.func @other(%x: tensor<?x8xf32>, %y: tensor<?x4194304xf32>)
    -> (tensor<?x4194304xf32> {mm01.role = "logits"}, tensor<?x8xf32> {mm01.role = "logits"}) {
  return %y, %x : tensor<?x4194304xf32>, tensor<?x8xf32>
}
// CHECK: func.func @sample_8(%[[L:.*]]: tensor<?x8xf32>, %[[D:.*]]: tensor<?xi64>, %[[T:.*]]: f32, %[[K:.*]]: i64, %[[P:.*]]: f32, %[[O:.*]]: tensor<?xi32>, %[[S:.*]]: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) attributes {mm01.helper}
// CHECK-NEXT: %[[NEW:.*]], %[[WHY:.*]] = mm01.sample %[[L]], %[[D]] temperature %[[T]] top_k %[[K]] top_p %[[P]] into %[[O]], %[[S]]
// CHECK-NEXT: return %[[NEW]], %[[WHY]]
// CHECK: func.func @sample_4194304(
// CHECK-NOT: func.func

//--- none.mlir
// No logits; logits that nobody outside gets; of another type, of too many tokens, or of a number that is not static.
// CHECK-NOT: func.func @sample
func.func @hidden(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}
func.func private @layer(%x: tensor<4x8xf32>) -> (tensor<4x8xf32> {mm01.role = "logits"}) {
  return %x : tensor<4x8xf32>
}
func.func @narrow(%x: tensor<?x8xbf16>) -> (tensor<?x8xbf16> {mm01.role = "logits"}) {
  return %x : tensor<?x8xbf16>
}
func.func @many(%x: tensor<?x4194305xf32>) -> (tensor<?x4194305xf32> {mm01.role = "logits"}) {
  return %x : tensor<?x4194305xf32>
}
func.func @any(%x: tensor<?x?xf32>) -> (tensor<?x?xf32> {mm01.role = "logits"}) {
  return %x : tensor<?x?xf32>
}

//--- taken.mlir
func.func @forward(%x: tensor<?x8xf32>) -> (tensor<?x8xf32> {mm01.role = "logits"}) {
  return %x : tensor<?x8xf32>
}
func.func @sample_8(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
