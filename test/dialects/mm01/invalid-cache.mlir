// RUN: mm01-opt %s -split-input-file -verify-diagnostics

func.func @cache_update_c1(%k: tensor<?x2x32xf32>, %v: tensor<?x3x32xf32>, %r: !mm01.ragged, %l: index,
    %keys: tensor<1x?x64x2x32xf32>, %values: tensor<1x?x64x2x32xf32>) {
  // expected-error @below {{C1: k and v must have one type}}
  %0, %1 = mm01.cache_update %k, %v, %r, %l into %keys, %values
    : (tensor<?x2x32xf32>, tensor<?x3x32xf32>) into tensor<1x?x64x2x32xf32>
  return
}

// -----

func.func @cache_update_c2(%k: tensor<?x2x32xf32>, %v: tensor<?x2x32xf32>, %r: !mm01.ragged, %l: index,
    %keys: tensor<1x?x64x2x16xf32>, %values: tensor<1x?x64x2x16xf32>) {
  // expected-error @below {{C2: keys and values must have one type [layers, pages, static page size, KV, d]}}
  %0, %1 = mm01.cache_update %k, %v, %r, %l into %keys, %values
    : tensor<?x2x32xf32> into tensor<1x?x64x2x16xf32>
  return
}

// -----

func.func @cache_update_c2_heads(%k: tensor<?x2x32xf32>, %v: tensor<?x2x32xf32>, %r: !mm01.ragged, %l: index,
    %keys: tensor<1x?x64x4x32xf32>, %values: tensor<1x?x64x4x32xf32>) {
  // expected-error @below {{C2: keys and values must have one type}}
  %0, %1 = mm01.cache_update %k, %v, %r, %l into %keys, %values
    : tensor<?x2x32xf32> into tensor<1x?x64x4x32xf32>
  return
}

// -----

func.func @cache_update_c2_page_size(%k: tensor<?x2x32xf32>, %v: tensor<?x2x32xf32>, %r: !mm01.ragged, %l: index,
    %keys: tensor<1x?x?x2x32xf32>, %values: tensor<1x?x?x2x32xf32>) {
  // expected-error @below {{C2: keys and values must have one type}}
  %0, %1 = mm01.cache_update %k, %v, %r, %l into %keys, %values
    : tensor<?x2x32xf32> into tensor<1x?x?x2x32xf32>
  return
}

// -----

// A page of no rows would be divided by.
func.func @cache_update_c2_empty_page(%k: tensor<?x2x32xf32>, %v: tensor<?x2x32xf32>, %r: !mm01.ragged, %l: index,
    %keys: tensor<1x?x0x2x32xf32>, %values: tensor<1x?x0x2x32xf32>) {
  // expected-error @below {{C2: keys and values must have one type}}
  %0, %1 = mm01.cache_update %k, %v, %r, %l into %keys, %values
    : tensor<?x2x32xf32> into tensor<1x?x0x2x32xf32>
  return
}

// -----

func.func @cache_update_c2_values(%k: tensor<?x2x32xf32>, %v: tensor<?x2x32xf32>, %r: !mm01.ragged, %l: index,
    %keys: tensor<1x?x64x2x32xf32>, %values: tensor<1x?x64x2x32xbf16>) {
  // expected-error @below {{C2: keys and values must have one type}}
  %0, %1 = mm01.cache_update %k, %v, %r, %l into %keys, %values
    : tensor<?x2x32xf32> into (tensor<1x?x64x2x32xf32>, tensor<1x?x64x2x32xbf16>)
  return
}

// -----

func.func @softmax_attention_c1(%q: tensor<?x4x32xf32>, %keys: tensor<1x?x64x2x32xf32>, %values: tensor<1x?x64x2x32xf32>,
    %r: !mm01.ragged, %l: index, %o: tensor<?x4x16xf32>) {
  // expected-error @below {{C1: out must have the shape of q}}
  %0 = mm01.softmax_attention %q, %keys, %values, %r, %l into %o {scale = 0.125}
    : tensor<?x4x32xf32>, tensor<1x?x64x2x32xf32> into tensor<?x4x16xf32>
  return
}

