//===- Reduce.h - makes one out of the elements of several ranks ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_RANKS_REDUCE_H
#define MM01_RUNTIME_RANKS_REDUCE_H

#include "runtime/core/Communicator.h"

namespace mm01 {

/// out[i] = inputs[0][i] ∘ inputs[1][i] ∘ … for the elements of `out`, as
/// Reduction says. Each input, one a rank and at least one, holds as many
/// elements of out's type, which is one of those of allReduce().
void reduce(std::span<const std::byte *const> inputs, Reduction reduction,
            Room out);

} // namespace mm01

#endif // MM01_RUNTIME_RANKS_REDUCE_H
