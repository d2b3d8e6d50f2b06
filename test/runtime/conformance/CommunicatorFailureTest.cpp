//===- CommunicatorFailureTest.cpp - what a group refuses -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever one rank does wrong, every rank ends with the same line, in time.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/conformance/Ranks.h"

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

using namespace mm01;
using namespace mm01::test;
using std::chrono::milliseconds;

namespace {

class Refusals : public Ranks {
protected:
  /// Runs `body` on each rank and expects that all end with one line that holds
  /// the words.
  void refuses(const std::function<Status(Communicator &)> &body,
               const std::vector<std::string> &words,
               milliseconds limit = std::chrono::minutes(2)) {
    std::mutex mutex;
    std::set<std::string> lines;
    onRanks(
        [&](Communicator &world) {
          Status status = body(world);
          // A rank may have been done before another failed.
          if (status.ok())
            status = world.run(barrier());
          std::lock_guard lock(mutex);
          lines.insert(status.message());
        },
        limit);
    ASSERT_EQ(lines.size(), 1u) << *lines.begin() << "\n" << *lines.rbegin();
    for (const std::string &word : words)
      EXPECT_NE(lines.begin()->find(word), std::string::npos)
          << "expected '" << word << "' in: " << *lines.begin();
  }

  int last() const { return size() - 1; }
  std::string lastRank() const { return "rank " + std::to_string(last()); }
};

class RefusalsOfMany : public Refusals {};

} // namespace

INSTANTIATE_TEST_SUITE_P(All, Refusals, ::testing::ValuesIn(allWorlds()),
                         worldName);
INSTANTIATE_TEST_SUITE_P(Many, RefusalsOfMany, ::testing::ValuesIn(manyRanks()),
                         worldName);

// What one rank alone can see; the others are told.
TEST_P(Refusals, ArgumentsThatAreNoTransfer) {
  std::vector<float> x(6), y(6);
  std::vector<int32_t> whole(6);
  const std::vector<int64_t> few(size(), 0), negative(size(), -1);
  const std::vector<int64_t> wrong(size() + 1, 1);
  const int none = size();
  struct Case {
    Transfer transfer;
    std::initializer_list<std::string> words;
  };
  const Case cases[] = {
      {allReduce(in(x), {y.data(), ElementType::F32, 5}, Reduction::Sum),
       {"all_reduce", "out has 5 elements, expected 6"}},
      {allReduce(in(x), out(whole), Reduction::Sum),
       {"all_reduce", "in is f32 and out is i32"}},
      {allReduce({nullptr, ElementType::F32, 1},
                 {y.data(), ElementType::F32, 1}, Reduction::Max),
       {"all_reduce", "without memory"}},
      {allReduce({x.data(), ElementType::F16, 2},
                 {y.data(), ElementType::F16, 2}, Reduction::Sum),
       {"all_reduce", "reduces f16, expected f32, bf16, i32 or i64"}},
      {allGather(in(x), out(y), wrong), {"all_gather", "counts, expected one"}},
      {allGather(in(x), out(y), few),
       {"all_gather", "add up to 0, expected the 6 elements of out"}},
      {reduceScatter(in(x), out(y), Reduction::Sum, negative),
       {"reduce_scatter", "count -1"}},
      {reduceScatter(in(x), {y.data(), ElementType::F32, 7}, Reduction::Sum),
       {"reduce_scatter", ""}},
      {allToAll(in(x), out(y), few, few), {"all_to_all", "add up to 0"}},
      {broadcast(out(y), none),
       {"broadcast", "found rank " + std::to_string(none)}},
      {broadcast(out(y), -1), {"broadcast", "found rank -1"}},
      {send(in(x), last()), {"send", "this rank itself"}},
      {receive(out(y), last()), {"receive", "this rank itself"}},
  };
  for (const Case &each : cases) {
    std::vector<std::string> words = each.words;
    words.insert(words.end(), {"group world", lastRank()});
    refuses(
        [&](Communicator &world) {
          return world.run(world.rank() == last() ? each.transfer : barrier());
        },
        words);
  }
}

TEST_P(Refusals, ColorsBelowZero) {
  refuses(
      [&](Communicator &world) {
        return world.split("part", world.rank() == last() ? -1 : 0, 0).status();
      },
      {"group world", "split", lastRank(), "color -1"});
}

TEST_P(Refusals, EverythingAfterAFailure) {
  refuses(
      [&](Communicator &world) {
        if (world.rank() == 0)
          world.abandon(Status::error("rank 0 ran out of memory"));
        Status status = world.run(barrier());
        EXPECT_TRUE(status.failed());
        EXPECT_EQ(world.state().message(), status.message());
        return world.run(barrier());
      },
      {"rank 0 ran out of memory"});
}

TEST_P(RefusalsOfMany, SizesThatDiffer) {
  refuses(
      [&](Communicator &world) {
        std::vector<float> x(world.rank() == last() ? 5 : 4), y(x.size());
        return world.run(allReduce(in(x), out(y), Reduction::Sum));
      },
      {"group world", "all_reduce", lastRank(), "elements 5, expected 4"});
  refuses(
      [&](Communicator &world) {
        std::vector<float> x(world.rank() == last() ? 5 : 4);
        return world.run(broadcast(out(x), 0));
      },
      {"broadcast", lastRank(), "elements 5, expected 4"});
}

