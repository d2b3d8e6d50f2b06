//===- SessionStep.cpp - one ragged step of a session ---------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step is checked and planned as a whole before anything changes. The plan
// takes the pages that the new tokens need, and a private page for each shared
// one that would be written; only when the program has run do the sequences get
// their new lengths and pages.
//
//===----------------------------------------------------------------------===//

#include "runtime/session/Session.h"

#include <algorithm>

using namespace mm01;

Status Session::check(std::span<const StepItem> items) const {
  if (items.empty())
    return Status::error("a step without sequences, expected at least one");
  if (static_cast<int64_t>(items.size()) > maxStepSequences())
    return Status::error("a step of ", items.size(),
                         " sequences, the program takes at most ",
                         maxStepSequences());
  int64_t tokens = 0;
  std::vector<SequenceId> seen;
  for (const StepItem &item : items) {
    Result<const Sequence *> sequence = find(item.sequence);
    MM01_RETURN_IF_FAILED(sequence);
    if ((*sequence)->lost)
      return Status::error("sequence ", item.sequence,
                           " is lost: the program failed while it changed it");
    if (item.tokens.empty())
      return Status::error("sequence ", item.sequence,
                           " has no tokens in this step, expected at least 1");
    int64_t length = (*sequence)->length;
    int64_t added = static_cast<int64_t>(item.tokens.size());
    if (added > spec.maxPositions - length)
      return Status::error(
          "sequence ", item.sequence, " of ", length, " tokens and ", added,
          " more, the model has at most ", spec.maxPositions, " positions");
    for (size_t i = 0; i < item.tokens.size(); ++i)
      if (item.tokens[i] < 0 || item.tokens[i] >= spec.vocabulary)
        return Status::error("sequence ", item.sequence, ": token ", i, " is ",
                             item.tokens[i], ", expected 0 to ",
                             spec.vocabulary - 1);
    MM01_RETURN_IF_FAILED(checkRoutes(item));
    tokens += added;
    seen.push_back(item.sequence);
  }
  if (tokens > maxStepTokens())
    return Status::error("a step of ", tokens,
                         " tokens, the program takes at most ",
                         maxStepTokens());
  std::sort(seen.begin(), seen.end());
  auto repeated = std::adjacent_find(seen.begin(), seen.end());
  if (repeated != seen.end())
    return Status::error("sequence ", *repeated,
                         " is in the step twice, expected once");
  return Status();
}

Result<Session::PagePlan> Session::planPages(std::span<const StepItem> items) {
  PagePlan plan;
  plan.pages.resize(items.size());
  if (!paged())
    return plan;

  // First who needs what: `leaving` counts the holders that a shared page loses
  // in this step, so that the last one of them writes to it without a copy.
  std::map<int32_t, int32_t> leaving;
  int64_t needed = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const Sequence &sequence = sequences.at(items[i].sequence);
    plan.pages[i] = sequence.pages;
    if (sequence.length % pageSize != 0) {
      int32_t &partial = plan.pages[i].back();
      if (pool.holdersOf(partial) - leaving[partial] > 1) {
        ++leaving[partial];
        plan.copies.push_back({partial, -1});
        partial = -1;
        ++needed;
      }
    }
    int64_t length = sequence.length + items[i].tokens.size();
    needed += pagesFor(length) - static_cast<int64_t>(plan.pages[i].size());
  }
  if (needed > pool.available())
    return Status::error("no free pages: the step needs ", needed, " pages of ",
                         pageSize, " positions, ", pool.available(), " of ",
                         pool.capacity(), " are free");

  auto take = [&]() -> int32_t {
    plan.fresh.push_back(*pool.allocate());
    return plan.fresh.back();
  };
  auto copy = plan.copies.begin();
  for (size_t i = 0; i < items.size(); ++i) {
    const Sequence &sequence = sequences.at(items[i].sequence);
    if (!plan.pages[i].empty() && plan.pages[i].back() < 0)
      plan.pages[i].back() = (copy++)->to = take();
    int64_t length = sequence.length + items[i].tokens.size();
    while (static_cast<int64_t>(plan.pages[i].size()) < pagesFor(length))
      plan.pages[i].push_back(take());
  }
  return plan;
}