// -----

func.func @softmax_attention_c2(%q: tensor<?x4x32xf32>, %keys: tensor<1x?x?x2x32xf32>, %values: tensor<1x?x?x2x32xf32>,
    %r: !mm01.ragged, %l: index, %o: tensor<?x4x32xf32>) {
  // expected-error @below {{C2: keys and values must have one type}}
  %0 = mm01.softmax_attention %q, %keys, %values, %r, %l into %o {scale = 0.125}
    : tensor<?x4x32xf32>, tensor<1x?x?x2x32xf32> into tensor<?x4x32xf32>
  return
}

// -----

func.func @softmax_attention_c2_head_size(%q: tensor<?x4x32xf32>, %keys: tensor<1x?x64x2x64xf32>, %values: tensor<1x?x64x2x64xf32>,
    %r: !mm01.ragged, %l: index, %o: tensor<?x4x32xf32>) {
  // expected-error @below {{C2: keys and values must have one type}}
  %0 = mm01.softmax_attention %q, %keys, %values, %r, %l into %o {scale = 0.125}
    : tensor<?x4x32xf32>, tensor<1x?x64x2x64xf32> into tensor<?x4x32xf32>
  return
}

// -----

func.func @softmax_attention_c2_values(%q: tensor<?x4x32xf32>, %keys: tensor<1x?x64x2x32xf32>, %values: tensor<1x?x32x2x32xf32>,
    %r: !mm01.ragged, %l: index, %o: tensor<?x4x32xf32>) {
  // expected-error @below {{C2: keys and values must have one type}}
  %0 = mm01.softmax_attention %q, %keys, %values, %r, %l into %o {scale = 0.125}
    : tensor<?x4x32xf32>, (tensor<1x?x64x2x32xf32>, tensor<1x?x32x2x32xf32>) into tensor<?x4x32xf32>
  return
}

// -----

func.func @softmax_attention_c3(%q: tensor<?x4x32xf32>, %keys: tensor<1x?x64x3x32xf32>, %values: tensor<1x?x64x3x32xf32>,
    %r: !mm01.ragged, %l: index, %o: tensor<?x4x32xf32>) {
  // expected-error @below {{C3: the number of heads, 4, must be a multiple of that of key heads, 3}}
  %0 = mm01.softmax_attention %q, %keys, %values, %r, %l into %o {scale = 0.125}
    : tensor<?x4x32xf32>, tensor<1x?x64x3x32xf32> into tensor<?x4x32xf32>
  return
}

// -----

func.func @softmax_attention_c3_none(%q: tensor<?x4x32xf32>, %keys: tensor<1x?x64x0x32xf32>, %values: tensor<1x?x64x0x32xf32>,
    %r: !mm01.ragged, %l: index, %o: tensor<?x4x32xf32>) {
  // expected-error @below {{C3: the number of heads, 4, must be a multiple of that of key heads, 0}}
  %0 = mm01.softmax_attention %q, %keys, %values, %r, %l into %o {scale = 0.125}
    : tensor<?x4x32xf32>, tensor<1x?x64x0x32xf32> into tensor<?x4x32xf32>
  return
}

// -----

func.func @softmax_attention_c4(%q: tensor<?x4x32xf32>, %keys: tensor<1x?x64x2x32xf32>, %values: tensor<1x?x64x2x32xf32>,
    %r: !mm01.ragged, %l: index, %o: tensor<?x4x32xf32>) {
  // expected-error @below {{C4: scale must be finite}}
  %0 = mm01.softmax_attention %q, %keys, %values, %r, %l into %o {scale = 0x7FF8000000000000 : f64}
    : tensor<?x4x32xf32>, tensor<1x?x64x2x32xf32> into tensor<?x4x32xf32>
  return
}
