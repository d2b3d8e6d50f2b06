// RUN: split-file %s %t
// RUN: mm01-opt %t/v4.mlir -mm01-set-lightning-costs | FileCheck %t/v4.mlir
// RUN: mm01-opt %t/none.mlir -mm01-set-lightning-costs | FileCheck %t/none.mlir
// RUN: mm01-opt %t/given.mlir -mm01-set-lightning-costs | FileCheck %t/given.mlir
// RUN: not mm01-opt %t/unknown.mlir -mm01-set-lightning-costs 2>&1 | FileCheck %t/unknown.mlir

//--- v4.mlir
// The measured head sizes of the level, each with all levels of blocks.
// CHECK: module attributes {mm01.isa = "x86-64-v4", mm01.lightning_costs = [
// CHECK-SAME: {costs = array<i64: {{[0-9, ]+}}>, head_size = 32 : i64, levels = array<i64: 1, 4, 8, 16, 32, 64, 128, 256>},
// CHECK-SAME: {costs = array<i64: {{[0-9, ]+}}>, head_size = 64 : i64, levels = array<i64: 1, 4, 8, 16, 32, 64, 128, 256>},
// CHECK-SAME: {costs = array<i64: {{[0-9, ]+}}>, head_size = 128 : i64, levels = array<i64: 1, 4, 8, 16, 32, 64, 128, 256>}]}
module attributes {mm01.isa = "x86-64-v4"} {}

//--- none.mlir
// A module without a level is costed as x86-64-v3.
// CHECK: module attributes {mm01.lightning_costs = [{costs = array<i64:
module {}

//--- given.mlir
// Costs that are there stay: they force levels.
// CHECK: module attributes {mm01.isa = "x86-64-v4", mm01.lightning_costs = []}
module attributes {mm01.isa = "x86-64-v4", mm01.lightning_costs = []} {}

//--- unknown.mlir
// CHECK: error: 'builtin.module' op has mm01.isa "sparc", for which no costs of lightning attention were measured, expected x86-64-v2, x86-64-v3 or x86-64-v4
module attributes {mm01.isa = "sparc"} {}