Result<RaggedBatch> Session::makeBatch(std::span<const StepItem> items,
                                       const PagePlan &plan) const {
  std::vector<int32_t> offsets = {0}, past, slot, pageTable;
  size_t width = 0;
  for (const std::vector<int32_t> &pages : plan.pages)
    width = std::max(width, pages.size());
  for (size_t i = 0; i < items.size(); ++i) {
    const Sequence &sequence = sequences.at(items[i].sequence);
    offsets.push_back(offsets.back() +
                      static_cast<int32_t>(items[i].tokens.size()));
    past.push_back(static_cast<int32_t>(sequence.length));
    slot.push_back(sequence.slot);
    pageTable.insert(pageTable.end(), plan.pages[i].begin(),
                     plan.pages[i].end());
    pageTable.resize((i + 1) * width, 0);
  }
  RaggedLimits limits;
  limits.maxTokens = maxStepTokens();
  limits.maxSequences = maxStepSequences();
  limits.slots = slotCount;
  if (paged())
    limits.pages = pool.capacity();
  return RaggedBatch::create(std::move(offsets), std::move(past),
                             std::move(slot), std::move(pageTable), limits);
}

Status Session::run(std::span<const StepItem> items, const PagePlan &plan,
                    std::vector<int32_t> &logitRows, bool &started) {
  Result<RaggedBatch> batch = makeBatch(items, plan);
  MM01_RETURN_IF_FAILED(batch);
  std::vector<int32_t> tokens;
  for (const StepItem &item : items)
    tokens.insert(tokens.end(), item.tokens.begin(), item.tokens.end());
  std::optional<DecodeSize> size;
  if (padsDecode && tokens.size() == items.size() &&
      logitRows.size() == items.size()) {
    int64_t count = static_cast<int64_t>(items.size());
    int64_t pages = batch->get()->pages;
    size = {paddedTo(count, std::min(maxStepSequences(), maxStepTokens())),
            pages ? paddedTo(pages, pool.capacity()) : 0};
    batch->pad(size->sequences, size->sequences, size->pages,
               static_cast<int32_t>(pool.capacity()));
    tokens.resize(size->sequences, 0);
    while (static_cast<int64_t>(logitRows.size()) < size->sequences)
      logitRows.push_back(static_cast<int32_t>(logitRows.size()));
  }

  // The results' memory first: a program that is refused it has already
  // changed the caches.
  const EntrySpec &entry = program->entry(spec.entry);
  sink.results.resize(entry.results.size());
  Device &device = executor->getDevice();
  TensorBuffer &logits = sink.results[spec.logits];
  MM01_RETURN_IF_FAILED(
      logits.resize(device, ElementType::F32,
                    {static_cast<int64_t>(logitRows.size()), spec.vocabulary}));
  if (!device.sharesMemory())
    MM01_RETURN_IF_FAILED(hostLogits.reserve(logits.bytes(), "logits"));

  for (const PagePlan::Copy &copy : plan.copies) {
    MM01_RETURN_IF_FAILED(keys.copy(copy.from, copy.to));
    MM01_RETURN_IF_FAILED(values.copy(copy.from, copy.to));
  }

  auto show = [&](const std::vector<int32_t> &ids, DeviceBuffer &copy) {
    return showToDevice(device, ids.data(),
                        static_cast<int64_t>(ids.size() * sizeof(int32_t)),
                        "the tokens of a step", copy);
  };
  Result<const void *> shownTokens = show(tokens, deviceTokens);
  MM01_RETURN_IF_FAILED(shownTokens);
  Result<const void *> shownRows = show(logitRows, deviceRows);
  MM01_RETURN_IF_FAILED(shownRows);
  MM01_RETURN_IF_FAILED(batch->copyTo(device, deviceBatch));

  int64_t tokenCount = static_cast<int64_t>(tokens.size());
  int64_t rowCount = static_cast<int64_t>(logitRows.size());
  std::vector<mm01_argument> arguments(entry.arguments.size());
  for (size_t i = 0; i < entry.arguments.size(); ++i)
    if (entry.arguments[i].kind == ArgumentKind::Weight)
      arguments[i].data = const_cast<const void **>(
          weights->parts(*entry.arguments[i].parameter));
  arguments[spec.tokens] = {const_cast<void *>(*shownTokens), &tokenCount};
  arguments[spec.ragged] = {const_cast<mm01_ragged *>(batch->get()), nullptr};
  arguments[spec.logitRows] = {const_cast<void *>(*shownRows), &rowCount};
  std::vector<int32_t> routes;
  std::vector<int64_t> routesShape;
  if (spec.routes) {
    routes = joinRoutes(items);
    routesShape = entry.arguments[*spec.routes].shape;
    routesShape[1] = tokenCount;
    Result<const void *> shown = show(routes, deviceRoutes);
    MM01_RETURN_IF_FAILED(shown);
    arguments[*spec.routes] = {const_cast<void *>(*shown), routesShape.data()};
  }
  if (spec.lightningState)
    arguments[*spec.lightningState] = lightningState.argument();
  if (paged()) {
    arguments[*spec.keys] = keys.argument();
    arguments[*spec.values] = values.argument();
  }
  started = true;
  MM01_RETURN_IF_FAILED(call(arguments, size));
  const std::vector<int64_t> expected = {rowCount, spec.vocabulary};
  if (sink.results[spec.logits].shape != expected)
    return Status::error("entry ", entry.name, " gave logits ",
                         shapeText(sink.results[spec.logits].shape),
                         ", expected ", shapeText(expected));
  return {};
}

