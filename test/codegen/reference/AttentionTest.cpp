//===- AttentionTest.cpp - attention against results by hand --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/codegen/reference/Support.h"

#include <cmath>

using namespace mm01::reference;

namespace {

class AttentionTest : public ReferenceTest {};

constexpr const char *kLightning = R"(
  func.func @f(%q: tensor<?x2x2xf32>, %k: tensor<?x2x2xf32>, %v: tensor<?x2x2xf32>,
               %slopes: tensor<2xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x2x2xf32>,
               %state: tensor<2x?x2x2x2xf32>) -> (tensor<?x2x2xf32>, tensor<2x?x2x2x2xf32>) {
    %o, %s = mm01.lightning_attention %q, %k, %v, %slopes, %r, %layer into %out, %state
      : tensor<?x2x2xf32>, tensor<2xf32> into tensor<?x2x2xf32>, tensor<2x?x2x2x2xf32>
    return %o, %s : tensor<?x2x2xf32>, tensor<2x?x2x2x2xf32>
  })";

} // namespace

// Head 0 does not decay, head 1 halves its state at each token.
TEST_F(AttentionTest, LightningUpdatesThenReads) {
  parse(kLightning);
  double ln2 = std::log(2.0);
  std::vector<double> q = {1, 0, 1, 0, 1, 1, 1, 1};
  std::vector<double> k = {1, 2, 1, 2, 3, 0, 3, 0};
  std::vector<double> v = {1, 10, 1, 10, 2, 20, 2, 20};
  std::vector<double> garbage(16, 7);
  Values results =
      run({floats({2, 2, 2}, q), floats({2, 2, 2}, k), floats({2, 2, 2}, v),
           floats({2}, {0, ln2}), ragged({2}, {0}, {0}), index(1),
           floats({2, 2, 2}, std::vector<double>(8, 7)),
           floats({2, 1, 2, 2, 2}, garbage)});
  ASSERT_EQ(results.size(), 2u);
  // After token 0 both heads hold [[1, 10], [2, 20]]; q reads its first row.
  // After token 1 head 0 holds [[7, 70], [2, 20]], head 1
  // [[6.5, 65], [1, 10]]; q adds up the rows.
  expectNear(results[0], {1, 10, 1, 10, 9, 90, 7.5, 75});
  // Layer 0 is as it was; of layer 1 the 7 in the slot is gone, as past is 0.
  expectNear(results[1],
             {7, 7, 7, 7, 7, 7, 7, 7, 7, 70, 2, 20, 6.5, 65, 1, 10});
}

// In reverse the second token comes first.
TEST_F(AttentionTest, LightningInReverse) {
  std::string text = kLightning;
  std::string outs = "into %out, %state";
  text.insert(text.find(outs) + outs.size(), " {mm01.reverse}");
  parse(text);
  double ln2 = std::log(2.0);
  std::vector<double> q = {1, 0, 1, 0, 1, 1, 1, 1};
  std::vector<double> k = {1, 2, 1, 2, 3, 0, 3, 0};
  std::vector<double> v = {1, 10, 1, 10, 2, 20, 2, 20};
  Values results =
      run({floats({2, 2, 2}, q), floats({2, 2, 2}, k), floats({2, 2, 2}, v),
           floats({2}, {0, ln2}), ragged({2}, {0}, {0}), index(1),
           floats({2, 2, 2}, std::vector<double>(8, 7)),
           floats({2, 1, 2, 2, 2}, std::vector<double>(16, 7))});
  ASSERT_EQ(results.size(), 2u);
  // After token 1 both heads hold [[6, 60], [0, 0]], after token 0 head 0
  // [[7, 70], [2, 20]], head 1 [[4, 40], [2, 20]].
  expectNear(results[0], {7, 70, 4, 40, 6, 60, 6, 60});
  expectNear(results[1], {7, 7, 7, 7, 7, 7, 7, 7, 7, 70, 2, 20, 4, 40, 2, 20});
}

