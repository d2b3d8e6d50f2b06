//===- WeightsTest.cpp - parameters and the checkpoints they come from ---===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"

#include "frontend/safetensors/Writer.h"
#include "runtime/core/Memory.h"
#include "runtime/core/Quantize.h"
#include "runtime/core/Weights.h"
#include "runtime/cpu/CpuDevice.h"

#include <cstring>
#include <numeric>

using namespace mm01;
using namespace mm01::test;
using Type = safetensors::ElementType;

namespace {

/// Writes checkpoints for testProgram.json, tensor by tensor.
class Checkpoint : public ::testing::Test {
protected:
  Checkpoint() : manifest(*parseManifest(testManifest(), "p.so")) {
    std::iota(halves.begin(), halves.end(), uint16_t(100));
    std::iota(floats.begin(), floats.end(), 1.0f);
  }

  void add(const std::string &name, Type type, std::vector<int64_t> shape,
           int64_t first = 0) {
    const void *data = type == Type::BF16
                           ? static_cast<const void *>(halves.data() + first)
                           : static_cast<const void *>(floats.data());
    writer.add(name, type, std::move(shape), data);
  }
  void addBias() { add("model.bias", Type::F32, {4}); }
  void addExperts() {
    add("model.experts.0.w1", Type::BF16, {3, 4}, 0);
    add("model.experts.1.w1", Type::BF16, {3, 4}, 12);
  }
  Result<Weights> bind() {
    std::string path = folder.file("w.safetensors");
    Status written = writer.write(path);
    EXPECT_TRUE(written.ok()) << written.message();
    return Weights::bind(manifest, path, device);
  }
  void refuses(std::initializer_list<const char *> words) {
    Result<Weights> weights = bind();
    ASSERT_TRUE(weights.failed());
    expectLine(weights.message(), words);
    expectLine(weights.message(), {"w.safetensors"});
  }

  Manifest manifest;
  CpuDevice device{2};
  TemporaryFolder folder;
  safetensors::Writer writer;
  std::array<uint16_t, 64> halves;
  std::array<float, 64> floats;
};

/// Expects part `part` of int8 parameter 1, which has two parts [3, 4], to be
/// made of these twelve bfloats.
void expectInt8(const Weights &weights, size_t part, const uint16_t *stored) {
  int8_t elements[12];
  float scales[3];
  ASSERT_FALSE(quantizeRows(ElementType::BF16, stored, 3, 4, elements, scales));
  EXPECT_EQ(std::memcmp(weights.parts(1)[part], elements, sizeof elements), 0);
  EXPECT_EQ(std::memcmp(weights.parts(1)[2 + part], scales, sizeof scales), 0);
}

uint16_t half(const Weights &weights, size_t part, size_t index) {
  return static_cast<const uint16_t *>(weights.parts(1)[part])[index];
}

} // namespace

TEST_F(Checkpoint, BindsSeparateExperts) {
  addBias();
  addExperts();
  add("layer.slope_rate", Type::F32, {3}); // ignored by the manifest
  Result<Weights> weights = bind();
  ASSERT_TRUE(weights.ok()) << weights.message();
  EXPECT_EQ(static_cast<const float *>(weights->parts(0)[0])[2], 3.0f);
  EXPECT_EQ(half(*weights, 0, 0), 100);
  EXPECT_EQ(half(*weights, 1, 0), 112);
  EXPECT_EQ(half(*weights, 1, 11), 123);
}

// Part i is rows 3 + 6i … of the fused tensor [2, 6, 4].
TEST_F(Checkpoint, BindsFusedExperts) {
  addBias();
  add("model.gate_up", Type::BF16, {2, 6, 4});
  Result<Weights> weights = bind();
  ASSERT_TRUE(weights.ok()) << weights.message();
  Weights moved = *std::move(weights);
  EXPECT_EQ(half(moved, 0, 0), 100 + 3 * 4);
  EXPECT_EQ(half(moved, 1, 0), 100 + 9 * 4);
  EXPECT_EQ(half(moved, 1, 11), 100 + 47);
}

TEST_F(Checkpoint, RefusesMissingTensors) {
  addBias();
  refuses({"missing tensor 'model.experts.0.w1' and 1 more"});
}

