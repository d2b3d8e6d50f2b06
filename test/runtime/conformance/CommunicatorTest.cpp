//===- CommunicatorTest.cpp - what collectives compute --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/conformance/GpuRanks.h"
#include "test/runtime/conformance/Ranks.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

using namespace mm01;
using namespace mm01::test;

namespace {

#define EXPECT_DONE(expression)                                                \
  do {                                                                         \
    Status done = (expression);                                                \
    EXPECT_TRUE(done.ok()) << done.message();                                  \
  } while (false)

/// Nothing, one element, odd numbers, and more than any buffer inside.
constexpr int64_t counts[] = {0, 1, 7, 1000, 300001};

/// Element i that `rank` gives: small whole numbers, which every order of
/// summation adds exactly.
float element(int rank, int64_t i) {
  return float((i * 31 + rank * 17) % 101 - 50);
}

std::vector<float> elements(int rank, int64_t count, int64_t from = 0) {
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = element(rank, from + i);
  return values;
}

/// What all ranks' element i add up to.
float total(int size, int64_t i) {
  float sum = 0;
  for (int rank = 0; rank < size; ++rank)
    sum += element(rank, i);
  return sum;
}

/// Rows for each rank, none for some: 0, 3, 1, 4, 2, 0, …
int64_t rowsOf(int number) { return number * 3 % 5; }

class Collectives : public Ranks {};
class Messages : public Ranks {};

} // namespace

INSTANTIATE_TEST_SUITE_P(All, Collectives, ::testing::ValuesIn(allWorlds()),
                         worldName);
INSTANTIATE_TEST_SUITE_P(Many, Messages, ::testing::ValuesIn(manyRanks()),
                         worldName);

TEST_P(Collectives, NumberTheRanks) {
  onRanks([&](Communicator &world) {
    EXPECT_EQ(world.group(), "world");
    EXPECT_EQ(world.size(), size());
    std::vector<int32_t> own = {world.rank()}, all(size());
    EXPECT_DONE(world.run(allGather(in(own), out(all))));
    for (int rank = 0; rank < size(); ++rank)
      EXPECT_EQ(all[rank], rank);
  });
}

TEST_P(Collectives, Sum) {
  onRanks([&](Communicator &world) {
    std::vector<int64_t> all(std::begin(counts), std::end(counts));
    all.push_back(2'500'001); // more than any rank gets of all others at once
    for (int64_t count : all) {
      std::vector<float> x = elements(world.rank(), count), y(count);
      EXPECT_DONE(world.run(allReduce(in(x), out(y), Reduction::Sum)));
      for (int64_t i = 0; i < count; ++i)
        ASSERT_EQ(y[i], total(size(), i)) << i;
      // In place.
      EXPECT_DONE(world.run(allReduce(in(x), out(x), Reduction::Sum)));
      EXPECT_EQ(x, y);
    }
  });
}

// Floats are added in float32 from rank 0 on, so that ranks agree on each bit.
TEST_P(Collectives, SumInTheOrderOfRanks) {
  auto give = [](int rank) { return rank % 3 == 0 ? 1e8f : 1.5f - rank; };
  onRanks([&](Communicator &world) {
    std::vector<float> x = {give(world.rank())}, y(1);
    EXPECT_DONE(world.run(allReduce(in(x), out(y), Reduction::Sum)));
    float expected = give(0);
    for (int rank = 1; rank < size(); ++rank)
      expected += give(rank);
    EXPECT_EQ(y[0], expected);
  });
}

TEST_P(Collectives, SumBf16RoundedOnce) {
  onRanks([&](Communicator &world) {
    // 256 on rank 0, 1 on the others: each alone would round away.
    uint16_t x = world.rank() == 0 ? 0x4380 : 0x3f80, y = 0;
    EXPECT_DONE(
        world.run(allReduce({&x, ElementType::BF16, 1},
                            {&y, ElementType::BF16, 1}, Reduction::Sum)));
    // A bf16 of this size is a multiple of 2; ties go to even.
    const float expected[] = {0, 256, 256, 258, 260, 260, 260, 262, 264};
    EXPECT_EQ(std::bit_cast<float>(uint32_t(y) << 16), expected[size()]);
  });
}

