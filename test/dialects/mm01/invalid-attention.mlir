// RUN: mm01-opt %s -split-input-file -verify-diagnostics

func.func @lightning_attention_c1(%q: tensor<?x4x32xf32>, %s: tensor<4xf32>, %r: !mm01.ragged, %l: index,
    %o: tensor<?x4x16xf32>, %st: tensor<7x?x4x32x32xf32>) {
  // expected-error @below {{C1: q, k, v and out must have one shape}}
  %0, %1 = mm01.lightning_attention %q, %q, %q, %s, %r, %l into %o, %st
    : tensor<?x4x32xf32>, tensor<4xf32> into tensor<?x4x16xf32>, tensor<7x?x4x32x32xf32>
  return
}

// -----

// k and v have 37 and 38 tokens: each alone fits q.
func.func @lightning_attention_c1_tokens(%q: tensor<?x4x32xf32>, %k: tensor<37x4x32xf32>, %v: tensor<38x4x32xf32>, %s: tensor<4xf32>,
    %r: !mm01.ragged, %l: index, %st: tensor<7x?x4x32x32xf32>) {
  // expected-error @below {{C1: q, k, v and out must have one shape}}
  %0, %1 = mm01.lightning_attention %q, %k, %v, %s, %r, %l into %q, %st
    : (tensor<?x4x32xf32>, tensor<37x4x32xf32>, tensor<38x4x32xf32>), tensor<4xf32>
    into tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
  return
}

// -----

func.func @lightning_attention_c1_element(%q: tensor<?x4x32xf32>, %k: tensor<?x4x32xbf16>, %s: tensor<4xf32>, %r: !mm01.ragged, %l: index,
    %st: tensor<7x?x4x32x32xf32>) {
  // expected-error @below {{C1: q, k, v and out must have one shape, and q, k and v one element type}}
  %0, %1 = mm01.lightning_attention %q, %k, %k, %s, %r, %l into %q, %st
    : (tensor<?x4x32xf32>, tensor<?x4x32xbf16>, tensor<?x4x32xbf16>), tensor<4xf32>
    into tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
  return
}

// -----

func.func @lightning_attention_c2(%q: tensor<?x4x32xf32>, %s: tensor<3xf32>, %r: !mm01.ragged, %l: index,
    %o: tensor<?x4x32xf32>, %st: tensor<7x?x4x32x32xf32>) {
  // expected-error @below {{C2: expected one slope for each head}}
  %0, %1 = mm01.lightning_attention %q, %q, %q, %s, %r, %l into %o, %st
    : tensor<?x4x32xf32>, tensor<3xf32> into tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
  return
}

// -----

func.func @lightning_attention_c3(%q: tensor<?x4x32xf32>, %s: tensor<4xf32>, %r: !mm01.ragged, %l: index,
    %o: tensor<?x4x32xf32>, %st: tensor<7x?x4x32x16xf32>) {
  // expected-error @below {{C3: state must be [layers, slots, H, d, d] with H and d of q, tensor<?x4x32xf32>}}
  %0, %1 = mm01.lightning_attention %q, %q, %q, %s, %r, %l into %o, %st
    : tensor<?x4x32xf32>, tensor<4xf32> into tensor<?x4x32xf32>, tensor<7x?x4x32x16xf32>
  return
}

// -----

func.func @lightning_attention_c3_heads(%q: tensor<?x4x32xf32>, %s: tensor<4xf32>, %r: !mm01.ragged, %l: index,
    %o: tensor<?x4x32xf32>, %st: tensor<7x?x2x32x32xf32>) {
  // expected-error @below {{C3: state must be}}
  %0, %1 = mm01.lightning_attention %q, %q, %q, %s, %r, %l into %o, %st
    : tensor<?x4x32xf32>, tensor<4xf32> into tensor<?x4x32xf32>, tensor<7x?x2x32x32xf32>
  return
}

// -----

func.func @lightning_attention_c4(%q: tensor<?x4x32xf32>, %s: tensor<4xbf16>, %r: !mm01.ragged, %l: index,
    %o: tensor<?x4x32xf32>, %st: tensor<7x?x4x32x32xf32>) {
  // expected-error @below {{C4: slopes and state must be f32 or wider}}
  %0, %1 = mm01.lightning_attention %q, %q, %q, %s, %r, %l into %o, %st
    : tensor<?x4x32xf32>, tensor<4xbf16> into tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
  return
}

// -----

func.func @lightning_attention_c4_state(%q: tensor<?x4x32xf32>, %s: tensor<4xf32>, %r: !mm01.ragged, %l: index,
    %o: tensor<?x4x32xf32>, %st: tensor<7x?x4x32x32xf16>) {
  // expected-error @below {{C4: slopes and state must be f32 or wider}}
  %0, %1 = mm01.lightning_attention %q, %q, %q, %s, %r, %l into %o, %st
    : tensor<?x4x32xf32>, tensor<4xf32> into tensor<?x4x32xf32>, tensor<7x?x4x32x32xf16>
  return
}

// -----

// A cache without a layer dimension.
func.func @lightning_attention_rank(%q: tensor<?x4x32xf32>, %s: tensor<4xf32>, %r: !mm01.ragged, %l: index,
    %o: tensor<?x4x32xf32>, %st: tensor<?x4x32x32xf32>) {
  // expected-error @below {{operand #7 must be cache tensor of five dimensions of floats}}
  %0, %1 = mm01.lightning_attention %q, %q, %q, %s, %r, %l into %o, %st
    : tensor<?x4x32xf32>, tensor<4xf32> into tensor<?x4x32xf32>, tensor<?x4x32x32xf32>
  return
}

// -----

func.func @lightning_attention_unranked(%q: tensor<*xf32>, %s: tensor<4xf32>, %r: !mm01.ragged, %l: index,
    %o: tensor<?x4x32xf32>, %st: tensor<7x?x4x32x32xf32>) {
  // expected-error @below {{operand #0 must be tensor of floats [tokens, heads, head size]}}
  %0, %1 = mm01.lightning_attention %q, %q, %q, %s, %r, %l into %o, %st
    : tensor<*xf32>, tensor<4xf32> into tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
  return
}
