//===- Cache.h - one stacked cache of a session ---------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cache is one tensor [layers, units, …] that programs update in place. A
// unit is a slot of the lightning state or a page of keys or values: what
// belongs to it lies in as many pieces as there are layers.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_SESSION_CACHE_H
#define MM01_RUNTIME_SESSION_CACHE_H

#include "runtime/core/Executor.h"

#include <cstdint>

namespace mm01 {

class Cache {
public:
  /// A cache without any units, for a program that has none of this role.
  Cache() = default;

  /// Memory for `units` units of the argument's type and shape, whose second
  /// extent is the dynamic one; content undefined. Fails, naming the role, when
  /// the device has not enough memory left.
  static Result<Cache> allocate(Device &device, const ArgumentSpec &argument,
                                int64_t units);

  /// Bytes that allocate() would take; fails on an overflow.
  static Result<int64_t> bytesFor(const ArgumentSpec &argument, int64_t units);

  /// Bytes of one unit in all layers.
  int64_t unitBytes() const { return layers * pieceBytes; }

  /// Overwrites unit `to` with unit `from`, in every layer.
  Status copy(int64_t from, int64_t to);

  /// Copies a unit to or from `memory` of the host, of unitBytes() bytes.
  Status save(int64_t unit, void *memory) const;
  Status load(int64_t unit, const void *memory);

  /// The whole cache as an argument of a program; valid while the cache lives
  /// and is not moved.
  mm01_argument argument() const {
    return {buffer.memory.data(), buffer.shape.data()};
  }

private:
  char *piece(int64_t layer, int64_t unit) const {
    return static_cast<char *>(buffer.memory.data()) +
           (layer * units + unit) * pieceBytes;
  }

  Device *device = nullptr;
  TensorBuffer buffer;
  int64_t layers = 0;
  int64_t units = 0;
  int64_t pieceBytes = 0;
};

} // namespace mm01

#endif // MM01_RUNTIME_SESSION_CACHE_H
