// RUN: mm01-opt %s --mm01-plan-lightning --split-input-file --verify-diagnostics

// A plan is made of costs.
// expected-error @below {{expected mm01.lightning_costs, an array with the costs of each measured head size}}
module {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// The costs of a module are an array.
// expected-error @below {{expected mm01.lightning_costs, an array with the costs of each measured head size}}
module attributes {mm01.lightning_costs = 3} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// An empty array has nothing nearest.
// expected-error @below {{expected mm01.lightning_costs, an array with the costs of each measured head size}}
module attributes {mm01.lightning_costs = []} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// An entry that is something else is not skipped.
// expected-error @below {{expected {head_size = D, levels = array<i64: …>, costs = array<i64: …>} with one cost for each level}}
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64: 1>, costs = array<i64: 10>}, 3]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// Each level has a cost.
// expected-error @below {{expected {head_size = D, levels = array<i64: …>, costs = array<i64: …>} with one cost for each level}}
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64: 1, 32>, costs = array<i64: 10>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// Heads have a size.
// expected-error @below {{has lightning costs for heads of 0, expected a positive size}}
module attributes {mm01.lightning_costs = [{head_size = 0, levels = array<i64: 1>, costs = array<i64: 10>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// Single tokens take every rest, so their cost must be known.
// expected-error @below {{has lightning costs without those of single tokens, expected level 1 first}}
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64: 32>, costs = array<i64: 10>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// No level at all is no better.
// expected-error @below {{has lightning costs without those of single tokens, expected level 1 first}}
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64>, costs = array<i64>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// A level that nobody wrote would end in a kernel that is not there.
// expected-error @below {{has lightning level 48, which has no kernel, expected 1, 4, 8, 16, 32, 64, 128 or 256}}
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64: 1, 48>, costs = array<i64: 10, 300>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// Levels in another order are a slip of the pen, or of a script.
// expected-error @below {{has lightning level 32 after 64, expected levels that rise}}
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64: 1, 64, 32>, costs = array<i64: 10, 300, 200>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// A level has one cost.
// expected-error @below {{has lightning level 64 after 64, expected levels that rise}}
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64: 1, 64, 64>, costs = array<i64: 10, 300, 200>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// Nothing is free.
// expected-error @below {{has a cost of 0 for lightning level 32, expected 1 to 10^12}}
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64: 1, 32>, costs = array<i64: 10, 0>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// No sum of costs may overflow.
// expected-error @below {{has a cost of 1000000000001 for lightning level 1, expected 1 to 10^12}}
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64: 1>, costs = array<i64: 1000000000001>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// Of two tables for one head size none is right.
// expected-error @below {{has two lightning costs for heads of 64, expected one}}
module attributes {mm01.lightning_costs = [{head_size = 64, levels = array<i64: 1>, costs = array<i64: 10>}, {head_size = 64, levels = array<i64: 1>, costs = array<i64: 11>}]} {
  func.func @f(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>,
               %state: tensor<7x?x4x64x64xf32>) -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    %o:2 = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}
