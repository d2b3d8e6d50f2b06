//===- ManifestTest.cpp - what a manifest may say ------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"

#include "runtime/core/Glob.h"
#include "runtime/core/Manifest.h"

using namespace mm01;
using namespace mm01::test;

TEST(Manifest, ReadsEverything) {
  Result<Manifest> manifest = parseManifest(testManifest(), "p.so");
  ASSERT_TRUE(manifest.ok()) << manifest.message();
  EXPECT_EQ(manifest->target, "cpu");
  EXPECT_EQ(manifest->maxTokens, 64);
  EXPECT_EQ(manifest->maxSequences, 4);
  EXPECT_EQ(manifest->vocabularySize, 16);
  EXPECT_EQ(manifest->parameterCount, 1234567);
  EXPECT_EQ(manifest->text, testManifest());
  ASSERT_EQ(manifest->entries.size(), 4u);
  const EntrySpec &affine = manifest->entries[0];
  EXPECT_EQ(affine.arguments[0].shape, (std::vector<int64_t>{-1, 4}));
  EXPECT_EQ(affine.arguments[1].kind, ArgumentKind::Scalar);
  EXPECT_EQ(affine.arguments[3].parameter, 1u);
  EXPECT_EQ(affine.results[1].kind, ResultKind::Tied);
  EXPECT_EQ(affine.results[1].shape, affine.arguments[0].shape);
  EXPECT_EQ(manifest->entries[1].findArgument("keys"), 3u);
  EXPECT_EQ(manifest->entries[1].findArgument("nothing"), std::nullopt);
  EXPECT_EQ(manifest->entries[1].findResult("logits"), 0u);
  EXPECT_TRUE(affine.extentRules.empty());
  const std::vector<ExtentRule> &rules = manifest->entries[2].extentRules;
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].place.argument, 1u);
  EXPECT_EQ(rules[0].place.extent, 1u);
  ASSERT_TRUE(rules[0].like);
  EXPECT_EQ(rules[0].like->argument, 0u);
  EXPECT_EQ(rules[0].like->extent, 1u);
  const ParameterSpec &stack = manifest->parameters[1];
  EXPECT_EQ(stack.partCount(), 2);
  EXPECT_EQ(stack.partBytes(), 24);
  EXPECT_EQ(stack.sources[0].tensorOf(1), "model.experts.1.w1");
  EXPECT_EQ(stack.sources[1].firstRow, 3);
  EXPECT_EQ(*manifest->findEntry("product"), 2u);
  expectLine(manifest->findEntry("x").message(), {"'x'", "affine, batch"});
}

namespace {

struct Mistake {
  const char *from, *to;
  std::initializer_list<const char *> words;
};

} // namespace

// Each replaces one piece of a good manifest; the message names the path.
TEST(Manifest, RefusesMistakes) {
  const Mistake mistakes[] = {
      {"\"abi\": 4", "\"abi\": 3", {"abi", "expected 4, found 3"}},
      {"\"abi\": 4", "\"abi\": 1.5", {"abi", "integer", "1.5"}},
      {"\"abi\": 4,", "", {"abi: missing"}},
      {"\"cpu\"", "\"tpu\"", {"target", "sm_90a", "'tpu'"}},
      {"\"inference\"", "\"dream\"", {"mode", "'dream'"}},
      {"\"x86-64\"", "\"x86-64-v9\"", {"isa", "x86-64-v4", "'x86-64-v9'"}},
      {"64, \"max_seq", "0, \"max_seq", {"limits.max_tokens", "at least 1"}},
      {"1234567", "-1", {"parameter_count", "found -1"}},
      {"1234567", "18446744073709551615", {"parameter_count", "integer"}},
      {"[\"*.slope_rate\"]", "\"*\"", {"ignored_tensors", "array"}},
      {"{\"vocab_size\": 16, \"hidden_size\": 4}", "3", {"model", "object"}},
      {"\"affine\"", "\"\"", {"entries[0].name", "empty"}},
      {"\"batch\"", "\"affine\"", {"entries[1].name", "second", "affine"}},
      {"\"kind\": \"scalar\"",
       "\"kind\": \"number\"",
       {"entries[0].arguments[1].kind", "'number'"}},
      {"\"type\": \"index\"",
       "\"type\": \"u8\"",
       {"entries[0].arguments[1].type", "'u8'"}},
      {"[-1, 4], \"type\"",
       "[-2, 4], \"type\"",
       {"arguments[0].shape[0]", "at least -1", "-2"}},
      {"[-1, 4], \"type\"",
       "[4294967296, 4294967296], \"type\"",
       {"arguments[0].shape", "too large"}},
      {"\"parameter\": \"bias\"",
       "\"parameter\": \"bios\"",
       {"arguments[2].parameter", "'bios'"}},
      {"\"bias\", \"shape\": [4]",
       "\"bias\", \"shape\": [5]",
       {"arguments[2]", "expected [4] f32", "[5] f32"}},
      {"[null, \"k\"]", "[null]", {"arguments[0].extents", "expected 2"}},
      {"[null, \"k\"]", "\"k\"", {"arguments[0].extents", "array"}},
      {"[null, \"k\"]", "[null, true]", {"extents[1]", "string", "boolean"}},
      {"[null, \"k\"]", "[null, \"\"]", {"extents[1]", "empty"}},
      {"[null, \"k\"]", "[null, -1]", {"extents[1]", "at least 0", "-1"}},
      {"\"bias\", \"shape\": [4]",
       "\"bias\", \"extents\": [4], \"shape\": [4]",
       {"arguments[2].extents", "expected 0 extents"}},
      {"[-1, 4], \"type\"",
       "[-1, 4], \"cache_uses\": [], \"type\"",
       {"arguments[0].cache_uses", "5 dimensions"}},
      {"\"argument\": 0", "\"argument\": 1", {"results[1].argument", "tensor"}},
      {"\"argument\": 0", "\"argument\": 9", {"results[1].argument", "9"}},
      {"{\"kind\": \"fresh\", \"shape\": [-1, 4], \"type\": \"f32\"}",
       "{\"kind\": \"tied\", \"argument\": 0}",
       {"results[1]", "tied to two results"}},
      {"\"tensor\": \"model.bias\", \"shape\": [4]",
       "\"tensor\": \"model.bias\", \"shape\": [5]",
       {"parameters[0].sources[0].shape", "last extent of 4"}},
      {"\"tensor\": \"model.bias\"",
       "\"tensor\": \"model.{}\"",
       {"parameters[0].sources[0].tensor", "{}"}},
      {"experts.{}.w1", "experts.{}.{}", {"sources[0].tensor", "once"}},
      {"w1\", \"shape\": [3, 4]",
       "w1\", \"shape\": [6, 4]",
       {"parameters[1].sources[0]", "[3, 4]"}},
      {"\"row_stride\": 6",
       "\"row_stride\": 7",
       {"sources[1]", "row 12", "13"}},
      {"\"row_stride\": 6",
       "\"row_stride\": 9223372036854775807",
       {"sources[1]", "row 12", "overflow"}},
      {"[4], \"type\": \"f32\", \"sources\"",
       "[4], \"type\": \"i64\", \"sources\"",
       {"parameters[0].type", "expected f32, f16 or bf16, found i64"}},
      {"[4], \"type\": \"f32\", \"sources\"",
       "[4], \"type\": \"i8\", \"sources\"",
       {"parameters[0].stored", "missing"}},
      {"[4], \"type\": \"f32\", \"sources\"",
       "[4], \"type\": \"i8\", \"stored\": \"i8\", \"sources\"",
       {"parameters[0].stored", "expected f32, f16 or bf16, found i8"}},
      {"[4], \"type\": \"f32\", \"sources\"",
       "[4], \"type\": \"f32\", \"stored\": \"bf16\", \"sources\"",
       {"parameters[0].stored", "expected none", "f32"}},
      {"\"stack\", \"shape\": [2, 3, 4], \"type\": \"bf16\",\n",
       "\"bias\", \"shape\": [2, 3, 4], \"type\": \"bf16\",\n",
       {"parameters[1].name", "second parameter 'bias'"}},
  };
  for (const Mistake &mistake : mistakes) {
    std::string text = testManifest();
    size_t at = text.find(mistake.from);
    ASSERT_NE(at, std::string::npos) << mistake.from;
    text.replace(at, std::string(mistake.from).size(), mistake.to);
    Result<Manifest> manifest = parseManifest(text, "p.so");
    EXPECT_TRUE(manifest.failed()) << mistake.to;
    expectLine(manifest.message(), mistake.words);
    expectLine(manifest.message(), {"p.so: manifest"});
  }
}

