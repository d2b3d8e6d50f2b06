//===- ControlFlowTest.cpp - calls, loops and branches --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/codegen/reference/Support.h"

using namespace mm01::reference;

namespace {
class ControlFlowTest : public ReferenceTest {};
} // namespace

// Fibonacci by a loop: the last step of a bound that is no multiple of the step
// is taken.
TEST_F(ControlFlowTest, ForCarriesValues) {
  parse(R"(func.func @f(%n: index) -> (index, index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %a, %b = scf.for %i = %c0 to %n step %c2 iter_args(%x = %c0, %y = %c1) -> (index, index) {
      %s = arith.addi %x, %y : index
      scf.yield %y, %s : index, index
    }
    return %a, %b : index, index
  })");
  Values results = run({index(9)});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(std::get<Scalar>(results[0]).i, 5);
  EXPECT_EQ(std::get<Scalar>(results[1]).i, 8);
  // No iterations: the initial values.
  EXPECT_EQ(std::get<Scalar>(run({index(0)})[1]).i, 1);
}

TEST_F(ControlFlowTest, WhileIfSwitch) {
  parse(R"(func.func @f(%n: i32) -> (i32, index) {
    %c1 = arith.constant 1 : i32
    %c10 = arith.constant 10 : i32
    %r = scf.while (%x = %n) : (i32) -> i32 {
      %more = arith.cmpi slt, %x, %c10 : i32
      scf.condition(%more) %x : i32
    } do {
    ^bb0(%x: i32):
      %y = arith.addi %x, %x : i32
      scf.yield %y : i32
    }
    %even = arith.constant 2 : i32
    %left = arith.remsi %r, %even : i32
    %zero = arith.cmpi eq, %left, %left : i32
    %i = arith.index_cast %r : i32 to index
    %s = scf.if %zero -> index {
      %t = scf.index_switch %i -> index
      case 12 { %v = arith.constant 100 : index  scf.yield %v : index }
      default { %v = arith.constant 200 : index  scf.yield %v : index }
      scf.yield %t : index
    } else {
      scf.yield %i : index
    }
    return %r, %s : i32, index
  })");
  Values results = run({index(3)});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(std::get<Scalar>(results[0]).i, 12);
  EXPECT_EQ(std::get<Scalar>(results[1]).i, 100);
  EXPECT_EQ(std::get<Scalar>(run({index(5)})[1]).i, 200);
}

// A kernel as the tiled phase has them: each iteration reads and writes its own
// slices of two shared outputs, one of them at a place that data decides.
TEST_F(ControlFlowTest, ForallInsertsSlices) {
  parse(
      R"(func.func @f(%x: tensor<?x2xf32>, %where: tensor<?xindex>, %out: tensor<?x2xf32>, %state: tensor<3xf32>)
      -> (tensor<?x2xf32>, tensor<3xf32>) {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x2xf32>
    %a, %b = scf.forall (%i) in (%n) shared_outs(%o = %out, %s = %state) -> (tensor<?x2xf32>, tensor<3xf32>) {
      %row = tensor.extract_slice %x[%i, 0] [1, 2] [1, 1] : tensor<?x2xf32> to tensor<2xf32>
      %at = tensor.extract %where[%i] : tensor<?xindex>
      %old = tensor.extract_slice %s[%at] [1] [1] : tensor<3xf32> to tensor<f32>
      %v = tensor.extract %old[] : tensor<f32>
      %first = tensor.extract %row[%c0] : tensor<2xf32>
      %new = arith.addf %v, %first : f32
      %t = tensor.from_elements %new : tensor<1xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %row into %o[%i, 0] [1, 2] [1, 1] : tensor<2xf32> into tensor<?x2xf32>
        tensor.parallel_insert_slice %t into %s[%at] [1] [1] : tensor<1xf32> into tensor<3xf32>
      }
    } {mm01.kernel = "test"}
    return %a, %b : tensor<?x2xf32>, tensor<3xf32>
  })");
  Values results =
      run({floats({2, 2}, {1, 2, 3, 4}), integers({2}, {2, 0}, "index"),
           floats({2, 2}, {0, 0, 0, 0}), floats({3}, {10, 20, 30})});
  ASSERT_EQ(results.size(), 2u);
  expectNear(results[0], {1, 2, 3, 4});
  expectNear(results[1], {13, 20, 31});
  // No iterations.
  results = run({floats({0, 2}, {}), integers({0}, {}, "index"),
                 floats({0, 2}, {}), floats({3}, {10, 20, 30})});
  expectNear(results[1], {10, 20, 30});
}

