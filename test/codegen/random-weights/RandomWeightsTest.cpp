//===- RandomWeightsTest.cpp - the bits of helpers are the runtime's ------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that mm01-add-random-weights adds, compiled for the CPU, beside
// RandomTensor, which makes the same elements without a compiler.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Quantize.h"
#include "runtime/core/RandomHelpers.h"
#include "runtime/core/Weights.h"
#include "runtime/cpu/CpuDevice.h"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <random>

using namespace mm01;

namespace {

/// A processor that says its memory is another's, as a GPU's is.
class SeparateDevice final : public CpuDevice {
public:
  using CpuDevice::CpuDevice;
  bool sharesMemory() const override { return false; }
};

class RandomHelpersTest : public testing::Test {
protected:
  void SetUp() override {
    Result<Program> opened = Program::open(MM01_RANDOM_WEIGHTS_PROGRAM);
    ASSERT_TRUE(opened.ok()) << opened.message();
    program.emplace(*std::move(opened));
  }

  /// Expects elements [first, first + count) of a tensor to be the runtime's.
  void expectBits(const RandomTensor &tensor, ElementType type, int64_t first,
                  int64_t count) {
    std::vector<char> expected(count * elementBytes(type)), found = expected;
    tensor.fill(type, first, count, expected.data());
    std::fill(found.begin(), found.end(), 'x');
    Status status = helpers().fill(tensor, type, first, count, found.data());
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(expected, found) << elementName(type) << " from " << first;
  }

  RandomHelpers helpers() { return {*program, executor}; }

  std::optional<Program> program;
  SeparateDevice device{2};
  Executor executor{device};
};

constexpr ElementType kTypes[] = {ElementType::F32, ElementType::BF16,
                                  ElementType::F16};

} // namespace

TEST_F(RandomHelpersTest, MakesTheSameBits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 60; ++i) {
    std::vector<int64_t> shape = {int64_t(1 + random() % 5000)};
    if (i % 3 != 0) // two dimensions, of which the last decides the scale
      shape.push_back(1 + random() % 9000);
    RandomTensor tensor(random(), concat("layers.", random() % 100, ".w"),
                        shape);
    // Near the beginning, and where an element's number needs 33 bits or more,
    // and the number of its block of four more than 32.
    for (int bits : {8, 33, 40})
      expectBits(tensor, kTypes[i % 3], random() >> (64 - bits),
                 1 + random() % 40000);
  }
}

TEST_F(RandomHelpersTest, CrossesTheWords) {
  RandomTensor tensor(uint64_t(-1), "w", {64, 64});
  for (ElementType type : kTypes)
    for (int shift : {32, 34, 35})
      expectBits(tensor, type, (int64_t(1) << shift) - 5, 11);
}

// Where the helpers make the weights and where the host does, all parts of all
// parameters are equal.
TEST_F(RandomHelpersTest, BindsWhatTheHostBinds) {
  const Manifest &manifest = program->manifest();
  for (const char *seed : {"random:0", "random:18446744073709551615"}) {
    CpuDevice host(2);
    Result<Weights> expected = Weights::bind(manifest, seed, host);
    ASSERT_TRUE(expected.ok()) << expected.message();
    RandomHelpers made = helpers();
    Result<Weights> found = Weights::bind(manifest, seed, device, &made);
    ASSERT_TRUE(found.ok()) << found.message();
    for (size_t i = 0; i < manifest.parameters.size(); ++i) {
      const ParameterSpec &parameter = manifest.parameters[i];
      int64_t count = parameter.partCount();
      // As GPU programs take them: one part behind the other, and behind them
      // the scales.
      auto expectSame = [&](int64_t first, int64_t bytes, const char *what) {
        for (int64_t part = 0; part < count; ++part) {
          const void *there = found->parts(i)[first + part];
          EXPECT_EQ(std::memcmp(expected->parts(i)[first + part], there, bytes),
                    0)
              << parameter.name << ", " << what << " of part " << part;
          EXPECT_EQ(static_cast<const char *>(there),
                    static_cast<const char *>(found->parts(i)[first]) +
                        part * bytes);
        }
      };
      expectSame(0, parameter.partBytes(), "elements");
      if (!parameter.isQuantized())
        continue;
      expectSame(count, parameter.scaleBytes(), "scales");
      EXPECT_EQ(static_cast<const char *>(found->parts(i)[count]),
                static_cast<const char *>(found->parts(i)[0]) +
                    scalesPlace(count * parameter.partBytes()));
    }
  }
}

TEST_F(RandomHelpersTest, KnowsWhatIsThere) {
  for (const ParameterSpec &parameter : program->manifest().parameters)
    EXPECT_TRUE(helpers().has(parameter)) << parameter.name;
  ParameterSpec other;
  other.stored = ElementType::I32;
  EXPECT_FALSE(helpers().has(other));
  // Bytes of a type of which the program has none.
  other.stored = ElementType::I64;
  other.type = ElementType::I8;
  EXPECT_FALSE(helpers().has(other));
  Status status =
      helpers().fill(RandomTensor(1, "w", {4}), ElementType::I32, 0, 4, this);
  EXPECT_NE(status.message().find("random weights of i32"), std::string::npos)
      << status.message();
  status = helpers().fillQuantized(RandomTensor(1, "w", {4}), ElementType::I32,
                                   0, 1, 4, this, this);
  EXPECT_NE(status.message().find("quantises rows of i32"), std::string::npos)
      << status.message();
  // Nobody is told of them.
  EXPECT_EQ(program->manifest().findEntry("no").message(),
            "no entry 'no', expected one of: entry");
}
