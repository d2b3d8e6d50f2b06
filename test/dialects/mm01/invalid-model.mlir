// RUN: mm01-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{C1: expected at least one source}}
mm01.parameter @parameter_c1 : !mm01.weight<64xbf16> from []

// -----

// expected-error @below {{C2: source "experts.{}.w1" must have the shape of a part, tensor<96x64xbf16>}}
mm01.parameter @parameter_c2 : !mm01.weight<4x96x64xbf16> from [#mm01.source<"experts.{}.w1" : 64x96>]

// -----

// expected-error @below {{C3: source "w1" has no 4 distinct parts of type tensor<96x64xbf16> at these rows}}
mm01.parameter @parameter_c3 : !mm01.weight<4x96x64xbf16> from [#mm01.source<"w1" : 4x96x32, rows 0 stride 96>]

// -----

// The last part would end one row after the tensor.
// expected-error @below {{C3: source "w1" has no 4 distinct parts}}
mm01.parameter @parameter_c3_rows : !mm01.weight<4x96x64xbf16> from [#mm01.source<"w1" : 4x96x64, rows 1 stride 96>]

// -----

// Without a stride all experts would be the first.
// expected-error @below {{C3: source "w1" has no 4 distinct parts}}
mm01.parameter @parameter_c3_stride : !mm01.weight<4x96x64xbf16> from [#mm01.source<"w1" : 4x96x64>]

// -----

// A row past the end, so far that its byte offset overflows.
// expected-error @below {{C3: source "w" has no 1 distinct parts}}
mm01.parameter @parameter_c3_far : !mm01.weight<96x64xbf16> from [#mm01.source<"w" : 96x64, rows 9223372036854775807 stride 0>]

// -----

// expected-error @below {{C3: source "w1" has no 4 distinct parts}}
mm01.parameter @parameter_c3_wide : !mm01.weight<4x96x64xbf16> from [#mm01.source<"w1" : 4x96x64, rows 0 stride 9223372036854775807>]

// -----

func.func @weight_part_c1(%w: !mm01.weight<4x96x64xbf16>, %e: index) {
  // expected-error @below {{C1: expected the type of a part, tensor<96x64xbf16>, found tensor<96x64xf32>}}
  %0 = mm01.weight_part %w[%e] : !mm01.weight<4x96x64xbf16> -> tensor<96x64xf32>
  return
}

// -----

// expected-error @below {{C4: only an i8 parameter is 'stored' as another type, found !mm01.weight<64xbf16>}}
mm01.parameter @parameter_c4 : !mm01.weight<64xbf16> from [#mm01.source<"w" : 64>] stored bf16

// -----

// expected-error @below {{C4: expected an i8 parameter to be 'stored' as f32, f16 or bf16, found nothing}}
mm01.parameter @parameter_c4_missing : !mm01.weight<64xi8> from [#mm01.source<"w" : 64>]

// -----

// expected-error @below {{C4: expected an i8 parameter to be 'stored' as f32, f16 or bf16, found i8}}
mm01.parameter @parameter_c4_type : !mm01.weight<64xi8> from [#mm01.source<"w" : 64>] stored i8

// -----

func.func @weight_scales_c1(%w: !mm01.weight<4x96x64xbf16>, %e: index) {
  // expected-error @below {{C1: expected a weight of i8, found !mm01.weight<4x96x64xbf16>}}
  %0 = mm01.weight_scales %w[%e] : !mm01.weight<4x96x64xbf16> -> tensor<96xf32>
  return
}

// -----

func.func @weight_scales_c2(%w: !mm01.weight<4x96x64xi8>, %e: index) {
  // expected-error @below {{C2: expected a scale for each row, tensor<96xf32>, found tensor<64xf32>}}
  %0 = mm01.weight_scales %w[%e] : !mm01.weight<4x96x64xi8> -> tensor<64xf32>
  return
}

// -----

func.func @ragged_get_c1(%r: !mm01.ragged, %i: index) {
  // expected-error @below {{C1: field page_table takes 2 indices, found 1}}
  %0 = mm01.ragged_get %r page_table[%i]
  return
}

// -----

func.func @ragged_get_c1_one(%r: !mm01.ragged, %i: index) {
  // expected-error @below {{C1: field past takes 1 indices, found 2}}
  %0 = mm01.ragged_get %r past[%i, %i]
  return
}

// -----

func.func @ragged_size_unknown(%r: !mm01.ragged) {
  // expected-error @below {{expected ::mm01::RaggedExtent to be one of: tokens, sequences, pages}}
  %0 = mm01.ragged_size %r heads
  // The parser stands here by now:
  // expected-error @below {{failed to parse Mm01_RaggedExtentAttr parameter}}
  return
}
