//===- ExecutorTest.cpp - calls of entries -------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"

#include "runtime/core/Executor.h"
#include "runtime/cpu/CpuDevice.h"

using namespace mm01;
using namespace mm01::test;

namespace {

class Execution : public ::testing::Test {
protected:
  Execution() {
    writeFile(folder.file("p.so"), sealed(unsealedProgram()));
    Result<Program> opened = Program::open(folder.file("p.so"));
    EXPECT_TRUE(opened.ok()) << opened.message();
    program.emplace(*std::move(opened));
  }

  Status call(const char *name, std::span<const mm01_argument> arguments) {
    return executor.run(*program, *program->manifest().findEntry(name),
                        arguments, sink);
  }

  TemporaryFolder folder;
  std::optional<Program> program;
  CpuDevice device{3};
  Executor executor{device};
  ResultSink sink;
};

} // namespace

TEST_F(Execution, RunsKernelsAndUpdatesInPlace) {
  for (int64_t rows : {0, 1, 2, 100}) {
    std::vector<float> x(rows * 4 + 1), before;
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float(i);
    before = x;
    int64_t shape[2] = {rows, 4}, factor = 3;
    float bias[4] = {1, 2, 3, 4};
    uint16_t first[12] = {}, second[12] = {};
    for (int i = 0; i < 4; ++i)
      second[8 + i] = 0x4000; // 2.0 in bf16
    const void *biasParts[] = {bias}, *stackParts[] = {first, second};
    mm01_argument arguments[] = {{x.data(), shape},
                                 {&factor, nullptr},
                                 {biasParts, nullptr},
                                 {stackParts, nullptr}};
    Status status = call("affine", arguments);
    ASSERT_TRUE(status.ok()) << status.message();
    const TensorBuffer &y = sink.results[0];
    EXPECT_EQ(y.shape, (std::vector<int64_t>{rows, 4}));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(y.as<float>()) % 64, 0u);
    for (int64_t i = 0; i < rows * 4; ++i) {
      EXPECT_EQ(y.as<float>()[i], before[i] * 3 + bias[i % 4] + 2);
      EXPECT_EQ(x[i], before[i] + 1);
    }
    EXPECT_EQ(x.back(), before.back());
  }
}

TEST_F(Execution, ReusesResultMemory) {
  float a[12] = {}, b[12] = {};
  int64_t large[2] = {4, 3}, small[2] = {2, 3};
  mm01_argument first[] = {{a, large}, {b, large}};
  ASSERT_TRUE(call("product", first).ok());
  const void *memory = sink.results[0].memory.data();
  mm01_argument second[] = {{a, small}, {b, small}};
  ASSERT_TRUE(call("product", second).ok());
  EXPECT_EQ(sink.results[0].memory.data(), memory);
  EXPECT_EQ(sink.results[0].elements(), 4);
}

TEST_F(Execution, MultipliesInsideKernels) {
  constexpr int64_t m = 37, n = 21, k = 19;
  std::vector<float> a(m * k), b(n * k);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = float(int(i * 7 % 11) - 5);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = float(int(i * 5 % 13) - 6);
  int64_t shapeA[2] = {m, k}, shapeB[2] = {n, k};
  mm01_argument arguments[] = {{a.data(), shapeA}, {b.data(), shapeB}};
  ASSERT_TRUE(call("product", arguments).ok());
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float expected = 0;
      for (int64_t l = 0; l < k; ++l)
        expected += 2 * a[i * k + l] * b[j * k + l];
      // Small integers: every order of summation is exact.
      EXPECT_EQ(sink.results[0].as<float>()[i * n + j], expected);
    }
}

TEST_F(Execution, NoticesMistakesOfTheProgram) {
  struct Case {
    int64_t what;
    std::initializer_list<const char *> words;
  };
  const Case cases[] = {
      {0, {"arena", "too large"}},
      {1, {"not enough memory", "arena"}},
      {2, {"result 0", "expected shape [2]", "2 extents"}},
      {3, {"result 0", "expected shape [2]", "found [3]"}},
      {4, {"allocates result 1"}},
      {5, {"without result 0"}},
      {6, {"returned 7"}},
      {7, {"not enough memory", "kernel idle"}},
  };
  for (const Case &c : cases) {
    int64_t what = c.what;
    mm01_argument argument{&what, nullptr};
    Status status = call("misbehave", {&argument, 1});
    expectLine(status.message(), c.words);
    expectLine(status.message(), {"p.so: entry misbehave"});
  }
  // The executor is as good as new afterwards.
  int64_t nothing = 8;
  mm01_argument argument{&nothing, nullptr};
  Status status = call("misbehave", {&argument, 1});
  EXPECT_TRUE(status.ok()) << status.message();
}

// A kernel would read the rows of b at a's distance.
TEST_F(Execution, RefusesExtentsThatDiffer) {
  float a[6] = {}, b[4] = {};
  int64_t shapeA[2] = {2, 3}, shapeB[2] = {2, 2};
  mm01_argument arguments[] = {{a, shapeA}, {b, shapeB}};
  expectLine(call("product", arguments).message(),
             {"p.so: entry product: argument 1 has extent 2 in dimension 1, "
              "expected 3 as argument 0 has in dimension 1"});
}

TEST_F(Execution, CountsArguments) {
  expectLine(call("misbehave", {}).message(), {"expected 1", "found 0"});
}