TEST(Manifest, ReadsQuantizedParameters) {
  std::string text = testManifest();
  // The weight argument comes first, then the parameter.
  for (size_t from = 0; from != std::string::npos;) {
    from = text.find("[2, 3, 4], \"type\": \"bf16\"", from);
    if (from != std::string::npos)
      text.replace(from, 25,
                   "[2, 3, 4], \"stored\": \"bf16\", \"type\": \"i8\"");
  }
  Result<Manifest> manifest = parseManifest(text, "p.so");
  ASSERT_TRUE(manifest.ok()) << manifest.message();
  const ParameterSpec &stack = manifest->parameters[1];
  EXPECT_TRUE(stack.isQuantized());
  EXPECT_EQ(stack.stored, ElementType::BF16);
  EXPECT_EQ(stack.partBytes(), 12);
  EXPECT_EQ(stack.partRows(), 3);
  EXPECT_EQ(stack.columns(), 4);
  EXPECT_FALSE(manifest->parameters[0].isQuantized());
  EXPECT_EQ(manifest->parameters[0].stored, ElementType::F32);
  EXPECT_EQ(manifest->parameters[0].partRows(), 1);
}

TEST(Manifest, RefusesOtherText) {
  for (const char *text : {"", "{", "[]", "7", "null", "{} {}", "\xff"})
    expectLine(parseManifest(text, "p.so").message(), {"p.so: manifest"});
  expectLine(parseManifest("{\"abi\": 4, \"abi\": 4}", "p.so").message(),
             {"p.so", "abi"});
}

TEST(Manifest, TensorBytes) {
  EXPECT_EQ(tensorBytes(ElementType::BF16, {3, 5}), 30);
  EXPECT_EQ(tensorBytes(ElementType::Index, {}), 8);
  EXPECT_EQ(tensorBytes(ElementType::F32, {0, INT64_MAX, INT64_MAX}), 0);
  EXPECT_EQ(tensorBytes(ElementType::F32, {-1}), std::nullopt);
  EXPECT_EQ(tensorBytes(ElementType::F32, {INT64_MAX}), std::nullopt);
}

TEST(Glob, StarsOnly) {
  EXPECT_TRUE(matchesGlob("*.slope_rate", "a.b.slope_rate"));
  EXPECT_TRUE(matchesGlob("a*b*c", "aXbYbZc"));
  EXPECT_TRUE(matchesGlob("*", ""));
  EXPECT_TRUE(matchesGlob("a**", "a"));
  EXPECT_FALSE(matchesGlob("*.slope_rate", "slope_rates"));
  EXPECT_FALSE(matchesGlob("a?c", "abc"));
  EXPECT_FALSE(matchesGlob("", "a"));
  EXPECT_FALSE(matchesGlob("a*b", "ac"));
}
