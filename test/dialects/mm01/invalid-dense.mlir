// RUN: mm01-opt %s -split-input-file -verify-diagnostics

func.func @embedding_c1(%ids: tensor<5xi32>, %t: !mm01.weight<256x64xbf16>, %o: tensor<4x64xf32>) {
  // expected-error @below {{C1: out must have one row a token}}
  %0 = mm01.embedding %ids, %t into %o : tensor<5xi32>, !mm01.weight<256x64xbf16> into tensor<4x64xf32>
  return
}

// -----

func.func @embedding_c2(%ids: tensor<?xi32>, %t: !mm01.weight<256x32xbf16>, %o: tensor<?x64xf32>) {
  // expected-error @below {{C2: table must be [V, last extent of out]}}
  %0 = mm01.embedding %ids, %t into %o : tensor<?xi32>, !mm01.weight<256x32xbf16> into tensor<?x64xf32>
  return
}

// -----

func.func @embedding_c2_rank(%ids: tensor<?xi32>, %t: !mm01.weight<64xbf16>, %o: tensor<?x64xf32>) {
  // expected-error @below {{C2: table must be [V, last extent of out]}}
  %0 = mm01.embedding %ids, %t into %o : tensor<?xi32>, !mm01.weight<64xbf16> into tensor<?x64xf32>
  return
}

// -----

func.func @rms_norm_c1(%x: tensor<?x64xf32>, %w: !mm01.weight<64xbf16>, %o: tensor<?x32xf32>) {
  // expected-error @below {{C1: out must have the shape of x}}
  %0 = mm01.rms_norm %x, %w into %o {eps = 1.0e-5}
    : tensor<?x64xf32>, !mm01.weight<64xbf16> into tensor<?x32xf32>
  return
}

// -----

func.func @rms_norm_c2(%x: tensor<?x64xf32>, %w: !mm01.weight<32xbf16>, %o: tensor<?x64xf32>) {
  // expected-error @below {{C2: weight must be [last extent of x]}}
  %0 = mm01.rms_norm %x, %w into %o {eps = 1.0e-5}
    : tensor<?x64xf32>, !mm01.weight<32xbf16> into tensor<?x64xf32>
  return
}

// -----

func.func @rms_norm_c2_rank(%x: tensor<?x64xf32>, %w: !mm01.weight<1x64xbf16>, %o: tensor<?x64xf32>) {
  // expected-error @below {{C2: weight must be [last extent of x]}}
  %0 = mm01.rms_norm %x, %w into %o {eps = 1.0e-5}
    : tensor<?x64xf32>, !mm01.weight<1x64xbf16> into tensor<?x64xf32>
  return
}

// -----

func.func @rms_norm_c3(%x: tensor<?x64xf32>, %w: !mm01.weight<64xbf16>, %o: tensor<?x64xf32>) {
  // expected-error @below {{C3: eps must be finite and not negative, found -}}
  %0 = mm01.rms_norm %x, %w into %o {eps = -1.0e-5}
    : tensor<?x64xf32>, !mm01.weight<64xbf16> into tensor<?x64xf32>
  return
}

// -----

// Infinity.
func.func @rms_norm_c3_infinite(%x: tensor<?x64xf32>, %w: !mm01.weight<64xbf16>, %o: tensor<?x64xf32>) {
  // expected-error @below {{C3: eps must be finite and not negative, found INF}}
  %0 = mm01.rms_norm %x, %w into %o {eps = 0x7FF0000000000000 : f64}
    : tensor<?x64xf32>, !mm01.weight<64xbf16> into tensor<?x64xf32>
  return
}

// -----

func.func @rms_norm_element(%x: tensor<?x64xf32>, %w: !mm01.weight<64xbf16>, %o: tensor<?x64xf32>) {
  // expected-error @below {{attribute 'eps' failed to satisfy constraint: 64-bit float attribute}}
  %0 = mm01.rms_norm %x, %w into %o {eps = 1.0e-5 : f32}
    : tensor<?x64xf32>, !mm01.weight<64xbf16> into tensor<?x64xf32>
  return
}

// -----

func.func @linear_c1(%x: tensor<3x64xf32>, %w: !mm01.weight<96x64xbf16>, %o: tensor<4x96xf32>) {
  // expected-error @below {{C1: out must have as many rows as x}}
  %0 = mm01.linear %x, %w into %o : tensor<3x64xf32>, !mm01.weight<96x64xbf16> into tensor<4x96xf32>
  return
}

// -----

func.func @linear_c2(%x: tensor<?x64xf32>, %w: !mm01.weight<64x96xbf16>, %o: tensor<?x96xf32>) {
  // expected-error @below {{C2: weight must be [last extent of out, last extent of x]}}
  %0 = mm01.linear %x, %w into %o : tensor<?x64xf32>, !mm01.weight<64x96xbf16> into tensor<?x96xf32>
  return
}

// -----

