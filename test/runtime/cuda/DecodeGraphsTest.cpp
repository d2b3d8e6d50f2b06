//===- DecodeGraphsTest.cpp - decode steps as graphs ----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The toy model of test/runtime/session as one kernel of a GPU, on the fake
// driver: what graphs answer, when they are captured, and what goes wrong.
//
//===----------------------------------------------------------------------===//

#include "../TestProgram.h"

#include "runtime/cpu/CpuDevice.h"
#include "runtime/cuda/CudaDevice.h"
#include "runtime/session/Session.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <random>

using namespace mm01;
using namespace mm01::test;

namespace {

template <typename T> T valueOf(Result<T> result) {
  EXPECT_TRUE(result.ok()) << result.message();
  return *std::move(result);
}

/// A toy program with a session, on a device of its own.
struct Toy {
  Toy(const std::string &path, std::unique_ptr<Device> opened, bool graphs)
      : program(valueOf(Program::open(path))), device(std::move(opened)),
        executor(*device),
        weights(
            valueOf(Weights::bind(program.manifest(), "random:3", *device))),
        session(valueOf(Session::create(
            program, weights, executor,
            {.maxSequences = 8, .maxPositions = 8 * 200, .graphs = graphs}))) {}

  /// The logits of one step.
  std::vector<float> step(const std::vector<StepItem> &items) {
    Result<StepLogits> logits = session.step(items);
    EXPECT_TRUE(logits.ok()) << logits.message();
    if (logits.failed())
      return {};
    return {logits->values.begin(), logits->values.end()};
  }

  Program program;
  std::unique_ptr<Device> device;
  Executor executor;
  Weights weights;
  Session session;
};

std::unique_ptr<Device> gpu() { return valueOf(CudaDevice::open()); }

class DecodeGraphsTest : public ::testing::Test {
protected:
  DecodeGraphsTest() {
    setenv("FAKE_CUDA_LOG", folder.file("log").c_str(), 1);
    std::ofstream(folder.file("log"));
  }
  ~DecodeGraphsTest() override {
    unsetenv("FAKE_CUDA_LOG");
    unsetenv("FAKE_CUDA");
  }

  size_t count(const std::string &line) const {
    std::string log = readFile(folder.file("log"));
    size_t found = 0;
    for (size_t at = 0; (at = log.find(line, at)) != std::string::npos; ++at)
      ++found;
    return found;
  }

  TemporaryFolder folder;
};

} // namespace

// Sequences of different lengths, of which each step takes some: what is padded
// in one step is a real sequence of the next, so that padding which wrote
// anywhere but to its own page would show.
TEST_F(DecodeGraphsTest, AnswerWhatStepsAnswer) {
  for (const char *path : {TOY_GPU_PROGRAM, TOY_GPU_PROGRAM_WITHOUT_PAGES}) {
    Toy graphs(path, gpu(), true), eager(path, gpu(), false);
    bool paged = path == std::string(TOY_GPU_PROGRAM);
    Toy cpu(paged ? TOY_PROGRAM : TOY_PROGRAM_WITHOUT_PAGES,
            std::make_unique<CpuDevice>(1), true);
    std::mt19937 random(1);
    std::vector<SequenceId> ids;
    for (int n = 0; n < 8; ++n) {
      ids.push_back(valueOf(graphs.session.createSequence()));
      for (Toy *other : {&eager, &cpu})
        EXPECT_EQ(valueOf(other->session.createSequence()), ids.back());
    }
    std::vector<int32_t> tokens(256);
    for (int32_t &token : tokens)
      token = static_cast<int32_t>(random() % 14);
    for (int i = 0; i < 120; ++i) {
      std::vector<StepItem> items;
      for (SequenceId id : ids)
        if (random() % 2 == 0)
          items.push_back({id, std::span(tokens).subspan(random() % 200, 1)});
      if (items.empty())
        continue;
      if (i % 20 == 0) // a step that is no decode step
        items[0].tokens = std::span(tokens).first(1 + random() % 20);
      std::vector<float> expected = cpu.step(items);
      ASSERT_EQ(graphs.step(items), expected) << "step " << i;
      ASSERT_EQ(eager.step(items), expected) << "step " << i;
    }
  }
  EXPECT_GT(count("\nlaunch graph"), 100u);
}

