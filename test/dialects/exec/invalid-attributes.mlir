// RUN: mm01-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{a kernel takes its workgroup first and has no results}}
func.func private @no_workgroup() attributes {exec.kernel} {
  return
}

// -----

// expected-error @+1 {{'exec.scratch_bytes' must be an i64, not negative}}
func.func private @negative_scratch(%workgroup: index) attributes {exec.scratch_bytes = -1 : i64} {
  return
}

// -----

// expected-error @+1 {{result tied to argument 1, but the function has 1}}
func.func @tied_to_nothing(%x: memref<4xf32>) attributes {exec.results = [#exec.tied<1>]} {
  return
}

// -----

// expected-error @+1 {{expected #exec.fresh or #exec.tied}}
func.func @other_result(%x: memref<4xf32>) attributes {exec.results = [1]} {
  return
}

// -----

// expected-error @+1 {{a frame names one argument and one extent for each of its map's 1 symbols}}
func.func @frame() attributes {exec.frame = #exec.frame<()[s0] -> (s0), arguments = [], extents = []>} {
  return
}

// -----

// expected-error @+1 {{unknown attribute 'exec.other'}}
func.func @other() attributes {exec.other} {
  return
}

// -----

func.func @not_a_function() {
  // expected-error @+1 {{'exec.kernel' belongs on a function}}
  %c0 = arith.constant {exec.kernel} 0 : index
  return
}

// -----

// expected-error @+1 {{'exec.dynamic_shared_bytes' must be an i64, not negative}}
func.func private @negative_shared() attributes {exec.dynamic_shared_bytes = -1 : i64} {
  return
}

// -----

// expected-error @+1 {{'exec.target' is a string on a module}}
func.func private @target() attributes {exec.target = "sm_90a"} {
  return
}

// -----

func.func private @kernel(%workgroup: index, %r: !mm01.ragged) attributes {exec.kernel}
func.func @other_sequences(%r: !mm01.ragged, %n: index) {
  // expected-error @+1 {{'exec.sequences' must be a #exec.sequences}}
  exec.launch @kernel grid(%n) (%r) {exec.sequences = "single"} : !mm01.ragged
  return
}

// -----

func.func private @kernel(%workgroup: index) attributes {exec.kernel}
func.func @sequences_of_nothing(%n: index) {
  // expected-error @+1 {{'exec.sequences' belongs on what takes exactly one !mm01.ragged}}
  exec.launch @kernel grid(%n) () {exec.sequences = #exec.sequences<single>}
  return
}

// -----

func.func private @kernel(%workgroup: index, %r: !mm01.ragged, %s: !mm01.ragged) attributes {exec.kernel}
func.func @sequences_of_two(%r: !mm01.ragged, %s: !mm01.ragged, %n: index) {
  // expected-error @+1 {{'exec.sequences' belongs on what takes exactly one !mm01.ragged}}
  exec.launch @kernel grid(%n) (%r, %s) {exec.sequences = #exec.sequences<single>} : !mm01.ragged, !mm01.ragged
  return
}
