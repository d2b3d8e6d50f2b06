// RUN: mm01-opt %s --mm01-plan-lightning --split-input-file | FileCheck %s

// 20 tokens cost as much alone as in a block of 32, 50 as much with one as in a block of 64; the costs of heads of 128
// are not taken for heads of 64.
module attributes {mm01.lightning_costs = [
    {head_size = 64, levels = array<i64: 1, 32, 64>, costs = array<i64: 10, 200, 380>},
    {head_size = 128, levels = array<i64: 1>, costs = array<i64: 10>}]} {
// CHECK-LABEL: func.func @cheapest
// CHECK: mm01.lightning_attention {{.*}} {mm01.lightning_plan = {repeat = 64 : i64, rest = [{bound = 19 : i64, items = array<i64>}, {bound = 49 : i64, items = array<i64: 32>}]}}
func.func @cheapest(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index,
                    %out: tensor<?x4x64xf32>, %state: tensor<7x?x4x64x64xf32>)
    -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
  %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
    : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  return %o, %s : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
}

// A head size that was not measured takes the costs of the nearest by ratio: 96 is nearer to 128 than to 64.
// CHECK-LABEL: func.func @between
// CHECK: mm01.lightning_attention {{.*}} {mm01.lightning_plan = {repeat = 1 : i64, rest = []}}
func.func @between(%q: tensor<?x4x96xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index,
                   %out: tensor<?x4x96xf32>, %state: tensor<7x?x4x96x96xf32>)
    -> (tensor<?x4x96xf32>, tensor<7x?x4x96x96xf32>) {
  %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
    : tensor<?x4x96xf32>, tensor<4xf32> into tensor<?x4x96xf32>, tensor<7x?x4x96x96xf32>
  return %o, %s : tensor<?x4x96xf32>, tensor<7x?x4x96x96xf32>
}

// A plan that is there stays.
// CHECK-LABEL: func.func @forced
// CHECK: mm01.lightning_attention {{.*}} {mm01.lightning_plan = {repeat = 256 : i64, rest = []}}
func.func @forced(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index,
                  %out: tensor<?x4x64xf32>, %state: tensor<7x?x4x64x64xf32>)
    -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
  %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
    {mm01.lightning_plan = {repeat = 256, rest = []}}
    : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  return %o, %s : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
}

// No kernel takes a dynamic head size: form-kernels says so.
// CHECK-LABEL: func.func @dynamic
// CHECK-NOT: lightning_plan
// CHECK: return
func.func @dynamic(%q: tensor<?x4x?xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index,
                   %out: tensor<?x4x?xf32>, %state: tensor<7x?x4x?x?xf32>)
    -> (tensor<?x4x?xf32>, tensor<7x?x4x?x?xf32>) {
  %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
    : tensor<?x4x?xf32>, tensor<4xf32> into tensor<?x4x?xf32>, tensor<7x?x4x?x?xf32>
  return %o, %s : tensor<?x4x?xf32>, tensor<7x?x4x?x?xf32>
}
}

// -----

// Single tokens that are cheaper than a block are still no plan for long sequences: each rounds the state.
module attributes {mm01.lightning_costs = [
    {head_size = 64, levels = array<i64: 1, 8, 16>, costs = array<i64: 3, 40, 81>}]} {
// CHECK-LABEL: func.func @cheap_tokens
// CHECK: mm01.lightning_attention {{.*}} {mm01.lightning_plan = {repeat = 8 : i64, rest = [{bound = 7 : i64, items = array<i64>}]}}
func.func @cheap_tokens(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index,
                        %out: tensor<?x4x64xf32>, %state: tensor<7x?x4x64x64xf32>)
    -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
  %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
    : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  return %o, %s : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
}
}

// -----

// Without the op no costs are needed.
// CHECK-LABEL: func.func @nothing
func.func @nothing() {
  return
}
