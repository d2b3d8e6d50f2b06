// RUN: mm01-opt %s --mm01-plan-lightning --split-input-file --verify-diagnostics

// A plan has parts.
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64: 1>, costs = array<i64: 10>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    // expected-error @below {{expected {repeat = LEVEL, rest = […]}}}
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      {mm01.lightning_plan = {repeat = 64}}
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// Its levels have kernels.
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64: 1>, costs = array<i64: 10>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    // expected-error @below {{has lightning level 512, which has no kernel, expected 1, 4, 8, 16, 32, 64, 128 or 256}}
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      {mm01.lightning_plan = {repeat = 512, rest = []}}
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// So have those of its rest.
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64: 1>, costs = array<i64: 10>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    // expected-error @below {{has lightning level 12, which has no kernel, expected 1, 4, 8, 16, 32, 64, 128 or 256}}
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      {mm01.lightning_plan = {repeat = 64, rest = [{bound = 20, items = array<i64: 12>}]}}
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// An entry of the rest has parts.
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64: 1>, costs = array<i64: 10>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    // expected-error @below {{in its plan, expected {bound = N, items = array<i64: …>}}}
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      {mm01.lightning_plan = {repeat = 64, rest = [{bound = 20}]}}
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// The first bound that fits decides.
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64: 1>, costs = array<i64: 10>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    // expected-error @below {{has a rest up to 20 tokens after 20 in its plan, expected bounds that rise}}
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      {mm01.lightning_plan = {repeat = 64, rest = [{bound = 20, items = array<i64>}, {bound = 20, items = array<i64: 32>}]}}
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// No rest is empty.
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64: 1>, costs = array<i64: 10>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    // expected-error @below {{has a rest up to 0 tokens after 0 in its plan, expected bounds that rise}}
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      {mm01.lightning_plan = {repeat = 64, rest = [{bound = 0, items = array<i64>}]}}
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// The last item alone may be padded, so it is the smallest.
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64: 1>, costs = array<i64: 10>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    // expected-error @below {{has an item of level 64 for up to 90 tokens in its plan, expected levels of blocks that fall}}
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      {mm01.lightning_plan = {repeat = 64, rest = [{bound = 40, items = array<i64>}, {bound = 90, items = array<i64: 32, 64>}]}}
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// Single tokens are what items leave.
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64: 1>, costs = array<i64: 10>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    // expected-error @below {{has an item of level 1 for up to 90 tokens in its plan, expected levels of blocks that fall}}
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      {mm01.lightning_plan = {repeat = 64, rest = [{bound = 90, items = array<i64: 1>}]}}
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// At 33 tokens the second item would have none.
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64: 1>, costs = array<i64: 10>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    // expected-error @below {{has an item of level 32 without rows for 33 tokens in its plan, expected the items before to leave some}}
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      {mm01.lightning_plan = {repeat = 128, rest = [{bound = 32, items = array<i64: 32>}, {bound = 90, items = array<i64: 64, 32>}]}}
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}
