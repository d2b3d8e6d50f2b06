//===- Session.h - sequences that one program continues -------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A session owns the caches of one inference program and hands its slots and
// pages out to sequences. A step feeds any mixture of prompts, chunks of
// prompts and single tokens to the program as one ragged batch; what a sequence
// answers does not depend on what else is in the batch. runtime/README.md tells
// how slots, pages and snapshots work.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_SESSION_SESSION_H
#define MM01_RUNTIME_SESSION_SESSION_H

#include "runtime/core/Executor.h"
#include "runtime/core/Ragged.h"
#include "runtime/core/Weights.h"
#include "runtime/session/Cache.h"
#include "runtime/session/DecodeGraphs.h"
#include "runtime/session/Forward.h"
#include "runtime/session/PagePool.h"

#include <map>
#include <span>
#include <vector>

namespace mm01 {

/// Names of sequences and snapshots; never given twice by one session.
using SequenceId = int64_t;
using SnapshotId = int64_t;

/// What a session reserves memory for, and what it calls.
struct SessionOptions {
  /// Sequences that may exist at the same time: slots of the lightning state.
  int64_t maxSequences = 1;
  /// Positions that all sequences and snapshots may hold together; a position
  /// that several share counts once. The pages are enough for maxSequences
  /// sequences of these positions however they are split between them.
  int64_t maxPositions = pageSize;
  /// The inference entry to call.
  std::string entry = "forward";
  /// Where the device can capture its work, do decode steps as graphs; without,
  /// they are padded all the same, so that results are equal bit by bit.
  bool graphs = true;
};

/// Of which tokens of a step the logits are wanted.
enum class LogitRows { None, Last, All };

/// What a step feeds to one sequence.
struct StepItem {
  SequenceId sequence = 0;
  std::span<const int32_t> tokens; ///< at least one
  LogitRows logits = LogitRows::Last;
  /// The experts of each layer, token and choice, [layers, tokens, k]; of a
  /// program that is told them (ForwardSpec::routes), else empty.
  std::span<const int32_t> routes = {};
};

/// The logits of a step; valid until the session's next step.
struct StepLogits {
  int64_t vocabulary = 0;
  /// [R, vocabulary]: the wanted rows of item 0, then those of item 1, …
  std::span<const float> values;
  /// [items + 1]: item i has rows firstRow[i] … firstRow[i + 1] - 1.
  std::vector<int64_t> firstRow;

  int64_t rows() const { return firstRow.back(); }
  std::span<const float> row(int64_t index) const {
    return values.subspan(index * vocabulary, vocabulary);
  }
};

/// Used from one thread at a time. No call that fails changes a sequence, with
/// one exception: when the program itself fails in the middle of a step, the
/// sequences of that step are lost and can only be released.
class Session {
public:
  /// Allocates the caches. `program`, `weights` and `executor` must outlive the
  /// session. Fails when the entry is no inference entry or the caches do not
  /// fit in the memory that is left.
  static Result<Session> create(const Program &program, const Weights &weights,
                                Executor &executor,
                                const SessionOptions &options);

  const ForwardSpec &forward() const { return spec; }
  /// Limits of one step.
  int64_t maxStepTokens() const { return program->manifest().maxTokens; }
  int64_t maxStepSequences() const { return program->manifest().maxSequences; }
  int64_t freePages() const { return pool.available(); }
  int64_t freeSlots() const { return static_cast<int64_t>(slots.size()); }

  /// An empty sequence. Fails when all slots are taken.
  Result<SequenceId> createSequence();

  /// Gives the sequence's slot and pages back.
  Status release(SequenceId sequence);

  /// Tokens that the sequence holds.
  Result<int64_t> length(SequenceId sequence) const;

  /// Remembers the sequence as it is now: copies its lightning state and shares
  /// its pages. Fails when there is no memory for the state.
  Result<SnapshotId> snapshot(SequenceId sequence);

