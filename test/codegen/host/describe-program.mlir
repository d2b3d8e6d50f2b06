// RUN: mm01-opt %s -split-input-file -mm01-describe-program -verify-diagnostics | FileCheck %s

// Everything a manifest says, but the x86 level.
// CHECK: module attributes {exec.manifest = "{
// CHECK-SAME: \22abi\22:4
// CHECK-SAME: \22entries\22:[{\22arguments\22:[
// CHECK-SAME: {\22extents\22:[\22e0\22],\22kind\22:\22tensor\22,\22role\22:\22tokens\22,\22shape\22:[-1],\22type\22:\22i32\22},
// CHECK-SAME: {\22extents\22:[\22e0\22,null,4],\22kind\22:\22ragged\22},
// CHECK-SAME: {\22kind\22:\22weight\22,\22parameter\22:\22w\22,\22shape\22:[2,8],\22type\22:\22bf16\22},
// CHECK-SAME: {\22kind\22:\22scalar\22,\22type\22:\22index\22},
// CHECK-SAME: {\22kind\22:\22tensor\22,\22shape\22:[4],\22type\22:\22f32\22}],
// CHECK-SAME: \22name\22:\22forward\22,
// CHECK-SAME: \22results\22:[{\22kind\22:\22fresh\22,\22role\22:\22logits\22,\22shape\22:[-1,8],\22type\22:\22f32\22},
// CHECK-SAME: {\22argument\22:4,\22kind\22:\22tied\22}]}]
// CHECK-SAME: \22ignored_tensors\22:[\22*.slope_rate\22]
// CHECK-SAME: \22limits\22:{\22max_sequences\22:8,\22max_tokens\22:64}
// CHECK-SAME: \22mode\22:\22inference\22,\22model\22:{\22vocab_size\22:8},\22parameter_count\22:32
// CHECK-SAME: \22parameters\22:[{\22name\22:\22w\22,\22shape\22:[2,8],
// CHECK-SAME: \22sources\22:[{\22shape\22:[2,8],\22tensor\22:\22a\22},
// CHECK-SAME: {\22first_row\22:2,\22row_stride\22:0,\22shape\22:[4,8],\22tensor\22:\22b\22}],
// CHECK-SAME: \22type\22:\22bf16\22},
// CHECK-SAME: {\22name\22:\22q\22,\22shape\22:[2,8],
// CHECK-SAME: \22stored\22:\22bf16\22,\22type\22:\22i8\22}]
// CHECK-SAME: \22target\22:\22cpu\22}"
module attributes {mm01.max_tokens = 64 : i64, mm01.max_sequences = 8 : i64, mm01.ignored_tensors = ["*.slope_rate"],
                   mm01.model = "{\"vocab_size\": 8}"} {
  mm01.parameter @w : !mm01.weight<2x8xbf16> from [
    #mm01.source<"a" : 2x8>, #mm01.source<"b" : 4x8, rows 2 stride 0>]
  mm01.parameter @q : !mm01.weight<2x8xi8> from [#mm01.source<"q" : 2x8>] stored bf16
  func.func @forward(%tokens: memref<?xi32> {mm01.extents = ["e0"], mm01.role = "tokens"},
                     %r: !mm01.ragged {mm01.extents = ["e0", unit, 4]},
                     %w: !mm01.weight<2x8xbf16> {mm01.parameter = @w}, %n: index, %state: memref<4xf32>) attributes {
      exec.results = [#exec.fresh<"logits" : memref<?x8xf32>>, #exec.tied<4>]} {
    return
  }
  func.func private @layer(%x: memref<4xf64>) {
    return
  }
}

// -----

// expected-error @+1 {{element type 'f64' has no name in a manifest}}
func.func @wrong_element(%x: memref<4xf64>) attributes {exec.results = []} {
  return
}

// -----

// expected-error @+1 {{argument 0 has type 'i1', which has no name in a manifest}}
func.func @wrong_scalar(%x: i1) attributes {exec.results = []} {
  return
}

// -----

// expected-error @+1 {{public function has no 'exec.results', expected a scheduled module}}
func.func @not_scheduled(%x: memref<4xf32>) {
  return
}

// -----

// expected-error @+1 {{'mm01.model' is no JSON}}
module attributes {mm01.model = "{"} {
  func.func @entry() attributes {exec.results = []} {
    return
  }
}

// -----

// expected-error @+1 {{module has no public function, expected one or more entries of the program}}
module {
  func.func private @layer() {
    return
  }
}

// -----

// expected-error @+1 {{'mm01.model' is no JSON object}}
module attributes {mm01.model = "[1]"} {
  func.func @entry() attributes {exec.results = []} {
    return
  }
}

// -----

// expected-error @+1 {{'mm01.ignored_tensors' must hold strings}}
module attributes {mm01.ignored_tensors = [1]} {
  func.func @entry() attributes {exec.results = []} {
    return
  }
}

// -----

// expected-error @+1 {{is too large for 64-bit offsets}}
func.func @too_large(%x: memref<4611686018427387904x8xf32>) attributes {exec.results = []} {
  return
}
