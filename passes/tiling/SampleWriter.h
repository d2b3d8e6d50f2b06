//===- SampleWriter.h - the arithmetic of choosing tokens -------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Logits are compared by their keys, whole numbers in the same order:
//
//     key(l) = bits(l), or -(bits(l) without its sign) where l is negative
//
// so that both zeros are 0. +infinity is the highest; NaNs, of either sign,
// count as it, so that what is no number is what a row's highest key says.
//
// The weight of a logit is floor(2^40 · exp((l - peak) / temperature)), nearly:
//
//     y = (l - peak) · (2^24 · log2(e) / temperature)     two roundings in f32
//     weight = 2^-(fraction of -y) >> (whole part of -y)
//
// with 24 bits of fraction and a polynomial in whole numbers of an error of
// 1e-7, and of the peak itself 2^40. Every target rounds a difference and a
// product in the same way, and whole numbers add up to the same sum in every
// order. Those of 2^22 tokens fit 63 bits.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILING_SAMPLEWRITER_H
#define MM01_PASSES_TILING_SAMPLEWRITER_H

#include "passes/tiling/KernelBuilder.h"

#include "dialects/mm01/Mm01SamplingOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mm01 {

/// The key of +infinity; that of -infinity is its negative.
inline constexpr int32_t kInfinityKey = 0x7F800000;

/// What the weights of a row depend on.
struct Weighing {
  mlir::Value peakKey, peak, scale;
};

class SampleWriter : public KernelBuilder {
public:
  using KernelBuilder::KernelBuilder;

  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  /// i32 to i64, and the low half of an i64, or an index.
  mlir::Value toI64(mlir::Value x);
  mlir::Value toI32(mlir::Value x);

  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                      mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b);
  mlir::Value either(mlir::Value a, mlir::Value b);
  mlir::Value negate(mlir::Value a);
  /// One of two values that are both there.
  mlir::Value choose(mlir::Value condition, mlir::Value a, mlir::Value b);

  /// Whether draws count: not for a temperature of 0 and not for one token.
  mlir::Value isDrawn(mlir::Value temperature, mlir::Value topK);
  mlir::Value isBelowOne(mlir::Value topP);

  /// key(l) in i32, and the logit of a key that is no NaN's.
  mlir::Value key(mlir::Value logit);
  mlir::Value logitOf(mlir::Value key);

  Weighing weighing(mlir::Value peakKey, mlir::Value temperature);
  /// The weight of a logit, in i64.
  mlir::Value weight(mlir::Value logit, mlir::Value key,
                     const Weighing &weighing);
  mlir::Value weightOfKey(mlir::Value key, const Weighing &weighing);
  /// The weight of a logit whose key is above `low`, else 0; and 1 where the
  /// key is `low`, else 0.
  std::pair<mlir::Value, mlir::Value> stay(mlir::Value logit, mlir::Value low,
                                           const Weighing &weighing);

  /// The least whole number that is not below share · all, from 1 to all.
  mlir::Value shareOf(mlir::Value share, mlir::Value all);
  /// floor(draw / 2^64 · all), of a draw without sign.
  mlir::Value fractionOf(mlir::Value draw, mlir::Value all);

  /// SampleProblem of a row of which this logit was chosen.
  mlir::Value problem(mlir::Value logit);
};

} // namespace mm01

#endif // MM01_PASSES_TILING_SAMPLEWRITER_H
