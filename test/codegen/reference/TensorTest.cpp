//===- TensorTest.cpp - making, viewing and slicing tensors ---------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/codegen/reference/Support.h"

#include <cmath>
#include <limits>

using namespace mm01::reference;

namespace {
class TensorTest : public ReferenceTest {};
} // namespace

// What was never written is NaN, so that reading it shows.
TEST_F(TensorTest, EmptyIsNotANumber) {
  parse(R"(func.func @f(%n: index) -> (tensor<?x2xf32>, index) {
    %t = tensor.empty(%n) : tensor<?x2xf32>
    %c1 = arith.constant 1 : index
    %d = tensor.dim %t, %c1 : tensor<?x2xf32>
    return %t, %d : tensor<?x2xf32>, index
  })");
  Values results = run({index(1)});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(shapeOf(results[0]), (std::vector<int64_t>{1, 2}));
  EXPECT_TRUE(std::isnan(floatElements(results[0])[1]));
  EXPECT_EQ(std::get<Scalar>(results[1]).i, 2);
  EXPECT_EQ(refusal({index(-1)}), "test.mlir:2:10: 'tensor.empty' a tensor of "
                                  "the shape [-1, 2] has a negative extent");
  EXPECT_EQ(refusal({index(int64_t(1) << 62)}),
            "test.mlir:2:10: 'tensor.empty' a tensor of the shape "
            "[4611686018427387904, 2] has more than 1073741824 elements");
}

TEST_F(TensorTest, SplatGeneratePadConcat) {
  parse(
      R"(func.func @f(%v: f32, %n: index) -> (tensor<?xf32>, tensor<2x?xindex>, tensor<?xf32>, tensor<5xf32>) {
    %s = tensor.splat %v[%n] : tensor<?xf32>
    %g = tensor.generate %n {
    ^bb0(%i: index, %j: index):
      %c10 = arith.constant 10 : index
      %k = arith.muli %i, %c10 : index
      %r = arith.addi %k, %j : index
      tensor.yield %r : index
    } : tensor<2x?xindex>
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %s low[1] high[%n] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
    } : tensor<?xf32> to tensor<?xf32>
    %a = tensor.from_elements %v, %zero : tensor<2xf32>
    %b = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %c = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
    return %s, %g, %p, %c : tensor<?xf32>, tensor<2x?xindex>, tensor<?xf32>, tensor<5xf32>
  })");
  Values results = run({number(7), index(2)});
  ASSERT_EQ(results.size(), 4u);
  expectNear(results[0], {7, 7});
  EXPECT_EQ(integerElements(results[1]), (std::vector<int64_t>{0, 1, 10, 11}));
  expectNear(results[2], {0, 7, 7, 0, 0});
  expectNear(results[3], {7, 0, 1, 2, 3});
}

// Extents that would overflow when they are added up.
TEST_F(TensorTest, PadRefusesOddExtents) {
  parse(R"(func.func @f(%t: tensor<2xf32>, %n: index) -> tensor<?xf32> {
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %t low[%n] high[%n] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
    } : tensor<2xf32> to tensor<?xf32>
    return %p : tensor<?xf32>
  })");
  InterpreterValue t = floats({2}, {1, 2});
  EXPECT_EQ(refusal({t, index(std::numeric_limits<int64_t>::max())}),
            "test.mlir:3:10: 'tensor.pad' a padding is 9223372036854775807, "
            "expected a number in [0, 1073741824)");
  EXPECT_EQ(refusal({t, index(-1)}),
            "test.mlir:3:10: 'tensor.pad' a padding is -1, expected a number "
            "in [0, 1073741824)");
}

TEST_F(TensorTest, ShapesOfTheSameElements) {
  parse(
      R"(func.func @f(%t: tensor<?x6xf32>, %n: index) -> (tensor<?x2x3xf32>, tensor<?xf32>, tensor<2x6xf32>) {
    %e = tensor.expand_shape %t [[0], [1, 2]] output_shape [%n, 2, 3] : tensor<?x6xf32> into tensor<?x2x3xf32>
    %c = tensor.collapse_shape %t [[0, 1]] : tensor<?x6xf32> into tensor<?xf32>
    %s = tensor.cast %t : tensor<?x6xf32> to tensor<2x6xf32>
    return %e, %c, %s : tensor<?x2x3xf32>, tensor<?xf32>, tensor<2x6xf32>
  })");
  std::vector<double> t = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  Values results = run({floats({2, 6}, t), index(2)});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(shapeOf(results[0]), (std::vector<int64_t>{2, 2, 3}));
  EXPECT_EQ(shapeOf(results[1]), (std::vector<int64_t>{12}));
  expectNear(results[1], t);
  EXPECT_EQ(refusal({floats({2, 6}, t), index(3)}),
            "test.mlir:2:10: 'tensor.expand_shape' expands [2, 6] to "
            "[3, 2, 3], which has another number of elements");
  EXPECT_EQ(refusal({floats({1, 6}, {1, 2, 3, 4, 5, 6}), index(1)}),
            "test.mlir:4:10: 'tensor.cast' a tensor has the shape [1, 6], "
            "expected [2, 6]");
}

