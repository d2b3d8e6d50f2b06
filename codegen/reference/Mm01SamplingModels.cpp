//===- Mm01SamplingModels.cpp - reference of choosing tokens --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op's description in dialects/mm01/Mm01SamplingOps.td, with a sorted row.
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Models.h"

#include "dialects/mm01/Mm01SamplingOps.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace llvm;
using namespace mlir;

namespace mm01::reference {

namespace {

struct Sampled {
  int64_t token = 0;
  SampleProblem problem = SampleProblem::None;
};

struct SampleOptions {
  double temperature;
  int64_t topK;
  double topP;
};

} // namespace

/// The first logit that is none, if there is one.
static std::optional<Sampled> findProblem(ArrayRef<Scalar> logits) {
  for (auto [v, logit] : llvm::enumerate(logits)) {
    int64_t token = static_cast<int64_t>(v);
    if (std::isnan(logit.f))
      return Sampled{token, SampleProblem::NotANumber};
    if (logit.f == INFINITY)
      return Sampled{token, SampleProblem::Infinite};
  }
  if (llvm::all_of(logits, [](Scalar l) { return l.f == -INFINITY; }))
    return Sampled{0, SampleProblem::AllMinusInfinity};
  return std::nullopt;
}

static Sampled sampleRow(ArrayRef<Scalar> logits, long double draw,
                         const SampleOptions &options) {
  if (std::optional<Sampled> problem = findProblem(logits))
    return *problem;
  SmallVector<int64_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return logits[a].f > logits[b].f;
  });
  if (options.temperature == 0)
    return {order.front()};

  double highest = logits[order.front()].f;
  auto weight = [&](int64_t v) {
    double w = std::exp((logits[v].f - highest) / options.temperature);
    return w < 0x1p-40 ? 0 : w;
  };
  auto sum = [&] {
    double total = 0;
    for (int64_t v : order)
      total += weight(v);
    return total;
  };
  if (options.topK > 0 && options.topK < static_cast<int64_t>(order.size()))
    order.resize(options.topK);
  double wanted = options.topP * sum(), reached = 0;
  size_t kept = 0;
  while (kept == 0 || (kept < order.size() && reached < wanted))
    reached += weight(order[kept++]);
  if (options.topP < 1)
    order.resize(kept);

  std::sort(order.begin(), order.end());
  // The sign of a difference that is rounded once: draws have more digits than
  // a double.
  double all = sum(), before = 0;
  for (int64_t v : order) {
    before += weight(v);
    if (std::fma(-draw, static_cast<long double>(all),
                 static_cast<long double>(before)) > 0)
      return {v};
  }
  // Rounding left something over.
  return {*std::find_if(order.rbegin(), order.rend(),
                        [&](int64_t v) { return weight(v) > 0; })};
}

static Error sample(SampleOp op, Frame &frame) {
  Tensor logits = frame.tensor(op.getLogits());
  Tensor draws = frame.tensor(op.getDraws());
  Tensor tokens = frame.take(op.getTokensMutable()),
         problems = frame.take(op.getProblemsMutable());
  int64_t rows = logits.extent(0);
  if (Error error = checkShapes(op, {{"draws", draws, {rows}},
                                     {"tokens", tokens, {rows}},
                                     {"problems", problems, {rows}}}))
    return error;
  SampleOptions options{frame.scalar(op.getTemperature()).f,
                        frame.integer(op.getTopK()),
                        frame.scalar(op.getTopP()).f};
  if (!(options.temperature >= 0) || options.topK < 0 ||
      !(options.topP >= 0 && options.topP <= 1))
    return opError(op, "expected a temperature and a top-k of at least 0 and a "
                       "top-p from 0 to 1");
  Scalar *token = tokens.overwrite(), *problem = problems.overwrite();
  for (int64_t n = 0; n < rows; ++n) {
    auto bits = static_cast<uint64_t>(draws.data()[n].i);
    Sampled sampled =
        sampleRow(ArrayRef(logits.row(n), logits.extent(1)),
                  std::ldexp(static_cast<long double>(bits), -64), options);
    token[n].i = sampled.token;
    problem[n].i = static_cast<int32_t>(sampled.problem);
  }
  if (Error error = frame.set(op.getNewTokens(), std::move(tokens)))
    return error;
  return frame.set(op.getNewProblems(), std::move(problems));
}

void attachMm01SamplingModels(MLIRContext &context) {
  attach<SampleOp, sample>(context);
}

} // namespace mm01::reference