TEST_F(Checkpoint, RefusesOneMissingExpert) {
  addBias();
  add("model.experts.0.w1", Type::BF16, {3, 4});
  refuses({"missing tensor 'model.experts.1.w1',"});
}

TEST_F(Checkpoint, RefusesExtraTensors) {
  addBias();
  addExperts();
  add("model.experts.2.w1", Type::BF16, {3, 4});
  add("model.surprise", Type::F32, {1});
  refuses({"'model.experts.2.w1' and 1 more", "not used"});
}

// Both layouts at once: which one is meant?
TEST_F(Checkpoint, RefusesBothLayouts) {
  addBias();
  addExperts();
  add("model.gate_up", Type::BF16, {2, 6, 4});
  refuses({"'model.gate_up'", "not used"});
}

TEST_F(Checkpoint, RefusesWrongShape) {
  add("model.bias", Type::F32, {5});
  addExperts();
  refuses({"'model.bias'", "expected F32 [4]", "found F32 [5]"});
}

TEST_F(Checkpoint, RefusesWrongType) {
  addBias();
  add("model.experts.0.w1", Type::BF16, {3, 4});
  add("model.experts.1.w1", Type::F32, {3, 4});
  refuses({"'model.experts.1.w1'", "expected BF16", "found F32"});
}

TEST_F(Checkpoint, RefusesWhatIsNoCheckpoint) {
  expectLine(Weights::bind(manifest, folder.file("no"), device).message(),
             {"No such file"});
  writeFile(folder.file("x.safetensors"), "not a header");
  expectLine(
      Weights::bind(manifest, folder.file("x.safetensors"), device).message(),
      {"x.safetensors"});
}

TEST_F(Checkpoint, QuantizesSeparateExperts) {
  manifest.parameters[1].type = ElementType::I8;
  addBias();
  addExperts();
  Result<Weights> weights = bind();
  ASSERT_TRUE(weights.ok()) << weights.message();
  Weights moved = *std::move(weights);
  expectInt8(moved, 0, halves.data());
  expectInt8(moved, 1, halves.data() + 12);
  EXPECT_EQ(static_cast<const float *>(moved.parts(0)[0])[2], 3.0f);
}

TEST_F(Checkpoint, QuantizesFusedExperts) {
  manifest.parameters[1].type = ElementType::I8;
  addBias();
  add("model.gate_up", Type::BF16, {2, 6, 4});
  Result<Weights> weights = bind();
  ASSERT_TRUE(weights.ok()) << weights.message();
  expectInt8(*weights, 0, halves.data() + 3 * 4);
  expectInt8(*weights, 1, halves.data() + 9 * 4);
}

// A parameter of one dimension is one row.
TEST_F(Checkpoint, QuantizesVectors) {
  manifest.parameters[0].type = ElementType::I8;
  addBias();
  addExperts();
  Result<Weights> weights = bind();
  ASSERT_TRUE(weights.ok()) << weights.message();
  const auto *bias = static_cast<const int8_t *>(weights->parts(0)[0]);
  EXPECT_EQ(bias[0], 32);
  EXPECT_EQ(bias[3], 127);
  EXPECT_EQ(*static_cast<const float *>(weights->parts(0)[1]), 4.0f / 127);
}

TEST_F(Checkpoint, RefusesToQuantizeAnotherType) {
  manifest.parameters[1].type = ElementType::I8;
  addBias();
  add("model.experts.0.w1", Type::BF16, {3, 4});
  add("model.experts.1.w1", Type::F32, {3, 4});
  refuses({"'model.experts.1.w1'", "expected BF16", "found F32"});
}

// Of several faults the first is named, whichever thread finds one first.
TEST_F(Checkpoint, RefusesToQuantizeInfinities) {
  manifest.parameters[1].type = ElementType::I8;
  addBias();
  addExperts();
  halves[5] = 0x7f80;  // row 1 of the first
  halves[22] = 0xffc0; // row 2 of the second
  refuses({"tensor 'model.experts.0.w1': row 1 of the 3 of parameter stack",
           "an infinity or a NaN, expected numbers"});
}