/// Calls the program, as a graph where the step has a size that was padded.
Status Session::call(const std::vector<mm01_argument> &arguments,
                     std::optional<DecodeSize> size) {
  auto work = [&] {
    return executor->run(*program, spec.entry, arguments, sink);
  };
  if (!size || !usesGraphs || !executor->getDevice().canCapture())
    return work();
  // Caches and weights stay where they are as long as the session lives.
  auto memory = [&] {
    return DecodeGraphs::Memory{
        deviceTokens.data(), deviceRows.data(), deviceBatch.data(),
        sink.results[spec.logits].memory.data(), executor->arenaMemory()};
  };
  return graphs.run(executor->getDevice(), *size, memory, work);
}

void Session::commit(std::span<const StepItem> items, PagePlan &plan) {
  for (size_t i = 0; i < items.size(); ++i) {
    Sequence &sequence = sequences.at(items[i].sequence);
    sequence.length += items[i].tokens.size();
    sequence.pages = std::move(plan.pages[i]);
  }
  for (const PagePlan::Copy &copy : plan.copies)
    pool.release(copy.from);
}

/// The rows of logits that a step wants; `firstRow` gets where those of each
/// item begin, and where the last end.
static std::vector<int32_t> logitRowsOf(std::span<const StepItem> items,
                                        std::vector<int64_t> &firstRow) {
  std::vector<int32_t> rows;
  int32_t begin = 0;
  firstRow.push_back(0);
  for (const StepItem &item : items) {
    int32_t end = begin + static_cast<int32_t>(item.tokens.size());
    int32_t first = item.logits == LogitRows::None   ? end
                    : item.logits == LogitRows::Last ? end - 1
                                                     : begin;
    for (int32_t row = first; row < end; ++row)
      rows.push_back(row);
    firstRow.push_back(static_cast<int64_t>(rows.size()));
    begin = end;
  }
  return rows;
}

Status Session::perform(std::span<const StepItem> items,
                        std::vector<int32_t> logitRows, bool wait) {
  Result<PagePlan> plan = planPages(items);
  MM01_RETURN_IF_FAILED(plan);
  bool started = false;
  Status status = run(items, *plan, logitRows, started);
  if (status.ok() && wait)
    status = executor->getDevice().synchronize();
  if (status.failed()) {
    for (int32_t page : plan->fresh)
      pool.release(page);
    for (const StepItem &item : items)
      if (started)
        sequences.at(item.sequence).lost = true;
    return status;
  }
  commit(items, *plan);
  return {};
}

Status Session::advance(std::span<const StepItem> items) {
  MM01_RETURN_IF_FAILED(check(items));
  std::vector<int64_t> firstRow;
  return perform(items, logitRowsOf(items, firstRow), /*wait=*/false);
}

Result<StepLogits> Session::step(std::span<const StepItem> items) {
  MM01_RETURN_IF_FAILED(check(items));
  StepLogits logits;
  logits.vocabulary = spec.vocabulary;
  std::vector<int32_t> rows = logitRowsOf(items, logits.firstRow);
  MM01_RETURN_IF_FAILED(perform(items, rows, /*wait=*/true));
  const TensorBuffer &result = sink.results[spec.logits];
  auto count = static_cast<int64_t>(rows.size()) * spec.vocabulary;
  Result<const void *> values =
      showToHost(executor->getDevice(), result.memory.data(),
                 count * elementBytes(result.type), "logits", hostLogits);
  MM01_RETURN_IF_FAILED(values);
  logits.values = {static_cast<const float *>(*values),
                   static_cast<size_t>(count)};
  return logits;
}
