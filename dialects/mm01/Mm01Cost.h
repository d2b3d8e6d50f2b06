//===- Mm01Cost.h - what an op costs on an ideal machine --------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_DIALECTS_MM01_MM01COST_H
#define MM01_DIALECTS_MM01_MM01COST_H

#include <cstdint>

namespace mm01 {

/// The run-time extents that a cost depends on.
struct CostSizes {
  /// T: tokens in the call.
  int64_t tokens = 0;
  /// N: sequences in the call.
  int64_t sequences = 0;
  /// Rows that the experts get in the call: T·k where no token is dropped.
  int64_t routed = 0;
  /// R: rows of logits wanted.
  int64_t rows = 0;
  /// Keys that a token attends to, on average.
  int64_t context = 0;
};

/// Work of one execution.
struct OpCost {
  /// Arithmetic operations; a multiply-add is two, an exponential one.
  double flops = 0;
  /// Bytes read and written when each operand is read and each result is
  /// written once.
  double bytesRead = 0;
  double bytesWritten = 0;
  /// Bytes that a rank sends to others of its group; 0 for all but collectives.
  double bytesSent = 0;
};

} // namespace mm01

#endif // MM01_DIALECTS_MM01_MM01COST_H
