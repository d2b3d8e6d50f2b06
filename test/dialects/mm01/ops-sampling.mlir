// RUN: mm01-opt %s | mm01-opt | FileCheck %s
// RUN: mm01-opt %s --mlir-print-op-generic | mm01-opt | FileCheck %s

// CHECK-LABEL: func.func @sample
// CHECK: %{{.*}}, %{{.*}} = mm01.sample %{{.*}}, %{{.*}} temperature %{{.*}} top_k %{{.*}} top_p %{{.*}} into %{{.*}}, %{{.*}} : tensor<?x256xf32>, tensor<?xi64> into tensor<?xi32>, tensor<?xi32>
func.func @sample(%logits: tensor<?x256xf32>, %draws: tensor<?xi64>, %temperature: f32, %k: i64, %p: f32,
                  %tokens: tensor<?xi32>, %problems: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %t, %s = mm01.sample %logits, %draws temperature %temperature top_k %k top_p %p into %tokens, %problems
    : tensor<?x256xf32>, tensor<?xi64> into tensor<?xi32>, tensor<?xi32>
  return %t, %s : tensor<?xi32>, tensor<?xi32>
}

// The greatest vocabulary, and the least.
// CHECK-LABEL: func.func @vocabularies
// CHECK: tensor<2x4194304xf32>
// CHECK: tensor<2x1xf32>
func.func @vocabularies(%large: tensor<2x4194304xf32>, %small: tensor<2x1xf32>, %draws: tensor<2xi64>, %temperature: f32,
                        %k: i64, %p: f32, %tokens: tensor<2xi32>, %problems: tensor<2xi32>) {
  %0:2 = mm01.sample %large, %draws temperature %temperature top_k %k top_p %p into %tokens, %problems
    : tensor<2x4194304xf32>, tensor<2xi64> into tensor<2xi32>, tensor<2xi32>
  %1:2 = mm01.sample %small, %draws temperature %temperature top_k %k top_p %p into %tokens, %problems
    : tensor<2x1xf32>, tensor<2xi64> into tensor<2xi32>, tensor<2xi32>
  return
}