  /// A new sequence that continues from the snapshot, which stays. Fails when
  /// all slots are taken.
  Result<SequenceId> restore(SnapshotId snapshot);

  /// Forgets the snapshot.
  Status drop(SnapshotId snapshot);

  /// Appends tokens to sequences in one call of the program. Refuses: no items,
  /// an unknown or repeated sequence, no tokens, a token that is no id of the
  /// vocabulary, routes of another number of elements or that name no expert, a
  /// sequence over forward().maxPositions, a step over
  /// maxStepTokens() or maxStepSequences(), and a lack of free pages.
  Result<StepLogits> step(std::span<const StepItem> items);

  /// The same step, with logits computed and left on the device. Where the
  /// device does, it returns before the step is done, and who waits for the
  /// device learns of what failed in it.
  Status advance(std::span<const StepItem> items);

  /// Where the device has the logits of the last step that succeeded, the
  /// wanted rows in the order of its items; valid until the next step.
  const void *deviceLogits() const {
    return sink.results[spec.logits].memory.data();
  }
  /// What was given to create().
  const Program &getProgram() const { return *program; }
  Executor &getExecutor() const { return *executor; }

private:
  struct Sequence {
    int32_t slot = 0;
    int64_t length = 0;
    bool lost = false; // the program failed while it changed this sequence
    std::vector<int32_t> pages;
  };
  struct Snapshot {
    int64_t length = 0;
    std::vector<int32_t> pages;
    AlignedBuffer state;
  };
  /// What a step needs before the program runs.
  struct PagePlan {
    struct Copy {
      int32_t from, to;
    };
    std::vector<std::vector<int32_t>> pages; // per item, all its pages
    std::vector<Copy> copies;                // shared pages to be written
    std::vector<int32_t> fresh;              // everything that was allocated
  };

  Session(const Program &program, const Weights &weights, Executor &executor,
          ForwardSpec spec, int64_t pages)
      : program(&program), weights(&weights), executor(&executor),
        spec(std::move(spec)), pool(pages) {}

  Result<const Sequence *> find(SequenceId sequence) const;
  Status check(std::span<const StepItem> items) const;
  Status checkRoutes(const StepItem &item) const;
  std::vector<int32_t> joinRoutes(std::span<const StepItem> items) const;
  Result<PagePlan> planPages(std::span<const StepItem> items);
  /// Everything but the logits; `logitRows` as the program shall have them.
  Status perform(std::span<const StepItem> items,
                 std::vector<int32_t> logitRows, bool wait);
  Result<RaggedBatch> makeBatch(std::span<const StepItem> items,
                                const PagePlan &plan) const;
  Status run(std::span<const StepItem> items, const PagePlan &plan,
             std::vector<int32_t> &logitRows, bool &started);
  Status call(const std::vector<mm01_argument> &arguments,
              std::optional<DecodeSize> size);
  void commit(std::span<const StepItem> items, PagePlan &plan);
  bool paged() const { return spec.keys.has_value(); }

  const Program *program;
  const Weights *weights;
  Executor *executor;
  ForwardSpec spec;

  Cache lightningState, keys, values;
  int64_t slotCount = 0;
  PagePool pool;
  std::vector<int32_t> slots; // free ones, a stack
  std::map<SequenceId, Sequence> sequences;
  std::map<SnapshotId, Snapshot> snapshots;
  int64_t nextId = 0;
  ResultSink sink;
  /// Pads decode steps, for graphs or so that they could be some; the page that
  /// padding may write lies behind those of the pool.
  bool padsDecode = false;
  bool usesGraphs = false;
  DecodeGraphs graphs;
  /// Copies of what changes in each step, where the device has memory of its
  /// own.
  DeviceBuffer deviceTokens, deviceRows, deviceRoutes, deviceBatch;
  AlignedBuffer hostLogits;
};

} // namespace mm01

#endif // MM01_RUNTIME_SESSION_SESSION_H
