// RUN: mm01-opt %s -split-input-file -verify-diagnostics

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
func.func @all_reduce_c1(%x: tensor<8x64xf32>, %o: tensor<4x64xf32>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C1: out must have the type of x}}
  %p, %t1 = mm01.all_reduce sum %x into %o after %t0 : tensor<8x64xf32> into tensor<4x64xf32>, !mm01.token<@CP>
  %y = mm01.wait %p : !mm01.pending<tensor<4x64xf32>>
  return %t1 : !mm01.token<@CP>
}

// -----

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
func.func @all_reduce_c1_element(%x: tensor<8x64xf32>, %o: tensor<8x64xbf16>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C1: out must have the type of x}}
  %p, %t1 = mm01.all_reduce sum %x into %o after %t0 : tensor<8x64xf32> into tensor<8x64xbf16>, !mm01.token<@CP>
  %y = mm01.wait %p : !mm01.pending<tensor<8x64xbf16>>
  return %t1 : !mm01.token<@CP>
}

// -----

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
func.func @all_to_all_c1(%x: tensor<8x64xf32>, %o: tensor<8x32xf32>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C1: x and out must have one type but for the extent of dimension 0}}
  %p, %t1 = mm01.all_to_all %x into %o after %t0 : tensor<8x64xf32> into tensor<8x32xf32>, !mm01.token<@CP>
  %y = mm01.wait %p : !mm01.pending<tensor<8x32xf32>>
  return %t1 : !mm01.token<@CP>
}

// -----

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
func.func @all_to_all_c2(%x: tensor<8x64xf32>, %o: tensor<4x64xf32>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C2: x and out must have the same number of rows, a multiple of 4}}
  %p, %t1 = mm01.all_to_all %x into %o after %t0 : tensor<8x64xf32> into tensor<4x64xf32>, !mm01.token<@CP>
  %y = mm01.wait %p : !mm01.pending<tensor<4x64xf32>>
  return %t1 : !mm01.token<@CP>
}

// -----

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
func.func @all_to_all_c2_remainder(%x: tensor<?x64xf32>, %o: tensor<6x64xf32>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C2: x and out must have the same number of rows, a multiple of 4}}
  %p, %t1 = mm01.all_to_all %x into %o after %t0 : tensor<?x64xf32> into tensor<6x64xf32>, !mm01.token<@CP>
  %y = mm01.wait %p : !mm01.pending<tensor<6x64xf32>>
  return %t1 : !mm01.token<@CP>
}

// -----

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
func.func @all_to_all_c3(%x: tensor<?x64xf32>, %o: tensor<?x64xf32>, %c: tensor<4xi32>, %d: tensor<5xi32>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C3: expected one count for each of 4 ranks}}
  %p, %t1 = mm01.all_to_all %x send %c receive %d into %o after %t0 : tensor<?x64xf32>, tensor<4xi32>, tensor<5xi32> into tensor<?x64xf32>, !mm01.token<@CP>
  %y = mm01.wait %p : !mm01.pending<tensor<?x64xf32>>
  return %t1 : !mm01.token<@CP>
}

// -----

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
func.func @all_to_all_c3_one(%x: tensor<?x64xf32>, %c: tensor<4xi32>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C3: send and receive go together}}
  %p, %t1 = "mm01.all_to_all"(%x, %x, %t0, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}>
    : (tensor<?x64xf32>, tensor<?x64xf32>, !mm01.token<@CP>, tensor<4xi32>)
    -> (!mm01.pending<tensor<?x64xf32>>, !mm01.token<@CP>)
  %y = mm01.wait %p : !mm01.pending<tensor<?x64xf32>>
  return %t1 : !mm01.token<@CP>
}

// -----

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
func.func @ring_shift_c1(%x: tensor<8x64xf32>, %o: tensor<8x32xf32>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C1: out must have the type of x}}
  %p, %t1 = mm01.ring_shift %x by 1 into %o after %t0 : tensor<8x64xf32> into tensor<8x32xf32>, !mm01.token<@CP>
  %y = mm01.wait %p : !mm01.pending<tensor<8x32xf32>>
  return %t1 : !mm01.token<@CP>
}