TEST_P(Collectives, SumWholeNumbersModuloTheirBits) {
  onRanks([&](Communicator &world) {
    std::vector<int32_t> x = {INT32_MAX, -world.rank()}, y(2);
    EXPECT_DONE(world.run(allReduce(in(x), out(y), Reduction::Sum)));
    EXPECT_EQ(y[0], int32_t(uint32_t(INT32_MAX) * uint32_t(size())));
    EXPECT_EQ(y[1], -size() * (size() - 1) / 2);
    std::vector<int64_t> wide = {int64_t(1) << 40}, sum(1);
    EXPECT_DONE(world.run(allReduce(in(wide), out(sum), Reduction::Sum)));
    EXPECT_EQ(sum[0], size() * (int64_t(1) << 40));
  });
}

TEST_P(Collectives, Maximum) {
  onRanks([&](Communicator &world) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const bool last = world.rank() == size() - 1;
    std::vector<float> x = {float(-world.rank()), last ? nan : 1.0f}, y(2);
    EXPECT_DONE(world.run(allReduce(in(x), out(y), Reduction::Max)));
    EXPECT_EQ(y[0], 0);
    EXPECT_TRUE(std::isnan(y[1]));
    std::vector<int32_t> whole = {-5 - world.rank()}, largest(1);
    EXPECT_DONE(world.run(allReduce(in(whole), out(largest), Reduction::Max)));
    EXPECT_EQ(largest[0], -5);
  });
}

TEST_P(Collectives, Gather) {
  onRanks([&](Communicator &world) {
    for (int64_t count : counts) {
      std::vector<float> x = elements(world.rank(), count), y(count * size());
      EXPECT_DONE(world.run(allGather(in(x), out(y))));
      for (size_t i = 0; i < y.size(); ++i)
        ASSERT_EQ(y[i], element(int(i / count), i % count));
    }
  });
}

TEST_P(Collectives, GatherByCounts) {
  onRanks([&](Communicator &world) {
    std::vector<int64_t> rows(size());
    std::vector<float> expected;
    for (int rank = 0; rank < size(); ++rank) {
      rows[rank] = rowsOf(rank);
      for (float value : elements(rank, rows[rank]))
        expected.push_back(value);
    }
    std::vector<float> x = elements(world.rank(), rows[world.rank()]);
    std::vector<float> y(expected.size());
    EXPECT_DONE(world.run(allGather(in(x), out(y), rows)));
    EXPECT_EQ(y, expected);
  });
}

TEST_P(Collectives, ReduceAndScatter) {
  onRanks([&](Communicator &world) {
    for (int64_t count : counts) {
      std::vector<float> x = elements(world.rank(), count * size()), y(count);
      EXPECT_DONE(world.run(reduceScatter(in(x), out(y), Reduction::Sum)));
      for (int64_t i = 0; i < count; ++i)
        ASSERT_EQ(y[i], total(size(), world.rank() * count + i));
    }
  });
}

TEST_P(Collectives, ReduceAndScatterByCounts) {
  onRanks([&](Communicator &world) {
    std::vector<int64_t> rows(size());
    for (int rank = 0; rank < size(); ++rank)
      rows[rank] = rowsOf(rank);
    const auto own = rows.begin() + world.rank();
    const int64_t first = std::accumulate(rows.begin(), own, int64_t(0));
    const int64_t all = std::accumulate(own, rows.end(), first);
    std::vector<float> x = elements(world.rank(), all), y(*own);
    EXPECT_DONE(world.run(reduceScatter(in(x), out(y), Reduction::Sum, rows)));
    for (int64_t i = 0; i < *own; ++i)
      EXPECT_EQ(y[i], total(size(), first + i));
  });
}

TEST_P(Collectives, ExchangeEqualParts) {
  onRanks([&](Communicator &world) {
    for (int64_t count : counts) {
      std::vector<float> x = elements(world.rank(), count * size());
      std::vector<float> y(x.size());
      EXPECT_DONE(world.run(allToAll(in(x), out(y))));
      for (size_t i = 0; i < y.size(); ++i)
        ASSERT_EQ(y[i], element(int(i / count),
                                world.rank() * count + int64_t(i) % count));
    }
  });
}