// Two sequences: one goes on from its slot, one is new in a slot that held
// something.
TEST_F(AttentionTest, LightningContinuesFromTheSlot) {
  parse(kLightning);
  std::vector<double> ones(8, 1), state(2 * 3 * 2 * 4, 5);
  Values results =
      run({floats({2, 2, 2}, ones), floats({2, 2, 2}, ones),
           floats({2, 2, 2}, ones), floats({2}, {0, 0}),
           ragged({1, 1}, {4, 0}, {2, 1}), index(0), floats({2, 2, 2}, ones),
           floats({2, 3, 2, 2, 2}, state)});
  ASSERT_EQ(results.size(), 2u);
  expectNear(results[0], {12, 12, 12, 12, 2, 2, 2, 2});
  std::vector<double> expected = state;
  std::fill_n(expected.begin() + 1 * 8, 8, 1); // slot 1
  std::fill_n(expected.begin() + 2 * 8, 8, 6); // slot 2
  expectNear(results[1], expected);
}

// Pages of two positions: position 3 of a sequence is row 1 of its second page.
TEST_F(AttentionTest, CacheUpdateFindsThePage) {
  parse(R"(
    func.func @f(%k: tensor<?x1x2xf32>, %v: tensor<?x1x2xf32>, %r: !mm01.ragged, %layer: index,
                 %keys: tensor<2x?x2x1x2xf32>, %values: tensor<2x?x2x1x2xf32>)
        -> (tensor<2x?x2x1x2xf32>, tensor<2x?x2x1x2xf32>) {
      %nk, %nv = mm01.cache_update %k, %v, %r, %layer into %keys, %values
        : tensor<?x1x2xf32> into tensor<2x?x2x1x2xf32>
      return %nk, %nv : tensor<2x?x2x1x2xf32>, tensor<2x?x2x1x2xf32>
    })");
  std::vector<double> zeros(2 * 3 * 2 * 2, 0);
  // Sequence 0: one token at position 3, pages 1 and 2. Sequence 1: one token
  // at position 0, page 0.
  Values results =
      run({floats({2, 1, 2}, {1, 2, 3, 4}), floats({2, 1, 2}, {5, 6, 7, 8}),
           ragged({1, 1}, {3, 0}, {0, 1}, {1, 2, 0, -1}), index(1),
           floats({2, 3, 2, 1, 2}, zeros), floats({2, 3, 2, 1, 2}, zeros)});
  ASSERT_EQ(results.size(), 2u);
  std::vector<double> keys(zeros), values(zeros);
  keys[12 + 0] = 3, keys[12 + 1] = 4, keys[12 + 10] = 1, keys[12 + 11] = 2;
  values[12 + 0] = 7, values[12 + 1] = 8, values[12 + 10] = 5,
              values[12 + 11] = 6;
  expectNear(results[0], keys);
  expectNear(results[1], values);
}

// Keys that differ by ln 3 after the scale share 1 : 3. Two query heads read
// key head 0, two read key head 1.
TEST_F(AttentionTest, SoftmaxIsCausalAndGrouped) {
  parse(R"(
    func.func @f(%q: tensor<?x4x1xf32>, %keys: tensor<1x?x2x2x1xf32>, %values: tensor<1x?x2x2x1xf32>,
                 %r: !mm01.ragged, %layer: index, %out: tensor<?x4x1xf32>) -> tensor<?x4x1xf32> {
      %o = mm01.softmax_attention %q, %keys, %values, %r, %layer into %out {scale = 0.5}
        : tensor<?x4x1xf32>, tensor<1x?x2x2x1xf32> into tensor<?x4x1xf32>
      return %o : tensor<?x4x1xf32>
    })");
  double ln3 = std::log(3.0);
  // [page, row, key head]: position 0 is page 0 row 0, position 1 page 0 row 1.
  Values results =
      run({floats({2, 4, 1}, {2, 2, 2, 2, 2, 0, 2, 0}),
           floats({1, 1, 2, 2, 1}, {0, ln3, ln3, 0}),
           floats({1, 1, 2, 2, 1}, {4, 40, 8, 80}), ragged({2}, {0}, {0}, {0}),
           index(0), floats({2, 4, 1}, std::vector<double>(8, 9))});
  ASSERT_EQ(results.size(), 1u);
  // Token 0 sees position 0 alone. Token 1, head 0: (4 + 3·8) / 4; head 1 has a
  // zero query: the mean of 4 and 8; head 2: (3·40 + 80) / 4; head 3: mean.
  expectNear(results[0], {4, 4, 40, 40, 7, 6, 50, 60});
}
