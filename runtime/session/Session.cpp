//===- Session.cpp - sequences that one program continues -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sequences, slots and snapshots; a step is in SessionStep.cpp.
//
//===----------------------------------------------------------------------===//

#include "runtime/session/Session.h"

#include <algorithm>
#include <limits>

using namespace mm01;

/// Refuses caches that cannot fit before any of them is allocated: memory that
/// nobody has touched yet still counts as available.
static Status checkMemory(const Device &device, const EntrySpec &entry,
                          const ForwardSpec &spec, int64_t slots,
                          int64_t pages) {
  int64_t total = 0;
  auto add = [&](std::optional<size_t> index, int64_t units) -> Status {
    if (!index)
      return Status();
    Result<int64_t> bytes = Cache::bytesFor(entry.arguments[*index], units);
    MM01_RETURN_IF_FAILED(bytes);
    if (__builtin_add_overflow(total, *bytes, &total))
      return Status::error("the caches have more bytes than 64 bits can count");
    return Status();
  };
  MM01_RETURN_IF_FAILED(add(spec.lightningState, slots));
  MM01_RETURN_IF_FAILED(add(spec.keys, pages));
  MM01_RETURN_IF_FAILED(add(spec.values, pages));
  int64_t available = device.availableMemory();
  if (total > available)
    return Status::error("the caches of ", slots, " sequences and ", pages,
                         " pages need ", total >> 20, " MiB, but only ",
                         available >> 20, " MiB of memory are left");
  return Status();
}

Result<Session> Session::create(const Program &program, const Weights &weights,
                                Executor &executor,
                                const SessionOptions &options) {
  Result<ForwardSpec> spec =
      ForwardSpec::find(program.manifest(), options.entry);
  if (spec.failed())
    return Status::error(program.path(), ": ", spec.message());
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (options.maxSequences < 1 || options.maxSequences > most)
    return Status::error("a session of ", options.maxSequences,
                         " sequences, expected 1 to ", most);
  constexpr int64_t mostPositions = most * pageSize / 2;
  // Each sequence may leave the rest of one page unused.
  int64_t pages = (std::min(options.maxPositions, mostPositions) +
                   (pageSize - 1) * options.maxSequences) /
                  pageSize;
  if (options.maxPositions < 1 || options.maxPositions > mostPositions ||
      pages > most)
    return Status::error("a session of ", options.maxSequences,
                         " sequences and ", options.maxPositions,
                         " positions, expected 1 to ", mostPositions,
                         " positions in at most ", most, " pages");
  if (!spec->keys)
    pages = 0;

  const EntrySpec &entry = program.entry(spec->entry);
  // What padding's experts would be nobody says.
  bool padsDecode = executor.getDevice().canCapture() && !spec->routes;
  int64_t spare = padsDecode && pages > 0 ? 1 : 0;
  MM01_RETURN_IF_FAILED(checkMemory(executor.getDevice(), entry, *spec,
                                    options.maxSequences, pages + spare));
  Session session(program, weights, executor, *std::move(spec), pages);
  auto allocate = [&](Cache &cache, std::optional<size_t> index,
                      int64_t units) -> Status {
    if (!index)
      return Status();
    Result<Cache> made =
        Cache::allocate(executor.getDevice(), entry.arguments[*index], units);
    MM01_RETURN_IF_FAILED(made);
    cache = *std::move(made);
    return Status();
  };
  MM01_RETURN_IF_FAILED(allocate(session.lightningState,
                                 session.spec.lightningState,
                                 options.maxSequences));
  MM01_RETURN_IF_FAILED(
      allocate(session.keys, session.spec.keys, pages + spare));
  MM01_RETURN_IF_FAILED(
      allocate(session.values, session.spec.values, pages + spare));
  session.padsDecode = padsDecode;
  session.usesGraphs = padsDecode && options.graphs;
  session.slotCount = options.maxSequences;
  for (int64_t slot = options.maxSequences; slot-- > 0;)
    session.slots.push_back(static_cast<int32_t>(slot));
  return session;
}

Result<const Session::Sequence *> Session::find(SequenceId sequence) const {
  auto it = sequences.find(sequence);
  if (it == sequences.end())
    return Status::error("no sequence ", sequence,
                         ": it was never created, or released");
  return &it->second;
}

Result<SequenceId> Session::createSequence() {
  if (slots.empty())
    return Status::error("no free slot: all ", slotCount,
                         " sequences of the session are in use");
  // The slot keeps what its last sequence left there: a program reads the
  // state of a sequence without past tokens as zero.
  Sequence sequence;
  sequence.slot = slots.back();
  slots.pop_back();
  sequences.emplace(nextId, std::move(sequence));
  return nextId++;
}

Status Session::release(SequenceId sequence) {
  MM01_RETURN_IF_FAILED(find(sequence));
  auto it = sequences.find(sequence);
  for (int32_t page : it->second.pages)
    pool.release(page);
  slots.push_back(it->second.slot);
  sequences.erase(it);
  return Status();
}

Result<int64_t> Session::length(SequenceId sequence) const {
  Result<const Sequence *> found = find(sequence);
  MM01_RETURN_IF_FAILED(found);
  return (*found)->length;
}

Result<SnapshotId> Session::snapshot(SequenceId sequence) {
  Result<const Sequence *> found = find(sequence);
  MM01_RETURN_IF_FAILED(found);
  const Sequence &source = **found;
  if (source.lost)
    return Status::error("sequence ", sequence,
                         " is lost: the program failed while it changed it");
  Snapshot snapshot;
  snapshot.length = source.length;
  if (source.length > 0 && spec.lightningState) {
    MM01_RETURN_IF_FAILED(snapshot.state.reserve(lightningState.unitBytes(),
                                                 "the state of a snapshot"));
    MM01_RETURN_IF_FAILED(
        lightningState.save(source.slot, snapshot.state.data()));
  }
  for (int32_t page : source.pages)
    pool.share(page);
  snapshot.pages = source.pages;
  snapshots.emplace(nextId, std::move(snapshot));
  return nextId++;
}

Result<SequenceId> Session::restore(SnapshotId snapshot) {
  auto it = snapshots.find(snapshot);
  if (it == snapshots.end())
    return Status::error("no snapshot ", snapshot,
                         ": it was never taken, or dropped");
  Result<SequenceId> created = createSequence();
  MM01_RETURN_IF_FAILED(created);
  Sequence &sequence = sequences.at(*created);
  sequence.length = it->second.length;
  sequence.pages = it->second.pages;
  for (int32_t page : sequence.pages)
    pool.share(page);
  if (it->second.state.data())
    MM01_RETURN_IF_FAILED(
        lightningState.load(sequence.slot, it->second.state.data()));
  return created;
}

Status Session::drop(SnapshotId snapshot) {
  auto it = snapshots.find(snapshot);
  if (it == snapshots.end())
    return Status::error("no snapshot ", snapshot,
                         ": it was never taken, or dropped");
  for (int32_t page : it->second.pages)
    pool.release(page);
  snapshots.erase(it);
  return Status();
}