TEST_P(Collectives, ExchangeByCounts) {
  // Rank `from` sends rowsOf(from + 2 * to) elements to rank `to`.
  auto rows = [](int from, int to) { return rowsOf(from + 2 * to); };
  onRanks([&](Communicator &world) {
    std::vector<int64_t> send(size()), receive(size());
    std::vector<float> expected;
    for (int other = 0; other < size(); ++other) {
      send[other] = rows(world.rank(), other);
      receive[other] = rows(other, world.rank());
      int64_t first = 0;
      for (int to = 0; to < world.rank(); ++to)
        first += rows(other, to);
      for (float value : elements(other, receive[other], first))
        expected.push_back(value);
    }
    const auto count = std::accumulate(send.begin(), send.end(), int64_t(0));
    std::vector<float> x = elements(world.rank(), count), y(expected.size());
    EXPECT_DONE(world.run(allToAll(in(x), out(y), send, receive)));
    EXPECT_EQ(y, expected);
  });
}

// Types that no reduction takes are moved all the same.
TEST_P(Collectives, Broadcast) {
  onRanks([&](Communicator &world) {
    for (int root = 0; root < size(); ++root)
      for (int64_t count : counts) {
        const int8_t mark = int8_t(root + 1);
        std::vector<int8_t> data(count, world.rank() == root ? mark : 0);
        EXPECT_DONE(world.run(broadcast(out(data), root)));
        EXPECT_EQ(data, std::vector<int8_t>(count, mark));
      }
  });
}

TEST_P(Collectives, HoldEveryRankAtABarrier) {
  std::atomic<int> arrived = 0;
  onRanks([&](Communicator &world) {
    std::this_thread::sleep_for(std::chrono::milliseconds(world.rank()));
    ++arrived;
    EXPECT_DONE(world.run(barrier()));
    EXPECT_EQ(arrived, size());
  });
}

TEST_P(Collectives, WaitInAnyOrder) {
  onRanks([&](Communicator &world) {
    constexpr int number = 6;
    std::vector<std::vector<float>> x(number), y(number);
    std::vector<Pending> pending;
    for (int i = 0; i < number; ++i) {
      x[i] = elements(world.rank(), 5 + i, i);
      y[i].resize(x[i].size());
      auto started =
          world.start(allReduce(in(x[i]), out(y[i]), Reduction::Sum));
      ASSERT_TRUE(started.ok()) << started.message();
      pending.push_back(*started);
    }
    // Each rank in another order.
    std::rotate(pending.begin(), pending.begin() + world.rank() % number,
                pending.end());
    for (Pending each : pending)
      EXPECT_DONE(world.wait(each));
    for (int i = 0; i < number; ++i)
      EXPECT_EQ(y[i][0], total(size(), i));
    EXPECT_TRUE(world.wait(pending[0]).failed());
  });
}

TEST_P(Collectives, SayWhetherTheyAreDone) {
  std::atomic<int> looked = 0;
  onRanks([&](Communicator &world) {
    const bool isLast = world.rank() == size() - 1;
    while (isLast && looked < size() - 1)
      std::this_thread::yield();
    std::vector<float> x = elements(world.rank(), 5), y(5);
    auto pending = world.start(allReduce(in(x), out(y), Reduction::Sum));
    ASSERT_TRUE(pending.ok()) << pending.message();
    if (!isLast) {
      EXPECT_FALSE(world.isDone(*pending));
      ++looked;
    }
    while (!world.isDone(*pending))
      std::this_thread::yield();
    EXPECT_TRUE(world.isDone(*pending));
    EXPECT_DONE(world.wait(*pending));
    EXPECT_EQ(y[0], total(size(), 0));
    // There is nothing to wait for any more.
    EXPECT_TRUE(world.isDone(*pending));
    EXPECT_DONE(world.state());
  });
}

// Threads that sleep at random must not change a bit, nor lose a round.
TEST_P(Collectives, KeepTheirOrderUnderDelays) {
  onRanks([&](Communicator &world) {
    std::minstd_rand random(world.rank() + 1);
    float value = 1;
    for (int round = 0; round < 40; ++round) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
      std::vector<float> x = {value / (world.rank() + 1)}, y(1);
      EXPECT_DONE(world.run(allReduce(in(x), out(y), Reduction::Sum)));
      value = y[0] / size();
    }
    std::vector<float> own = {value}, all(size());
    EXPECT_DONE(world.run(allGather(in(own), out(all))));
    EXPECT_EQ(all, std::vector<float>(size(), value));
  });
}