// What is quantised is in memory once: the pages of the file are given back.
TEST_F(Checkpoint, ReleasesWhatItHasQuantized) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer keeps what is freed";
#endif
  constexpr int64_t experts = 2, rows = 4096, columns = 4096;
  ParameterSpec &stack = manifest.parameters[1];
  stack.type = ElementType::I8;
  stack.shape = {experts, rows, columns};
  stack.sources = {{"model.big", stack.shape, 0, rows}};
  std::vector<uint16_t> big(experts * rows * columns, 0x3f80);
  writer.add("model.big", Type::BF16, stack.shape, big.data());
  addBias();
  int64_t before = residentMemory();
  Result<Weights> weights = bind();
  ASSERT_TRUE(weights.ok()) << weights.message();
  auto bytes = static_cast<double>(big.size() * sizeof(uint16_t));
  EXPECT_LT(static_cast<double>(residentMemory() - before), 0.55 * bytes);
  EXPECT_EQ(static_cast<const int8_t *>(weights->parts(1)[1])[5], 127);
}

// The same numbers as unquantised, then quantised, at any number of threads.
TEST(RandomCheckpoint, QuantizesWhatItWouldMake) {
  Manifest manifest = *parseManifest(testManifest(), "p.so");
  ParameterSpec &large = manifest.parameters[0];
  large.shape = {1000, 1003};
  large.sources[0].shape = {1000, 1003};
  large.stored = large.type = ElementType::BF16;
  CpuDevice one(1), four(4);
  Result<Weights> stored = Weights::bind(manifest, "random:5", one);
  large.type = ElementType::I8;
  Result<Weights> a = Weights::bind(manifest, "random:5", one);
  Result<Weights> b = Weights::bind(manifest, "random:5", four);
  ASSERT_TRUE(stored.ok() && a.ok() && b.ok()) << a.message();
  std::vector<int8_t> elements(1000 * 1003);
  std::vector<float> scales(1000);
  ASSERT_FALSE(quantizeRows(ElementType::BF16, stored->parts(0)[0], 1000, 1003,
                            elements.data(), scales.data()));
  for (const Weights *weights : {&*a, &*b}) {
    EXPECT_EQ(std::memcmp(weights->parts(0)[0], elements.data(), 1000 * 1003),
              0);
    EXPECT_EQ(std::memcmp(weights->parts(0)[1], scales.data(), 4000), 0);
  }
}

TEST(RandomCheckpoint, SameForAnyNumberOfThreads) {
  Manifest manifest = *parseManifest(testManifest(), "p.so");
  // Large enough for several pieces.
  manifest.parameters[0].shape = {1000, 1003};
  manifest.parameters[0].sources[0].shape = {1000, 1003};
  CpuDevice one(1), four(4);
  Result<Weights> a = Weights::bind(manifest, "random:5", one);
  Result<Weights> b = Weights::bind(manifest, "random:5", four);
  Result<Weights> c = Weights::bind(manifest, "random:6", four);
  ASSERT_TRUE(a.ok() && b.ok() && c.ok()) << a.message();
  size_t bytes = 1000 * 1003 * 4;
  EXPECT_EQ(std::memcmp(a->parts(0)[0], b->parts(0)[0], bytes), 0);
  EXPECT_NE(std::memcmp(a->parts(0)[0], c->parts(0)[0], bytes), 0);
  EXPECT_EQ(std::memcmp(a->parts(1)[1], b->parts(1)[1], 24), 0);
  EXPECT_NE(std::memcmp(a->parts(1)[0], a->parts(1)[1], 24), 0);
}

TEST(RandomCheckpoint, RefusesBadSeeds) {
  Manifest manifest = *parseManifest(testManifest(), "p.so");
  CpuDevice device(1);
  for (const char *seed :
       {"", "x", "-1", "1.5", "1 ", " 1", "+1", "0x10", "18446744073709551616"})
    expectLine(Weights::bind(manifest, std::string("random:") + seed, device)
                   .message(),
               {"--weights", "random:SEED", "found"});
  EXPECT_TRUE(
      Weights::bind(manifest, "random:18446744073709551615", device).ok());
}

// text-01 has 912 GB of weights: a line, not a process that the system kills.
TEST(RandomCheckpoint, RefusesWhatDoesNotFit) {
  Manifest manifest = *parseManifest(testManifest(), "p.so");
  manifest.parameters[0].shape = {1 << 20, 1 << 24};
  CpuDevice device(1);
  expectLine(Weights::bind(manifest, "random:1", device).message(),
             {"memory", "expected 70368744"});
}
