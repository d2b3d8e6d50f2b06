//===- Mm01SamplingOps.h - choosing tokens --------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beside Mm01Dialect.h, for the few files that make or lower such an op.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_DIALECTS_MM01_MM01SAMPLINGOPS_H
#define MM01_DIALECTS_MM01_MM01SAMPLINGOPS_H

#include "dialects/mm01/Mm01Dialect.h"

#define GET_OP_CLASSES
#include "dialects/mm01/Mm01SamplingOps.h.inc"

namespace mm01 {

/// The most tokens of a vocabulary that mm01.sample draws from.
inline constexpr int64_t kMaxVocabulary = int64_t(1) << 22;

/// What is wrong with a row of logits, in the problems of mm01.sample.
enum class SampleProblem : int32_t {
  None = 0,
  NotANumber = 1,
  Infinite = 2,
  AllMinusInfinity = 3,
};

} // namespace mm01

#endif // MM01_DIALECTS_MM01_MM01SAMPLINGOPS_H