func.func @linear_c2_rank(%x: tensor<?x64xf32>, %w: !mm01.weight<1x96x64xbf16>, %o: tensor<?x96xf32>) {
  // expected-error @below {{C2: weight must be [last extent of out, last extent of x]}}
  %0 = mm01.linear %x, %w into %o : tensor<?x64xf32>, !mm01.weight<1x96x64xbf16> into tensor<?x96xf32>
  return
}

// -----

func.func @head_c1(%x: tensor<?x64xf32>, %rows: tensor<2xi32>, %w: !mm01.weight<256x64xbf16>, %o: tensor<1x256xf32>) {
  // expected-error @below {{C1: out must have one row for each element of rows}}
  %0 = mm01.head %x, %rows, %w into %o
    : tensor<?x64xf32>, tensor<2xi32>, !mm01.weight<256x64xbf16> into tensor<1x256xf32>
  return
}

// -----

func.func @head_c2(%x: tensor<?x64xf32>, %rows: tensor<?xi32>, %w: !mm01.weight<256x32xbf16>, %o: tensor<?x256xf32>) {
  // expected-error @below {{C2: weight must be}}
  %0 = mm01.head %x, %rows, %w into %o
    : tensor<?x64xf32>, tensor<?xi32>, !mm01.weight<256x32xbf16> into tensor<?x256xf32>
  return
}

// -----

func.func @head_index(%x: tensor<?x64xf32>, %rows: tensor<?xi64>, %w: !mm01.weight<256x64xbf16>, %o: tensor<?x256xf32>) {
  // expected-error @below {{operand #1 must be tensor of one dimension of i32}}
  %0 = mm01.head %x, %rows, %w into %o
    : tensor<?x64xf32>, tensor<?xi64>, !mm01.weight<256x64xbf16> into tensor<?x256xf32>
  return
}

// -----

func.func @rotary_c1(%x: tensor<?x4x32xf32>, %r: !mm01.ragged, %o: tensor<?x2x32xf32>) {
  // expected-error @below {{C1: out must have the shape of x}}
  %0 = mm01.rotary %x, %r into %o {rotary_dim = 16, theta = 1.0e7}
    : tensor<?x4x32xf32> into tensor<?x2x32xf32>
  return
}

// -----

func.func @rotary_c2(%x: tensor<?x4x32xf32>, %r: !mm01.ragged, %o: tensor<?x4x32xf32>) {
  // expected-error @below {{C2: rotary_dim must be even and at most the head size, found 34}}
  %0 = mm01.rotary %x, %r into %o {rotary_dim = 34, theta = 1.0e7}
    : tensor<?x4x32xf32> into tensor<?x4x32xf32>
  return
}

// -----

func.func @rotary_c2_odd(%x: tensor<?x4x32xf32>, %r: !mm01.ragged, %o: tensor<?x4x32xf32>) {
  // expected-error @below {{C2: rotary_dim must be even and at most the head size, found 7}}
  %0 = mm01.rotary %x, %r into %o {rotary_dim = 7, theta = 1.0e7}
    : tensor<?x4x32xf32> into tensor<?x4x32xf32>
  return
}

// -----

func.func @rotary_c2_negative(%x: tensor<?x4x32xf32>, %r: !mm01.ragged, %o: tensor<?x4x32xf32>) {
  // expected-error @below {{C2: rotary_dim must be even and at most the head size, found -2}}
  %0 = mm01.rotary %x, %r into %o {rotary_dim = -2, theta = 1.0e7}
    : tensor<?x4x32xf32> into tensor<?x4x32xf32>
  return
}

// -----

func.func @rotary_c3(%x: tensor<?x4x32xf32>, %r: !mm01.ragged, %o: tensor<?x4x32xf32>) {
  // expected-error @below {{C3: theta must be finite and positive, found 0}}
  %0 = mm01.rotary %x, %r into %o {rotary_dim = 16, theta = 0.0}
    : tensor<?x4x32xf32> into tensor<?x4x32xf32>
  return
}

// -----

// A table and a norm are read element by element, without scales.
func.func @embedding_int8(%ids: tensor<?xi32>, %t: !mm01.weight<256x64xi8>, %o: tensor<?x64xf32>) {
  // expected-error @below {{operand #1 must be weight stored as floats, but got '!mm01.weight<256x64xi8>'}}
  %0 = mm01.embedding %ids, %t into %o : tensor<?xi32>, !mm01.weight<256x64xi8> into tensor<?x64xf32>
  return
}

// -----

func.func @rms_norm_int8(%x: tensor<?x64xf32>, %w: !mm01.weight<64xi8>) {
  // expected-error @below {{operand #1 must be weight stored as floats, but got '!mm01.weight<64xi8>'}}
  %0 = mm01.rms_norm %x, %w into %x {eps = 1.0e-5} : tensor<?x64xf32>, !mm01.weight<64xi8> into tensor<?x64xf32>
  return
}