// A slice with an offset, a stride and a dropped dimension, taken and put back.
TEST_F(TensorTest, Slices) {
  parse(
      R"(func.func @f(%t: tensor<2x5xf32>, %i: index, %n: index) -> (tensor<?xf32>, tensor<2x5xf32>) {
    %s = tensor.extract_slice %t[%i, 1] [1, %n] [1, 2] : tensor<2x5xf32> to tensor<?xf32>
    %c0 = arith.constant 0 : index
    %r = tensor.insert_slice %s into %t[%c0, 0] [1, %n] [1, 1] : tensor<?xf32> into tensor<2x5xf32>
    return %s, %r : tensor<?xf32>, tensor<2x5xf32>
  })");
  InterpreterValue t = floats({2, 5}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  Values results = run({t, index(1), index(2)});
  ASSERT_EQ(results.size(), 2u);
  expectNear(results[0], {6, 8});
  expectNear(results[1], {6, 8, 2, 3, 4, 5, 6, 7, 8, 9});
  // An empty slice is fine wherever it is.
  EXPECT_EQ(shapeOf(run({t, index(2), index(0)})[0]),
            (std::vector<int64_t>{0}));
  EXPECT_EQ(refusal({t, index(1), index(3)}),
            "test.mlir:2:10: 'tensor.extract_slice' takes 3 elements from 1 by "
            "steps of 2 in dimension 1, expected elements in [0, 5)");
  EXPECT_EQ(refusal({t, index(-1), index(2)}),
            "test.mlir:2:10: 'tensor.extract_slice' takes 1 elements from -1 "
            "by steps of 1 in dimension 0, expected elements in [0, 2)");
}

// The rank may be unknown in between; the shape is checked where it is known.
TEST_F(TensorTest, UnknownRanks) {
  parse(R"(func.func @f(%t: tensor<2xf32>) -> (tensor<?xf32>, tensor<1x2xf32>) {
    %u = tensor.cast %t : tensor<2xf32> to tensor<*xf32>
    %r = tensor.cast %u : tensor<*xf32> to tensor<?xf32>
    %s = tensor.cast %u : tensor<*xf32> to tensor<1x2xf32>
    return %r, %s : tensor<?xf32>, tensor<1x2xf32>
  })");
  EXPECT_EQ(refusal({floats({2}, {1, 2})}),
            "test.mlir:4:10: 'tensor.cast' a tensor has the shape [2], "
            "expected [1, 2]");
}

TEST_F(TensorTest, WeightPartsAndRaggedBatches) {
  parse(
      R"(func.func @f(%w: !mm01.weight<2x2x1xf32>, %e: index, %r: !mm01.ragged) -> (tensor<2x1xf32>, index, index, index, index, index) {
    %p = mm01.weight_part %w[%e] : !mm01.weight<2x2x1xf32> -> tensor<2x1xf32>
    %t = mm01.ragged_size %r tokens
    %n = mm01.ragged_size %r sequences
    %c1 = arith.constant 1 : index
    %page = mm01.ragged_get %r page_table[%e, %c1]
    %c2 = arith.constant 2 : index
    %position = mm01.ragged_get %r token_position[%c2]
    %sequence = mm01.ragged_get %r token_sequence[%c2]
    return %p, %t, %n, %page, %position, %sequence : tensor<2x1xf32>, index, index, index, index, index
  })");
  InterpreterValue w = weight("!mm01.weight<2x2x1xf32>", {1, 2, 3, 4});
  InterpreterValue r = ragged({1, 2}, {0, 7}, {0, 1}, {10, 11, 12, 13});
  Values results = run({w, index(1), r});
  ASSERT_EQ(results.size(), 6u);
  expectNear(results[0], {3, 4});
  std::vector<int64_t> expected = {3, 2, 13, 8, 1};
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(std::get<Scalar>(results[i + 1]).i, expected[i]) << i;
  EXPECT_EQ(refusal({w, index(2), r}),
            "test.mlir:2:10: 'mm01.weight_part' the part is 2, expected a "
            "number in [0, 2)");
}