TEST_P(RefusalsOfMany, TransfersThatDiffer) {
  std::vector<float> x(size());
  std::vector<int32_t> whole(size());
  auto one = [&](Communicator &world, Transfer first, Transfer other) {
    return world.run(world.rank() == last() ? std::move(other)
                                            : std::move(first));
  };
  refuses(
      [&](Communicator &world) {
        std::vector<float> y(size());
        return one(world, allReduce(in(x), out(y), Reduction::Sum),
                   allToAll(in(x), out(y)));
      },
      {lastRank(), "started all_to_all, expected all_reduce as rank 0 did"});
  refuses(
      [&](Communicator &world) {
        std::vector<float> y(size());
        std::vector<int32_t> other(size());
        return one(world, allReduce(in(x), out(y), Reduction::Sum),
                   allReduce(in(whole), out(other), Reduction::Sum));
      },
      {lastRank(), "type i32, expected f32"});
  refuses(
      [&](Communicator &world) {
        std::vector<float> y(size());
        return one(world, allReduce(in(x), out(y), Reduction::Sum),
                   allReduce(in(x), out(y), Reduction::Max));
      },
      {lastRank(), "another reduction"});
  refuses(
      [&](Communicator &world) {
        std::vector<float> y(size());
        return one(world, broadcast(out(y), 0), broadcast(out(y), 1));
      },
      {lastRank(), "root 1, expected 0"});
}

// Splits that were corrupted on their way: rank 0 sends one more than it says.
TEST_P(RefusalsOfMany, CountsThatDiffer) {
  refuses(
      [&](Communicator &world) {
        std::vector<int64_t> send(size(), 1), receive(size(), 1);
        if (world.rank() == 0)
          send[last()] = 2;
        std::vector<float> x(size() + (world.rank() == 0)), y(size());
        return world.run(allToAll(in(x), out(y), send, receive));
      },
      {"all_to_all", lastRank() + " receives 1 elements of rank 0", "sends 2"});
  refuses(
      [&](Communicator &world) {
        std::vector<int64_t> rows(size(), 2);
        if (world.rank() == last())
          rows[0] = 3;
        std::vector<float> x(2), y(2 * size() + (world.rank() == last()));
        return world.run(allGather(in(x), out(y), rows));
      },
      {"all_gather", lastRank(), "other counts"});
}

TEST_P(RefusalsOfMany, MessagesThatDiffer) {
  refuses(
      [&](Communicator &world) {
        std::vector<float> x(3), y(4);
        if (world.rank() == 0)
          return world.run(send(in(x), last()));
        if (world.rank() == last())
          return world.run(receive(out(y), 0));
        return Status();
      },
      {"receive", lastRank() + " expected 4 elements f32 from rank 0",
       "found 3 elements f32"});
}

// A rank that is somewhere else is named, with the collective. Nobody waits
// before all others have started, so that it is the only one missing.
TEST_P(RefusalsOfMany, RanksThatStayAway) {
  std::atomic<int> started = 0, ended = 0;
  auto until = [](std::atomic<int> &count, int wanted) {
    while (count < wanted)
      std::this_thread::sleep_for(milliseconds(1));
  };
  refuses(
      [&](Communicator &world) {
        if (world.rank() == last()) {
          until(ended, last());
          return world.run(barrier());
        }
        Result<Pending> pending = world.start(barrier());
        EXPECT_TRUE(pending.ok()) << pending.message();
        ++started;
        until(started, last());
        Status status = world.wait(*pending);
        ++ended;
        return status;
      },
      {"group world", "barrier",
       std::to_string(GetParam().shortLimit.count()) + " ms",
       "for " + lastRank()},
      GetParam().shortLimit);
}

TEST_P(RefusalsOfMany, RanksThatHaveLeft) {
  std::mutex mutex;
  std::vector<std::string> lines;
  onRanks([&](Communicator &world) {
    if (world.rank() == last())
      return;
    std::vector<float> x(3), y(3);
    Status status = world.run(allReduce(in(x), out(y), Reduction::Sum));
    std::lock_guard lock(mutex);
    lines.push_back(status.message());
  });
  ASSERT_EQ(lines.size(), size_t(last()));
  for (const std::string &line : lines) {
    EXPECT_EQ(line, lines.front());
    EXPECT_NE(line.find("waits for " + lastRank() + ", which has left"),
              std::string::npos)
        << line;
  }
}

// The failure of a group is its own: the other half goes on.
TEST_P(RefusalsOfMany, OnlyTheGroupThatFailed) {
  onRanks([&](Communicator &world) {
    auto part = world.split("part", world.rank() == last() ? 1 : 0, 0);
    ASSERT_TRUE(part.ok()) << part.message();
    if (world.rank() == last())
      (*part)->abandon(Status::error("no memory"));
    EXPECT_EQ((*part)->run(barrier()).failed(), world.rank() == last());
    EXPECT_TRUE(world.run(barrier()).ok());
  });
}
