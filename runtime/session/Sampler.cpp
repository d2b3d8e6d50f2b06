//===- Sampler.cpp - picks the next token from each row of logits ---------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/session/Sampler.h"

#include "runtime/core/Philox.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

using namespace mm01;

uint64_t mm01::randomDraw(uint64_t seed, uint64_t sequence, uint64_t step) {
  auto low = [](uint64_t x) { return static_cast<uint32_t>(x); };
  auto high = [](uint64_t x) { return static_cast<uint32_t>(x >> 32); };
  std::array<uint32_t, 4> words =
      philox4x32({low(step), high(step), low(sequence), high(sequence)},
                 {low(seed), high(seed)});
  return uint64_t{words[0]} << 32 | words[1];
}

/// NaN fails every comparison.
Status mm01::checkSamplerOptions(const SamplerOptions &options) {
  if (!(options.temperature >= 0) || std::isinf(options.temperature))
    return Status::error("temperature is ", options.temperature,
                         ", expected a finite number of at least 0");
  if (options.topK < 0)
    return Status::error("top-k is ", options.topK,
                         ", expected at least 1, or 0 for off");
  if (!(options.topP > 0 && options.topP <= 1))
    return Status::error("top-p is ", options.topP,
                         ", expected more than 0 and at most 1");
  return Status();
}

Result<int32_t> SampledToken::get() const {
  switch (problem) {
  case 0:
    return token;
  case 1:
    return Status::error("logit of token ", token,
                         " is NaN, expected a finite number");
  case 2:
    return Status::error("logit of token ", token,
                         " is infinite, expected a finite number");
  default:
    return Status::error("all logits are -infinity, expected a finite one");
  }
}

/// Whether an entry is (logits, draws, temperature, top-k, top-p, tokens,
/// problems), which updates the last two.
static bool isSamplingHelper(const EntrySpec &entry, int64_t vocabulary) {
  auto isTensor = [&](size_t i, ElementType type, std::vector<int64_t> shape) {
    const ArgumentSpec &argument = entry.arguments[i];
    return argument.kind == ArgumentKind::Tensor && argument.type == type &&
           argument.shape == shape;
  };
  auto isScalar = [&](size_t i, ElementType type) {
    return entry.arguments[i].kind == ArgumentKind::Scalar &&
           entry.arguments[i].type == type;
  };
  auto updates = [&](size_t result, size_t argument) {
    return entry.results[result].kind == ResultKind::Tied &&
           entry.results[result].argument == argument;
  };
  return entry.isHelper && entry.arguments.size() == 7 &&
         entry.results.size() == 2 &&
         isTensor(0, ElementType::F32, {-1, vocabulary}) &&
         isTensor(1, ElementType::I64, {-1}) && isScalar(2, ElementType::F32) &&
         isScalar(3, ElementType::I64) && isScalar(4, ElementType::F32) &&
         isTensor(5, ElementType::I32, {-1}) &&
         isTensor(6, ElementType::I32, {-1}) && updates(0, 5) && updates(1, 6);
}

Result<Sampler> Sampler::create(const Program &program, Executor &executor,
                                int64_t vocabulary,
                                const SamplerOptions &options) {
  MM01_RETURN_IF_FAILED(checkSamplerOptions(options));
  const std::vector<EntrySpec> &entries = program.manifest().entries;
  std::string name = concat("sample_", vocabulary);
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].name == name && isSamplingHelper(entries[i], vocabulary))
      return Sampler(program, executor, i, options);
  return Status::error(program.path(), ": has no function that chooses one of ",
                       vocabulary,
                       " tokens, expected a program of this "
                       "compiler with logits of float32");
}

Result<std::vector<SampledToken>> Sampler::sample(const void *logits,
                                                  std::span<const Draw> draws) {
  Device &device = executor->getDevice();
  if (draws.empty()) {
    MM01_RETURN_IF_FAILED(device.synchronize());
    return std::vector<SampledToken>();
  }
  bits.clear();
  for (const Draw &draw : draws)
    bits.push_back(randomDraw(options.seed, draw.sequence, draw.step));
  int64_t rows = static_cast<int64_t>(draws.size());
  Result<const void *> shown =
      showToDevice(device, bits.data(), rows * int64_t{sizeof(uint64_t)},
                   "the draws of a step", deviceBits);
  MM01_RETURN_IF_FAILED(shown);
  // Problems behind tokens, so that one copy brings both.
  int64_t bytes = rows * int64_t{sizeof(int32_t)};
  int64_t begin =
      (bytes + MM01_ALIGNMENT - 1) / MM01_ALIGNMENT * int64_t{MM01_ALIGNMENT};
  MM01_RETURN_IF_FAILED(
      made.reserve(device, begin + bytes, "the tokens of a step"));

  // One that is not 0 stays one of draws.
  using Limits = std::numeric_limits<float>;
  float temperature = 0;
  if (options.temperature > 0)
    temperature = static_cast<float>(
        std::clamp<double>(options.temperature, Limits::min(), Limits::max()));
  auto topP = static_cast<float>(options.topP);
  std::array<int64_t, 2> shape = {
      rows, program->manifest().entries[entry].arguments[0].shape[1]};
  char *tokens = static_cast<char *>(made.data());
  std::array<mm01_argument, 7> arguments = {
      {{const_cast<void *>(logits), shape.data()},
       {const_cast<void *>(*shown), &rows},
       {&temperature, nullptr},
       {&options.topK, nullptr},
       {&topP, nullptr},
       {tokens, &rows},
       {tokens + begin, &rows}}};
  MM01_RETURN_IF_FAILED(executor->run(*program, entry, arguments, sink));
  Result<const void *> host = showToHost(device, made.data(), begin + bytes,
                                         "the tokens of a step", hostMade);
  MM01_RETURN_IF_FAILED(host);
  auto at = [&](int64_t offset) {
    return reinterpret_cast<const int32_t *>(static_cast<const char *>(*host) +
                                             offset);
  };
  std::vector<SampledToken> sampled(draws.size());
  for (size_t i = 0; i < sampled.size(); ++i)
    sampled[i] = {at(0)[i], at(begin)[i]};
  return sampled;
}