// Iterations that write the same place: the last one in the order of the run
// stays.
TEST_F(ControlFlowTest, ForallBackwards) {
  parse(R"(func.func @f(%out: tensor<1xindex>) -> tensor<1xindex> {
    %r = scf.forall (%i, %j) = (0, 0) to (3, 7) step (1, 3) shared_outs(%o = %out) -> (tensor<1xindex>) {
      %c10 = arith.constant 10 : index
      %a = arith.muli %i, %c10 : index
      %b = arith.addi %a, %j : index
      %t = tensor.from_elements %b : tensor<1xindex>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %t into %o[0] [1] [1] : tensor<1xindex> into tensor<1xindex>
      }
    }
    return %r : tensor<1xindex>
  })");
  InterpreterValue out = integers({1}, {-1}, "index");
  EXPECT_EQ(integerElements(run({out})[0]), std::vector<int64_t>{26});
  EXPECT_EQ(integerElements(run({out}, {.reverseForall = true})[0]),
            std::vector<int64_t>{0});
}

// Values are immutable: whoever kept the old tensor still sees it, and a
// function does not change what its caller holds.
TEST_F(ControlFlowTest, ValuesDoNotChange) {
  parse(R"(
    func.func private @g(%t: tensor<2xf32>, %v: f32) -> tensor<2xf32> {
      %c0 = arith.constant 0 : index
      %r = tensor.insert %v into %t[%c0] : tensor<2xf32>
      return %r : tensor<2xf32>
    }
    func.func @f(%t: tensor<2xf32>, %v: f32) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
      %a = func.call @g(%t, %v) : (tensor<2xf32>, f32) -> tensor<2xf32>
      %w = arith.addf %v, %v : f32
      %b = func.call @g(%a, %w) : (tensor<2xf32>, f32) -> tensor<2xf32>
      return %t, %a, %b : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
    })");
  InterpreterValue argument = floats({2}, {1, 2});
  Values results = run({argument, number(5)});
  ASSERT_EQ(results.size(), 3u);
  expectNear(results[0], {1, 2});
  expectNear(results[1], {5, 2});
  expectNear(results[2], {10, 2});
  expectNear(argument, {1, 2});
}

// A tensor that nobody else holds is written in place, through calls and loops.
TEST_F(ControlFlowTest, LastUsesAreInPlace) {
  parse(R"(
    func.func private @g(%t: tensor<4xf32>, %i: index) -> tensor<4xf32> {
      %v = arith.constant 1.0 : f32
      %r = tensor.insert %v into %t[%i] : tensor<4xf32>
      return %r : tensor<4xf32>
    }
    func.func @f(%t: tensor<4xf32>) -> tensor<4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %t) -> tensor<4xf32> {
        %y = func.call @g(%x, %i) : (tensor<4xf32>, index) -> tensor<4xf32>
        scf.yield %y : tensor<4xf32>
      }
      return %r : tensor<4xf32>
    })");
  Values arguments = {floats({4}, {0, 0, 0, 0})};
  const Scalar *memory = std::get<Tensor>(arguments[0]).data();
  Values results = run(std::move(arguments));
  ASSERT_EQ(results.size(), 1u);
  expectNear(results[0], {1, 1, 1, 1});
  EXPECT_EQ(std::get<Tensor>(results[0]).data(), memory);
}

TEST_F(ControlFlowTest, Refusals) {
  parse(R"(func.func @f(%s: index) {
    %c0 = arith.constant 0 : index
    scf.for %i = %c0 to %s step %c0 { }
    return
  })");
  EXPECT_EQ(refusal({index(3)}), "test.mlir:3:5: 'scf.for' has the step 0, "
                                 "expected a positive one");
  parse(R"(func.func @f(%c: i1) {
    cf.assert %c, "must hold"
    return
  })");
  EXPECT_EQ(refusal({index(0)}),
            "test.mlir:2:5: 'cf.assert' failed: must hold");
  parse(R"(func.func @f() {
    func.call @f() : () -> ()
    return
  })");
  EXPECT_EQ(refusal({}), "test.mlir:1:1: 'func.func' @f is called recursively, "
                         "or more than 200 calls deep");
  parse(R"(func.func @f(%c: i1) {
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    return
  ^bb2:
    return
  })");
  EXPECT_EQ(refusal({index(0)}),
            "test.mlir:1:1: 'func.func' @f has branches between blocks, "
            "expected structured control flow (scf)");
}
