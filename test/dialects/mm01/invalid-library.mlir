// RUN: mm01-opt %s -split-input-file -verify-diagnostics

func.func @library_linear_c1(%x: tensor<5x64xbf16>, %w: !mm01.weight<96x64xbf16>, %o: tensor<4x96xf32>) {
  // expected-error @below {{C1: out must have as many rows as x}}
  %0 = mm01.library_linear %x, %w into %o above 16
    : tensor<5x64xbf16>, !mm01.weight<96x64xbf16> into tensor<4x96xf32>
  return
}

// -----

func.func @library_linear_c2(%x: tensor<?x64xbf16>, %w: !mm01.weight<96x32xbf16>, %o: tensor<?x96xf32>) {
  // expected-error @below {{C2: weight must be [last extent of out, last extent of x]}}
  %0 = mm01.library_linear %x, %w into %o above 16
    : tensor<?x64xbf16>, !mm01.weight<96x32xbf16> into tensor<?x96xf32>
  return
}

// -----

func.func @library_linear_c3(%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xbf16>, %o: tensor<?x96xf32>) {
  // expected-error @below {{C3: x and weight must be of one type, bf16 or f16, and out of it or f32}}
  %0 = mm01.library_linear %x, %w into %o above 16
    : tensor<?x64xf32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
  return
}

// -----

func.func @library_linear_c3_out(%x: tensor<?x64xbf16>, %w: !mm01.weight<96x64xbf16>, %o: tensor<?x96xf16>) {
  // expected-error @below {{C3: x and weight must be of one type, bf16 or f16, and out of it or f32}}
  %0 = mm01.library_linear %x, %w into %o above 16
    : tensor<?x64xbf16>, !mm01.weight<96x64xbf16> into tensor<?x96xf16>
  return
}

// -----

func.func @library_linear_c4(%x: tensor<?x64xbf16>, %w: !mm01.weight<96x64xbf16>, %o: tensor<?x96xf32>) {
  // expected-error @below {{C4: above must not be negative, found -1}}
  %0 = mm01.library_linear %x, %w into %o above -1
    : tensor<?x64xbf16>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
  return
}
