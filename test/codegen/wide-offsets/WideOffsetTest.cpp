//===- WideOffsetTest.cpp - offsets past 2^31 elements --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index kept in 32 bits wraps at 8192 · 262,144 = 2^31. Each test makes a
// tensor of more elements than that, of which only what the kernel touches is
// ever backed by memory, and puts the live rows past the limit. Results are
// tied to their destinations: they are read there.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Executor.h"
#include "runtime/core/Ragged.h"
#include "runtime/cpu/CpuDevice.h"

#include <gtest/gtest.h>
#include <optional>
#include <sys/mman.h>

using namespace mm01;

namespace {

constexpr int64_t kLimit = int64_t(1) << 31;

/// Zeros of any number, backed by memory where they are written.
class SparseFloats {
public:
  explicit SparseFloats(int64_t count) : bytes(count * sizeof(float)) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  ~SparseFloats() {
    if (valid())
      munmap(memory, bytes);
  }
  SparseFloats(const SparseFloats &) = delete;
  bool valid() const { return memory != MAP_FAILED; }
  float *data() { return static_cast<float *>(memory); }

private:
  size_t bytes;
  void *memory;
};

class WideOffsetTest : public testing::Test {
protected:
  void SetUp() override {
    Result<Program> opened = Program::open(MM01_WIDE_OFFSETS_PROGRAM);
    ASSERT_TRUE(opened.ok()) << opened.message();
    program.emplace(*std::move(opened));
  }

  void run(std::string_view name, std::vector<mm01_argument> arguments) {
    Result<size_t> entry = program->manifest().findEntry(name);
    ASSERT_TRUE(entry.ok()) << entry.message();
    Status status = executor.run(*program, *entry, arguments, sink);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  static mm01_argument tensor(const void *data,
                              const std::vector<int64_t> &shape) {
    return {const_cast<void *>(data), shape.data()};
  }

  static RaggedBatch oneToken(int32_t slot, int32_t page) {
    return *RaggedBatch::create({0, 1}, {0}, {slot}, {page}, {});
  }

  CpuDevice device{2};
  Executor executor{device};
  ResultSink sink;
  std::optional<Program> program;
};

TEST_F(WideOffsetTest, RowsOfActivations) {
  const int64_t rows = 262146, width = 8192;
  SparseFloats x(rows * width);
  ASSERT_TRUE(x.valid());
  ASSERT_GT((rows - 1) * width, kLimit);
  for (int64_t i = 0; i < width; ++i)
    x.data()[(rows - 1) * width + i] = 1;
  std::vector<float> weight(4 * width, 0.5f), out(4, -1);
  const void *parts[] = {weight.data()};
  int32_t wanted = rows - 1;
  std::vector<int64_t> xShape{rows, width}, one{1}, outShape{1, 4};
  run("far_row", {tensor(x.data(), xShape),
                  tensor(&wanted, one),
                  {parts, nullptr},
                  tensor(out.data(), outShape)});
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(out[i], 4096);
}

TEST_F(WideOffsetTest, SlotsOfTheState) {
  const int64_t slots = 2050, heads = 64, size = 128;
  SparseFloats state(slots * heads * size * size);
  ASSERT_TRUE(state.valid());
  const int64_t slot = slots - 1;
  ASSERT_GT(slot * heads * size * size, kLimit);
  std::vector<float> x(heads * size, 0.5f), out(heads * size, -1);
  std::vector<float> slopes(heads, 0.25f);
  RaggedBatch ragged = oneToken(static_cast<int32_t>(slot), 0);
  int64_t layer = 0;
  std::vector<int64_t> xShape{1, heads, size}, slopeShape{heads};
  std::vector<int64_t> stateShape{1, slots, heads, size, size};
  run("far_slot", {tensor(x.data(), xShape),
                   tensor(slopes.data(), slopeShape),
                   {const_cast<mm01_ragged *>(ragged.get()), nullptr},
                   {&layer, nullptr},
                   tensor(out.data(), xShape),
                   tensor(state.data(), stateShape)});
  // S = kᵀ v = 1/4 everywhere; out = q S = 128 · 1/2 · 1/4.
  for (int64_t i = 0; i < heads * size; ++i)
    ASSERT_EQ(out[i], 16) << i;
  const float *row = state.data() + slot * heads * size * size;
  EXPECT_EQ(row[0], 0.25f);
  EXPECT_EQ(row[heads * size * size - 1], 0.25f);
}

TEST_F(WideOffsetTest, PagesOfTheCache) {
  const int64_t pages = 32770, heads = 8, size = 128;
  const int64_t pageElements = pageSize * heads * size;
  SparseFloats keys(pages * pageElements), values(pages * pageElements);
  ASSERT_TRUE(keys.valid() && values.valid());
  const int64_t page = pages - 1;
  ASSERT_GT(page * pageElements, kLimit);
  std::vector<float> x(heads * size), out(heads * size, -1);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = 0.001f * static_cast<float>(i);
  RaggedBatch ragged = oneToken(0, static_cast<int32_t>(page));
  int64_t layer = 0;
  std::vector<int64_t> xShape{1, heads, size};
  std::vector<int64_t> cacheShape{1, pages, pageSize, heads, size};
  run("far_page", {tensor(x.data(), xShape),
                   {const_cast<mm01_ragged *>(ragged.get()), nullptr},
                   {&layer, nullptr},
                   tensor(out.data(), xShape),
                   tensor(keys.data(), cacheShape),
                   tensor(values.data(), cacheShape)});
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(keys.data()[page * pageElements + i], x[i]) << i;
    ASSERT_EQ(out[i], x[i]) << i;
  }
}

} // namespace
