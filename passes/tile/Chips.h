//===- Chips.h - figures of the chips that programs are made for *- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILE_CHIPS_H
#define MM01_PASSES_TILE_CHIPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace mm01 {

/// What decides how a tile program is laid out on a chip. From the makers' data
/// sheets, but for the latency: the time from asking for a tile to having it
/// while memory is busy, measured on an H200.
struct Chip {
  llvm::StringRef name;
  int64_t multiprocessors;
  /// Shared memory that one block may have, in bytes.
  int64_t sharedBytes;
  /// Device memory, in bytes a nanosecond.
  double bandwidth;
  double latencyNanoseconds;
  /// Registers of a multiprocessor, and the most a thread may have.
  int64_t registers;
  int64_t registersOfThread;

  /// Bytes that one multiprocessor must have asked for at any time so that
  /// memory never waits for it.
  int64_t bytesInFlight() const {
    return int64_t(bandwidth * latencyNanoseconds / multiprocessors);
  }

  /// Shared memory of each of as many blocks that a multiprocessor holds.
  int64_t sharedBytesOf(int64_t resident) const {
    return (sharedBytes + kReservedBytes) / resident / 1024 * 1024 -
           kReservedBytes;
  }

  /// Shared memory that a multiprocessor keeps of each block.
  static constexpr int64_t kReservedBytes = 1024;
};

/// All chips, and the one of a name or null.
llvm::ArrayRef<Chip> chips();
const Chip *findChip(llvm::StringRef name);

} // namespace mm01

#endif // MM01_PASSES_TILE_CHIPS_H
