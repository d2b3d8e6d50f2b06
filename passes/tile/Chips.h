//===- Chips.h - figures of the chips that programs are made for *- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILE_CHIPS_H
#define MM01_PASSES_TILE_CHIPS_H

#include "mlir/IR/Operation.h"

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
/// "h20, h100, h200 or h800"
std::string chipNames();

/// Attribute of a module: the name of the chip that its programs are made for,
/// where it is another than the one below. They run on all of its kind.
inline constexpr llvm::StringLiteral kChipAttr = "mm01.chip";
inline constexpr llvm::StringLiteral kUsualChip = "h200";

/// The chip that the module around `op` names, else the one of `name`. Where
/// there is none, an error on `op`.
llvm::FailureOr<const Chip *> chipOf(mlir::Operation *op,
                                     llvm::StringRef name = kUsualChip);

} // namespace mm01

#endif // MM01_PASSES_TILE_CHIPS_H
