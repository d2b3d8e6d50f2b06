//===- PresetsTest.cpp - the presets have the documented dimensions -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "models/minimax01/presets/Presets.h"

#include "gtest/gtest.h"

using namespace mm01;

namespace {

void noWarning(llvm::StringRef line) { ADD_FAILURE() << line.str(); }

// The last column of the table in docs/contract.md.
TEST(PresetsTest, ParameterCounts) {
  const std::pair<llvm::StringRef, int64_t> counts[] = {
      {"text-01", 456'089'655'296},
      {"text-01-period", 47'821'518'848},
      {"text-160m", 154'210'048},
      {"text-tiny", 3'054'592},
  };
  std::vector<llvm::StringRef> names = presetNames();
  ASSERT_EQ(names.size(), std::size(counts));
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(names[i], counts[i].first);
    EXPECT_TRUE(isPreset(names[i]));
    llvm::Expected<ModelConfig> config = readPreset(names[i], {}, noWarning);
    ASSERT_TRUE(bool(config)) << llvm::toString(config.takeError());
    EXPECT_EQ(config->parameterCount(), counts[i].second);
    for (int64_t layer = 0; layer < config->layerCount(); ++layer)
      EXPECT_EQ(config->layers[layer] == LayerKind::Softmax, layer % 8 == 7);
  }
}

TEST(PresetsTest, TakesOverrides) {
  llvm::Expected<ModelConfig> config =
      readPreset("text-tiny", {"vocab_size=300"}, noWarning);
  ASSERT_TRUE(bool(config)) << llvm::toString(config.takeError());
  EXPECT_EQ(config->vocab, 300);
}

TEST(PresetsTest, UnknownName) {
  EXPECT_FALSE(isPreset("text"));
  llvm::Expected<ModelConfig> config = readPreset("text", {}, noWarning);
  ASSERT_FALSE(bool(config));
  EXPECT_EQ(llvm::toString(config.takeError()),
            "'text' is no preset, expected one of text-01 text-01-period "
            "text-160m text-tiny");
}

} // namespace
