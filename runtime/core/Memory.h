//===- Memory.h - aligned memory, and how much there is ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_MEMORY_H
#define MM01_RUNTIME_CORE_MEMORY_H

#include "frontend/safetensors/Status.h"

#include <cstddef>
#include <cstdint>

namespace mm01 {

/// Bytes that this process may still use: what the kernel calls available,
/// or less where a control group limits it. INT64_MAX when unknown.
int64_t availableMemory();

/// Bytes of this process that are in memory now, its mapped files included; 0
/// when unknown.
int64_t residentMemory();

/// Memory of the host aligned to MM01_ALIGNMENT, to be given to std::free.
/// Refuses, naming `purpose` ("the arena"), when the machine has not that much
/// left.
Result<void *> allocateAligned(int64_t bytes, const char *purpose);

/// Owned memory of the host aligned to MM01_ALIGNMENT that only grows. Its
/// content is undefined after growth.
class AlignedBuffer {
public:
  AlignedBuffer() = default;
  AlignedBuffer(AlignedBuffer &&other) noexcept;
  AlignedBuffer &operator=(AlignedBuffer &&other) noexcept;
  ~AlignedBuffer();

  /// Holds at least `bytes` afterwards, or fails as allocateAligned() does.
  Status reserve(int64_t bytes, const char *purpose);

  void *data() const { return memory; }
  int64_t capacity() const { return held; }

private:
  void *memory = nullptr;
  int64_t held = 0;
};

} // namespace mm01

#endif // MM01_RUNTIME_CORE_MEMORY_H
