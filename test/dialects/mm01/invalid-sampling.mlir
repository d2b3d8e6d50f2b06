// RUN: mm01-opt %s -split-input-file -verify-diagnostics

func.func @sample_c1(%l: tensor<4x8xf32>, %d: tensor<3xi64>, %t: f32, %k: i64, %p: f32, %o: tensor<4xi32>, %s: tensor<4xi32>) {
  // expected-error @below {{C1: draws, tokens and problems must have as many elements as logits has rows}}
  %0:2 = mm01.sample %l, %d temperature %t top_k %k top_p %p into %o, %s
    : tensor<4x8xf32>, tensor<3xi64> into tensor<4xi32>, tensor<4xi32>
  return
}

// -----

func.func @sample_c1_tokens(%l: tensor<4x8xf32>, %d: tensor<4xi64>, %t: f32, %k: i64, %p: f32, %o: tensor<5xi32>, %s: tensor<4xi32>) {
  // expected-error @below {{C1: draws, tokens and problems must have as many elements as logits has rows}}
  %0:2 = mm01.sample %l, %d temperature %t top_k %k top_p %p into %o, %s
    : tensor<4x8xf32>, tensor<4xi64> into tensor<5xi32>, tensor<4xi32>
  return
}

// -----

func.func @sample_c1_problems(%l: tensor<4x8xf32>, %d: tensor<?xi64>, %t: f32, %k: i64, %p: f32, %o: tensor<4xi32>, %s: tensor<2xi32>) {
  // expected-error @below {{C1: draws, tokens and problems must have as many elements as logits has rows}}
  %0:2 = mm01.sample %l, %d temperature %t top_k %k top_p %p into %o, %s
    : tensor<4x8xf32>, tensor<?xi64> into tensor<4xi32>, tensor<2xi32>
  return
}

// -----

func.func @sample_c2(%l: tensor<?x?xf32>, %d: tensor<?xi64>, %t: f32, %k: i64, %p: f32, %o: tensor<?xi32>, %s: tensor<?xi32>) {
  // expected-error @below {{C2: logits must be [N, V] with V static, from 1 to 2^22}}
  %0:2 = mm01.sample %l, %d temperature %t top_k %k top_p %p into %o, %s
    : tensor<?x?xf32>, tensor<?xi64> into tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @sample_c2_none(%l: tensor<?x0xf32>, %d: tensor<?xi64>, %t: f32, %k: i64, %p: f32, %o: tensor<?xi32>, %s: tensor<?xi32>) {
  // expected-error @below {{C2: logits must be [N, V] with V static, from 1 to 2^22}}
  %0:2 = mm01.sample %l, %d temperature %t top_k %k top_p %p into %o, %s
    : tensor<?x0xf32>, tensor<?xi64> into tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @sample_c2_many(%l: tensor<?x4194305xf32>, %d: tensor<?xi64>, %t: f32, %k: i64, %p: f32, %o: tensor<?xi32>, %s: tensor<?xi32>) {
  // expected-error @below {{C2: logits must be [N, V] with V static, from 1 to 2^22}}
  %0:2 = mm01.sample %l, %d temperature %t top_k %k top_p %p into %o, %s
    : tensor<?x4194305xf32>, tensor<?xi64> into tensor<?xi32>, tensor<?xi32>
  return
}
