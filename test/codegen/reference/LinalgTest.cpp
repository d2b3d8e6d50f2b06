//===- LinalgTest.cpp - structured ops, in lanes and point by point -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/codegen/reference/Support.h"

#include <numeric>

using namespace mm01::reference;

namespace {
class LinalgTest : public ReferenceTest {};
} // namespace

TEST_F(LinalgTest, MatmulWithTransposingMaps) {
  parse(R"(
    #a = affine_map<(m, n, k) -> (m, k)>
    #b = affine_map<(m, n, k) -> (n, k)>
    #c = affine_map<(m, n, k) -> (m, n)>
    func.func @f(%x: tensor<?x2xf32>, %w: tensor<3x2xbf16>, %o: tensor<?x3xf32>) -> tensor<?x3xf32> {
      %y = linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %w : tensor<?x2xf32>, tensor<3x2xbf16>)
        outs(%o : tensor<?x3xf32>) -> tensor<?x3xf32>
      return %y : tensor<?x3xf32>
    })");
  Values results = run({floats({2, 2}, {1, 2, 3, 4}),
                        floats({3, 2}, {1, 0, 0, 1, 1, 10}, "bf16"),
                        floats({2, 3}, {100, 0, 0, 0, 0, 0})});
  ASSERT_EQ(results.size(), 1u);
  expectNear(results[0], {101, 2, 21, 3, 4, 43});
}

// More points than lanes, a stride of 3 along them, and the loop's index.
TEST_F(LinalgTest, GenericOverLongColumns) {
  parse(R"(
    #t = affine_map<(i, j) -> (j, i)>
    #id = affine_map<(i, j) -> (i, j)>
    func.func @f(%x: tensor<?x3xf64>, %o: tensor<3x?xf64>) -> tensor<3x?xf64> {
      %y = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<?x3xf64>) outs(%o : tensor<3x?xf64>) {
      ^bb0(%a: f64, %b: f64):
        %j = linalg.index 1 : index
        %n = arith.index_cast %j : index to i64
        %s = arith.sitofp %n : i64 to f64
        %r = arith.subf %a, %s : f64
        linalg.yield %r : f64
      } -> tensor<3x?xf64>
      return %y : tensor<3x?xf64>
    })");
  std::vector<double> x(3000), expected(3000);
  std::iota(x.begin(), x.end(), 0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 1000; ++j)
      expected[i * 1000 + j] = j * 3 + i - j;
  Values results = run({floats({1000, 3}, x, "f64"),
                        floats({3, 1000}, std::vector<double>(3000), "f64")});
  ASSERT_EQ(results.size(), 1u);
  expectNear(results[0], expected);
}

// A reduction to one element has no parallel loop to run in lanes.
TEST_F(LinalgTest, SumOfAll) {
  parse(R"(
    func.func @f(%x: tensor<2x3xf32>) -> f32 {
      %zero = arith.constant 0.5 : f32
      %init = tensor.empty() : tensor<f32>
      %fill = linalg.fill ins(%zero : f32) outs(%init : tensor<f32>) -> tensor<f32>
      %sum = linalg.reduce ins(%x : tensor<2x3xf32>) outs(%fill : tensor<f32>) dimensions = [0, 1]
        (%a: f32, %b: f32) { %s = arith.addf %a, %b : f32  linalg.yield %s : f32 }
      %r = tensor.extract %sum[] : tensor<f32>
      return %r : f32
    })");
  Values results = run({floats({2, 3}, {1, 2, 3, 4, 5, 6})});
  ASSERT_EQ(results.size(), 1u);
  expectNear(results[0], {21.5});
}

// A body that looks up another tensor is run point by point.
TEST_F(LinalgTest, GatherInTheBody) {
  parse(R"(
    #id = affine_map<(i) -> (i)>
    func.func @f(%ids: tensor<?xi32>, %table: tensor<3xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
      %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%ids : tensor<?xi32>) outs(%o : tensor<?xf32>) {
      ^bb0(%id: i32, %b: f32):
        %i = arith.index_cast %id : i32 to index
        %r = tensor.extract %table[%i] : tensor<3xf32>
        linalg.yield %r : f32
      } -> tensor<?xf32>
      return %y : tensor<?xf32>
    })");
  InterpreterValue table = floats({3}, {5, 6, 7});
  Values results =
      run({integers({4}, {2, 2, 0, 1}), table, floats({4}, {0, 0, 0, 0})});
  ASSERT_EQ(results.size(), 1u);
  expectNear(results[0], {7, 7, 5, 6});
  EXPECT_EQ(refusal({integers({1}, {3}), table, floats({1}, {0})}),
            "test.mlir:8:14: 'tensor.extract' index 0 is 3, expected a number "
            "in [0, 3)");
}

TEST_F(LinalgTest, MapBroadcastTranspose) {
  parse(R"(
    func.func @f(%x: tensor<2x3xf32>, %row: tensor<3xf32>) -> tensor<3x2xf32> {
      %e = tensor.empty() : tensor<2x3xf32>
      %b = linalg.broadcast ins(%row : tensor<3xf32>) outs(%e : tensor<2x3xf32>) dimensions = [0]
      %m = linalg.map { arith.maximumf } ins(%x, %b : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>)
      %t = tensor.empty() : tensor<3x2xf32>
      %r = linalg.transpose ins(%m : tensor<2x3xf32>) outs(%t : tensor<3x2xf32>) permutation = [1, 0]
      return %r : tensor<3x2xf32>
    })");
  Values results =
      run({floats({2, 3}, {1, 5, 3, 4, 2, 6}), floats({3}, {2, 3, 4})});
  ASSERT_EQ(results.size(), 1u);
  expectNear(results[0], {2, 4, 5, 3, 4, 6});
}

TEST_F(LinalgTest, ExtentsThatDisagree) {
  parse(
      R"(func.func @f(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %y = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    return %y : tensor<?x?xf32>
  })");
  EXPECT_EQ(refusal({floats({1, 2}, {1, 2}), floats({3, 1}, {1, 2, 3}),
                     floats({1, 1}, {0})}),
            "test.mlir:2:10: 'linalg.matmul' loop 2 runs over dimensions of 2 "
            "and of 3 elements");
}
