// RUN: mm01-opt %s -split-input-file -verify-diagnostics

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
func.func @all_gather_c1(%x: tensor<8x64xf32>, %o: tensor<32x32xf32>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C1: x and out must have one type but for the extent of dimension 0}}
  %p, %t1 = mm01.all_gather %x along 0 into %o after %t0 : tensor<8x64xf32> into tensor<32x32xf32>, !mm01.token<@CP>
  %y = mm01.wait %p : !mm01.pending<tensor<32x32xf32>>
  return %t1 : !mm01.token<@CP>
}

// -----

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
func.func @all_gather_c1_dimension(%x: tensor<8x64xf32>, %o: tensor<32x64xf32>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C1: x and out must have one type but for the extent of dimension 2}}
  %p, %t1 = mm01.all_gather %x along 2 into %o after %t0 : tensor<8x64xf32> into tensor<32x64xf32>, !mm01.token<@CP>
  %y = mm01.wait %p : !mm01.pending<tensor<32x64xf32>>
  return %t1 : !mm01.token<@CP>
}

// -----

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
func.func @all_gather_c1_negative(%x: tensor<8x64xf32>, %o: tensor<32x64xf32>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C1: x and out must have one type but for the extent of dimension -1}}
  %p, %t1 = mm01.all_gather %x along -1 into %o after %t0 : tensor<8x64xf32> into tensor<32x64xf32>, !mm01.token<@CP>
  %y = mm01.wait %p : !mm01.pending<tensor<32x64xf32>>
  return %t1 : !mm01.token<@CP>
}

// -----

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
func.func @all_gather_c1_scalar(%x: tensor<f32>, %o: tensor<f32>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C1: x and out must have one type but for the extent of dimension 0}}
  %p, %t1 = mm01.all_gather %x along 0 into %o after %t0 : tensor<f32> into tensor<f32>, !mm01.token<@CP>
  %y = mm01.wait %p : !mm01.pending<tensor<f32>>
  return %t1 : !mm01.token<@CP>
}

// -----

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
func.func @all_gather_c2(%x: tensor<8x64xf32>, %o: tensor<16x64xf32>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C2: out must have 4 times the extent of x, found tensor<16x64xf32> and tensor<8x64xf32>}}
  %p, %t1 = mm01.all_gather %x along 0 into %o after %t0 : tensor<8x64xf32> into tensor<16x64xf32>, !mm01.token<@CP>
  %y = mm01.wait %p : !mm01.pending<tensor<16x64xf32>>
  return %t1 : !mm01.token<@CP>
}

// -----

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
func.func @all_gather_c3(%x: tensor<?x64xf32>, %o: tensor<?x64xf32>, %c: tensor<2xi32>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C3: expected one count for each of 4 ranks, along dimension 0, found tensor<2xi32>}}
  %p, %t1 = mm01.all_gather %x along 0 counts %c into %o after %t0 : tensor<?x64xf32>, tensor<2xi32> into tensor<?x64xf32>, !mm01.token<@CP>
  %y = mm01.wait %p : !mm01.pending<tensor<?x64xf32>>
  return %t1 : !mm01.token<@CP>
}

// -----

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
func.func @all_gather_c3_dimension(%x: tensor<?x64xf32>, %o: tensor<?x64xf32>, %c: tensor<4xi32>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C3: expected one count for each of 4 ranks, along dimension 0}}
  %p, %t1 = mm01.all_gather %x along 1 counts %c into %o after %t0 : tensor<?x64xf32>, tensor<4xi32> into tensor<?x64xf32>, !mm01.token<@CP>
  %y = mm01.wait %p : !mm01.pending<tensor<?x64xf32>>
  return %t1 : !mm01.token<@CP>
}

// -----

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
func.func @reduce_scatter_c1(%x: tensor<8x64xf32>, %o: tensor<8xf32>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C1: x and out must have one type but for the extent of dimension 0}}
  %p, %t1 = mm01.reduce_scatter sum %x along 0 into %o after %t0 : tensor<8x64xf32> into tensor<8xf32>, !mm01.token<@CP>
  %y = mm01.wait %p : !mm01.pending<tensor<8xf32>>
  return %t1 : !mm01.token<@CP>
}

// -----

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
func.func @reduce_scatter_c2(%x: tensor<8x64xf32>, %o: tensor<4x64xf32>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C2: x must have 4 times the extent of out, found tensor<8x64xf32> and tensor<4x64xf32>}}
  %p, %t1 = mm01.reduce_scatter sum %x along 0 into %o after %t0 : tensor<8x64xf32> into tensor<4x64xf32>, !mm01.token<@CP>
  %y = mm01.wait %p : !mm01.pending<tensor<4x64xf32>>
  return %t1 : !mm01.token<@CP>
}

// -----

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
// Nine rows of four ranks, whatever out has.
func.func @reduce_scatter_c2_remainder(%x: tensor<9x64xf32>, %o: tensor<?x64xf32>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C2: x must have 4 times the extent of out}}
  %p, %t1 = mm01.reduce_scatter sum %x along 0 into %o after %t0 : tensor<9x64xf32> into tensor<?x64xf32>, !mm01.token<@CP>
  %y = mm01.wait %p : !mm01.pending<tensor<?x64xf32>>
  return %t1 : !mm01.token<@CP>
}

// -----

mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @CP over @world axes ["cp"]
func.func @reduce_scatter_c3(%x: tensor<?x64xf32>, %o: tensor<?x64xf32>, %c: tensor<2xi32>, %t0: !mm01.token<@CP>) -> !mm01.token<@CP> {
  // expected-error @below {{C3: expected one count for each of 4 ranks}}
  %p, %t1 = mm01.reduce_scatter sum %x along 0 counts %c into %o after %t0 : tensor<?x64xf32>, tensor<2xi32> into tensor<?x64xf32>, !mm01.token<@CP>
  %y = mm01.wait %p : !mm01.pending<tensor<?x64xf32>>
  return %t1 : !mm01.token<@CP>
}