TEST_F(DecodeGraphsTest, AreCapturedOnceForEachSize) {
  Toy toy(TOY_GPU_PROGRAM, gpu(), true);
  std::vector<int32_t> token = {3};
  std::vector<StepItem> items;
  auto steps = [&](int number) {
    for (int i = 0; i < number; ++i)
      toy.step(items);
  };
  auto add = [&] {
    items.push_back({valueOf(toy.session.createSequence()), token});
  };
  add();
  steps(1); // the first as it is
  EXPECT_EQ(count("capture\n"), 0u);
  EXPECT_EQ(count("\nlaunch toy"), 1u);
  steps(5);
  EXPECT_EQ(count("\ncapture\n"), 1u);
  EXPECT_EQ(count("\nlaunch graph\n"), 5u);
  EXPECT_EQ(count("\ninstantiate 1\n"), 1u);
  for (int n = 2; n <= 5; ++n)
    add();
  steps(4); // five are padded to eight
  EXPECT_EQ(count("\ncapture\n"), 2u);
  for (int n = 6; n <= 7; ++n)
    add();
  steps(4); // and so are seven
  EXPECT_EQ(count("\ncapture\n"), 2u);
  // A page more is another size; two sizes are padded to one again.
  steps(64);
  EXPECT_EQ(count("\ncapture\n"), 3u);
}

TEST_F(DecodeGraphsTest, StartOverWhereMemoryHasMoved) {
  Toy toy(TOY_GPU_PROGRAM, gpu(), true);
  std::vector<int32_t> tokens(90, 3);
  StepItem item{valueOf(toy.session.createSequence()),
                std::span(tokens).first(1)};
  for (int i = 0; i < 3; ++i)
    toy.step({item});
  EXPECT_EQ(count("\ncapture\n"), 1u);
  // All rows of a long prompt: buffers of tokens and logits grow.
  toy.step({{valueOf(toy.session.createSequence()), tokens, LogitRows::All}});
  for (int i = 0; i < 3; ++i)
    toy.step({item});
  EXPECT_EQ(count("\ncapture\n"), 2u);
  EXPECT_EQ(count("\ndestroy graph\n"), 1u);
}

TEST_F(DecodeGraphsTest, AreNotUsedInTraces) {
  Toy toy(TOY_GPU_PROGRAM, gpu(), true);
  ASSERT_TRUE(toy.device->startTrace().ok());
  std::vector<int32_t> token = {3};
  StepItem item{valueOf(toy.session.createSequence()), token};
  for (int i = 0; i < 3; ++i)
    toy.step({item});
  EXPECT_EQ(count("capture\n"), 0u);
  Result<Trace> trace = toy.device->finishTrace();
  ASSERT_TRUE(trace.ok()) << trace.message();
  std::map<TraceEvent::Kind, int> seen;
  for (const TraceEvent &event : *trace)
    ++seen[event.kind];
  EXPECT_EQ(seen[TraceEvent::Kind::Kernel], 3);
  EXPECT_EQ(seen[TraceEvent::Kind::CopyOut], 3);
  EXPECT_EQ(seen[TraceEvent::Kind::CopyIn], 9); // tokens, rows, batch
  for (int i = 0; i < 3; ++i)
    toy.step({item});
  EXPECT_EQ(count("capture\n"), 1u);
}

TEST_F(DecodeGraphsTest, SayWhatWentWrong) {
  for (auto [mode, words] :
       {std::pair("no-capture", "cuStreamBeginCapture"),
        std::pair("no-graph-memory", "cuGraphInstantiateWithFlags: out of "
                                     "memory")}) {
    Toy toy(TOY_GPU_PROGRAM, gpu(), true);
    std::vector<int32_t> token = {3};
    StepItem item{valueOf(toy.session.createSequence()), token};
    toy.step({item});
    setenv("FAKE_CUDA", mode, 1);
    Result<StepLogits> refused = toy.session.step({&item, 1});
    expectLine(refused.message(), {words});
    setenv("FAKE_CUDA", "", 1);
    // The caches may have changed: the sequence is lost, others go on.
    expectLine(toy.session.step({&item, 1}).message(), {"is lost"});
    item.sequence = valueOf(toy.session.createSequence());
    toy.step({item});
  }
}

// An advance leaves the logits where they are.
TEST_F(DecodeGraphsTest, AdvanceWithoutLogits) {
  Toy toy(TOY_GPU_PROGRAM, gpu(), true), other(TOY_GPU_PROGRAM, gpu(), true);
  std::vector<int32_t> token = {3};
  StepItem item{valueOf(toy.session.createSequence()), token};
  valueOf(other.session.createSequence());
  for (int i = 0; i < 4; ++i) {
    size_t copies = count("\ncopy out");
    Status status = toy.session.advance({&item, 1});
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(count("\ncopy out"), copies);
    other.step({item});
  }
  EXPECT_EQ(toy.step({item}), other.step({item}));
}