TEST_P(Collectives, Split) {
  onRanks([&](Communicator &world) {
    // Ranks of one parity, from the last to the first.
    const int color = world.rank() % 2;
    auto half = world.split("half", color, -world.rank());
    ASSERT_TRUE(half.ok()) << half.message();
    EXPECT_EQ((*half)->group(), "half");
    EXPECT_EQ((*half)->size(), (size() + 1 - color) / 2);
    std::vector<int32_t> own = {world.rank()}, members((*half)->size());
    EXPECT_DONE((*half)->run(allGather(in(own), out(members))));
    for (int i = 1; i < (*half)->size(); ++i)
      EXPECT_EQ(members[i], members[i - 1] - 2);
    EXPECT_EQ(members[(*half)->rank()], world.rank());
    // Both groups can be used at a time, and a second split is another group.
    EXPECT_DONE(world.run(barrier()));
    auto alone = world.split("alone", world.rank(), 0);
    ASSERT_TRUE(alone.ok()) << alone.message();
    EXPECT_EQ((*alone)->size(), 1);
    EXPECT_DONE((*alone)->run(barrier()));
  });
}

TEST_P(Messages, PassAround) {
  onRanks([&](Communicator &world) {
    const int next = (world.rank() + 1) % size();
    const int last = (world.rank() + size() - 1) % size();
    for (int64_t count : counts) {
      std::vector<float> x = elements(world.rank(), count), y(count);
      auto coming = world.start(receive(out(y), last));
      ASSERT_TRUE(coming.ok()) << coming.message();
      EXPECT_DONE(world.run(send(in(x), next)));
      EXPECT_DONE(world.wait(*coming));
      EXPECT_EQ(y, elements(last, count));
    }
  });
}

// Both directions at a time, and sides that start in another order.
TEST_P(Messages, CrossEachOther) {
  onRanks([&](Communicator &world) {
    std::vector<std::vector<float>> x(size()), y(size());
    std::vector<Pending> pending;
    auto keep = [&](Result<Pending> started) {
      ASSERT_TRUE(started.ok()) << started.message();
      pending.push_back(*started);
    };
    for (int step = 1; step < size(); ++step) {
      const int other = (world.rank() + step) % size();
      x[other] = elements(world.rank(), 100 * other + 1);
      y[other].resize(100 * world.rank() + 1);
      const bool first = world.rank() < other;
      if (first)
        keep(world.start(receive(out(y[other]), other)));
      keep(world.start(send(in(x[other]), other)));
      if (!first)
        keep(world.start(receive(out(y[other]), other)));
    }
    EXPECT_DONE(world.run(barrier()));
    for (auto each = pending.rbegin(); each != pending.rend(); ++each)
      EXPECT_DONE(world.wait(*each));
    for (int other = 0; other < size(); ++other) {
      if (other == world.rank())
        continue;
      EXPECT_EQ(y[other], elements(other, 100 * world.rank() + 1));
    }
  });
}

// Messages of two ranks keep their order, and do not mind collectives.
TEST_P(Messages, KeepTheirOrder) {
  onRanks([&](Communicator &world) {
    constexpr int number = 5;
    std::vector<std::vector<int32_t>> sent(number);
    std::vector<Pending> pending;
    if (world.rank() == 0)
      for (int32_t i = 0; i < number; ++i) {
        sent[i] = {i};
        auto started = world.start(send(in(sent[i]), 1));
        ASSERT_TRUE(started.ok()) << started.message();
        pending.push_back(*started);
      }
    EXPECT_DONE(world.run(barrier()));
    for (Pending each : pending)
      EXPECT_DONE(world.wait(each));
    if (world.rank() != 1)
      return;
    std::vector<int32_t> first(1), second(1);
    auto one = world.start(receive(out(first), 0));
    auto two = world.start(receive(out(second), 0));
    EXPECT_DONE(world.wait(*two));
    EXPECT_DONE(world.wait(*one));
    EXPECT_EQ(first[0], 0);
    EXPECT_EQ(second[0], 1);
    for (int32_t i = 2; i < number; ++i) {
      EXPECT_DONE(world.run(receive(out(first), 0)));
      EXPECT_EQ(first[0], i);
    }
  });
}

// Says why there are no rows of GPUs where they were asked for.
TEST(GpuRanks, AreThose) {
  if (!std::getenv("MM01_TEST_GPU"))
    return;
  const std::vector<World> worlds = gpuWorlds();
  if (worlds.empty())
    GTEST_SKIP() << "no GPU, expected one for each rank";
  EXPECT_EQ(worlds.front().size, 1);
}
