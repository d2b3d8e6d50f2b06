//===- Agreement.h - whether ranks started one and the same transfer ------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_RANKS_AGREEMENT_H
#define MM01_RUNTIME_RANKS_AGREEMENT_H

#include "runtime/core/Communicator.h"

namespace mm01 {

/// The first disagreement of a collective of which `given` is each rank's part,
/// with its counts: "all_reduce: rank 2 has elements 5, expected 4 as rank 0
/// has". Nothing where all agree.
std::string disagreement(std::span<const Transfer *const> given);

} // namespace mm01

#endif // MM01_RUNTIME_RANKS_AGREEMENT_H
