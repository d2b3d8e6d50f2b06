//===- ModelConfigTest.cpp - parameter counts and slopes ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "frontend/safetensors/Checkpoint.h"

#include <cmath>

using namespace mm01;
using namespace mm01::test;

namespace {

// The checkpoint holds every parameter once and nothing else.
TEST(ModelConfigTest, CountsWhatTheCheckpointHolds) {
  Warnings warnings;
  llvm::Expected<ModelConfig> config =
      readConfig(MM01_GOLDEN "/tiny-a", {}, warnings);
  ASSERT_TRUE(bool(config)) << llvm::toString(config.takeError());
  auto checkpoint = safetensors::Checkpoint::open(MM01_GOLDEN "/tiny-a");
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.message();
  int64_t elements = 0;
  for (const safetensors::TensorInfo *tensor : checkpoint->tensors())
    elements += tensor->elements();
  EXPECT_EQ(config->parameterCount(), elements);
}

TEST(ModelConfigTest, TiedEmbeddingsCountOnce) {
  EXPECT_EQ(good(released).parameterCount() -
                good(released, {"tie_word_embeddings=true"}).parameterCount(),
            256 * 64);
}

ModelConfig withHeads(int64_t heads, int64_t layers) {
  ModelConfig config;
  config.heads = heads;
  config.layers.assign(layers, LayerKind::Lightning);
  return config;
}

TEST(SlopeTest, PowerOfTwoHeads) {
  ModelConfig config = withHeads(64, 80);
  EXPECT_DOUBLE_EQ(config.slope(0, 0), std::exp2(-0.125) * (1 + 1e-5));
  EXPECT_DOUBLE_EQ(config.slope(63, 0), std::exp2(-8) * (1 + 1e-5));
  EXPECT_DOUBLE_EQ(config.slope(63, 79), std::exp2(-8) * 1e-5);
  EXPECT_DOUBLE_EQ(config.slope(31, 40),
                   std::exp2(-4) * (1 - 40.0 / 79 + 1e-5));
}

TEST(SlopeTest, OneHead) {
  EXPECT_DOUBLE_EQ(withHeads(1, 2).slope(0, 0), std::exp2(-8) * (1 + 1e-5));
}

TEST(SlopeTest, OneLayer) {
  EXPECT_DOUBLE_EQ(withHeads(8, 1).slope(0, 0), 0.5 * (1 + 1e-5));
}

// Four slopes of 4 heads, then slopes 1 and 3 of 8 heads.
TEST(SlopeTest, SixHeadsInterleave) {
  ModelConfig config = withHeads(6, 2);
  const double exponents[] = {-2, -4, -6, -8, -1, -3};
  for (int64_t head = 0; head < 6; ++head)
    EXPECT_DOUBLE_EQ(config.slope(head, 0),
                     std::exp2(exponents[head]) * (1 + 1e-5));
}

} // namespace
