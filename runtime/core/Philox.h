//===- Philox.h - counter-based random numbers ---------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_PHILOX_H
#define MM01_RUNTIME_CORE_PHILOX_H

#include <array>
#include <cstdint>

namespace mm01 {

/// Philox4x32 with 10 rounds: four words that depend on the counter and the
/// key alone, so any element of a stream can be made by any thread. Salmon et
/// al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011, section 3.3.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter,
                                   std::array<uint32_t, 2> key);

} // namespace mm01

#endif // MM01_RUNTIME_CORE_PHILOX_H
