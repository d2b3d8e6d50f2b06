// RUN: mm01-opt %s -split-input-file -verify-diagnostics

func.func @route_c1(%l: tensor<?x4xf32>, %w: tensor<?x5xf32>, %e: tensor<?x5xi32>) {
  // expected-error @below {{C1: weights and experts must be [T, k] with 1 <= k <= E}}
  %0, %1 = mm01.route %l into %w, %e : tensor<?x4xf32> into tensor<?x5xf32>, tensor<?x5xi32>
  return
}

// -----

func.func @route_c1_none(%l: tensor<?x4xf32>, %w: tensor<?x0xf32>, %e: tensor<?x0xi32>) {
  // expected-error @below {{C1: weights and experts must be [T, k] with 1 <= k <= E}}
  %0, %1 = mm01.route %l into %w, %e : tensor<?x4xf32> into tensor<?x0xf32>, tensor<?x0xi32>
  return
}

// -----

func.func @route_c1_dynamic(%l: tensor<?x?xf32>, %w: tensor<?x2xf32>, %e: tensor<?x2xi32>) {
  // expected-error @below {{C1: weights and experts must be [T, k] with 1 <= k <= E}}
  %0, %1 = mm01.route %l into %w, %e : tensor<?x?xf32> into tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

func.func @route_c1_experts(%l: tensor<?x4xf32>, %w: tensor<?x2xf32>, %e: tensor<?x?xi32>) {
  // expected-error @below {{C1: weights and experts must be [T, k] with 1 <= k <= E}}
  %0, %1 = mm01.route %l into %w, %e : tensor<?x4xf32> into tensor<?x2xf32>, tensor<?x?xi32>
  return
}

// -----

func.func @dispatch_c1(%x: tensor<?x64xf32>, %e: tensor<?x2xi32>, %rows: tensor<?x64xf32>, %o: tensor<5xi32>, %p: tensor<?x3xi32>) {
  // expected-error @below {{C1: experts and positions must be [rows of x, k]}}
  %0, %1, %2 = mm01.dispatch %x, %e into %rows, %o, %p
    : tensor<?x64xf32>, tensor<?x2xi32> into tensor<?x64xf32>, tensor<5xi32>, tensor<?x3xi32>
  return
}

// -----

func.func @dispatch_c1_tokens(%x: tensor<3x64xf32>, %e: tensor<4x2xi32>, %rows: tensor<?x64xf32>, %o: tensor<5xi32>, %p: tensor<4x2xi32>) {
  // expected-error @below {{C1: experts and positions must be [rows of x, k]}}
  %0, %1, %2 = mm01.dispatch %x, %e into %rows, %o, %p
    : tensor<3x64xf32>, tensor<4x2xi32> into tensor<?x64xf32>, tensor<5xi32>, tensor<4x2xi32>
  return
}

// -----

func.func @dispatch_c2(%x: tensor<?x64xf32>, %e: tensor<?x2xi32>, %rows: tensor<?x32xf32>, %o: tensor<5xi32>, %p: tensor<?x2xi32>) {
  // expected-error @below {{C2: rows must be [T·k, last extent of x]}}
  %0, %1, %2 = mm01.dispatch %x, %e into %rows, %o, %p
    : tensor<?x64xf32>, tensor<?x2xi32> into tensor<?x32xf32>, tensor<5xi32>, tensor<?x2xi32>
  return
}

// -----

func.func @dispatch_c2_rows(%x: tensor<?x64xf32>, %e: tensor<3x2xi32>, %rows: tensor<5x64xf32>, %o: tensor<5xi32>, %p: tensor<3x2xi32>) {
  // expected-error @below {{C2: rows must be [T·k, last extent of x]}}
  %0, %1, %2 = mm01.dispatch %x, %e into %rows, %o, %p
    : tensor<?x64xf32>, tensor<3x2xi32> into tensor<5x64xf32>, tensor<5xi32>, tensor<3x2xi32>
  return
}

// -----

// 2^62 tokens of 4 experts: the product is 0 in 64 bits.
func.func @dispatch_c2_overflow(%x: tensor<?x64xf32>, %e: tensor<4611686018427387904x4xi32>, %rows: tensor<0x64xf32>, %o: tensor<5xi32>, %p: tensor<4611686018427387904x4xi32>) {
  // expected-error @below {{C2: rows must be [T·k, last extent of x]}}
  %0, %1, %2 = mm01.dispatch %x, %e into %rows, %o, %p
    : tensor<?x64xf32>, tensor<4611686018427387904x4xi32> into tensor<0x64xf32>, tensor<5xi32>, tensor<4611686018427387904x4xi32>
  return
}

// -----

func.func @dispatch_c3(%x: tensor<?x64xf32>, %e: tensor<?x2xi32>, %rows: tensor<?x64xf32>, %o: tensor<?xi32>, %p: tensor<?x2xi32>) {
  // expected-error @below {{C3: offsets must have a static number of at least two elements}}
  %0, %1, %2 = mm01.dispatch %x, %e into %rows, %o, %p
    : tensor<?x64xf32>, tensor<?x2xi32> into tensor<?x64xf32>, tensor<?xi32>, tensor<?x2xi32>
  return
}

// -----

func.func @dispatch_c3_one(%x: tensor<?x64xf32>, %e: tensor<?x2xi32>, %rows: tensor<?x64xf32>, %o: tensor<1xi32>, %p: tensor<?x2xi32>) {
  // expected-error @below {{C3: offsets must have a static number of at least two elements}}
  %0, %1, %2 = mm01.dispatch %x, %e into %rows, %o, %p
    : tensor<?x64xf32>, tensor<?x2xi32> into tensor<?x64xf32>, tensor<1xi32>, tensor<?x2xi32>
  return
}

// -----

func.func @grouped_linear_c1(%rows: tensor<3x64xf32>, %o: tensor<5xi32>, %w: !mm01.weight<4x96x64xbf16>, %out: tensor<2x96xf32>) {
  // expected-error @below {{C1: out must have as many rows as the operand rows}}
  %0 = mm01.grouped_linear %rows, %o, %w into %out
    : tensor<3x64xf32>, tensor<5xi32>, !mm01.weight<4x96x64xbf16> into tensor<2x96xf32>
  return
}

// -----

func.func @grouped_linear_c2(%rows: tensor<?x64xf32>, %o: tensor<5xi32>, %w: !mm01.weight<4x64x96xbf16>, %out: tensor<?x96xf32>) {
  // expected-error @below {{C2: weight must be [E, last extent of out, last extent of rows]}}
  %0 = mm01.grouped_linear %rows, %o, %w into %out
    : tensor<?x64xf32>, tensor<5xi32>, !mm01.weight<4x64x96xbf16> into tensor<?x96xf32>
  return
}

// -----

func.func @grouped_linear_c2_rank(%rows: tensor<?x64xf32>, %o: tensor<5xi32>, %w: !mm01.weight<96x64xbf16>, %out: tensor<?x96xf32>) {
  // expected-error @below {{C2: weight must be [E, last extent of out, last extent of rows]}}
  %0 = mm01.grouped_linear %rows, %o, %w into %out
    : tensor<?x64xf32>, tensor<5xi32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
  return
}

// -----

func.func @grouped_linear_c3(%rows: tensor<?x64xf32>, %o: tensor<4xi32>, %w: !mm01.weight<4x96x64xbf16>, %out: tensor<?x96xf32>) {
  // expected-error @below {{C3: offsets must have 5 elements}}
  %0 = mm01.grouped_linear %rows, %o, %w into %out
    : tensor<?x64xf32>, tensor<4xi32>, !mm01.weight<4x96x64xbf16> into tensor<?x96xf32>
  return
}

// -----

func.func @combine_c1(%rows: tensor<?x64xf32>, %p: tensor<?x2xi32>, %w: tensor<?x3xf32>, %o: tensor<?x64xf32>) {
  // expected-error @below {{C1: positions and weights must be [rows of out, k]}}
  %0 = mm01.combine %rows, %p, %w into %o
    : tensor<?x64xf32>, tensor<?x2xi32>, tensor<?x3xf32> into tensor<?x64xf32>
  return
}

// -----

func.func @combine_c1_tokens(%rows: tensor<?x64xf32>, %p: tensor<3x2xi32>, %w: tensor<3x2xf32>, %o: tensor<4x64xf32>) {
  // expected-error @below {{C1: positions and weights must be [rows of out, k]}}
  %0 = mm01.combine %rows, %p, %w into %o
    : tensor<?x64xf32>, tensor<3x2xi32>, tensor<3x2xf32> into tensor<4x64xf32>
  return
}

// -----

func.func @combine_c2(%rows: tensor<?x64xf32>, %p: tensor<?x2xi32>, %w: tensor<?x2xf32>, %o: tensor<?x32xf32>) {
  // expected-error @below {{C2: out must have the last extent of rows}}
  %0 = mm01.combine %rows, %p, %w into %o
    : tensor<?x64xf32>, tensor<?x2xi32>, tensor<?x2xf32> into tensor<?x32xf32>
  return
}
