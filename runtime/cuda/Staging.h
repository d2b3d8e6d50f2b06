//===- Staging.h - copies between the host and a GPU ----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The GPU copies by itself only from and to pinned memory of the host. Two
// pinned buffers take turns: the processor fills or empties one while the GPU
// works on the other.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CUDA_STAGING_H
#define MM01_RUNTIME_CUDA_STAGING_H

#include "runtime/cuda/Driver.h"

#include <array>

namespace mm01::cuda {

/// Copies in the order of one stream. Used from one thread at a time, with the
/// context current.
class Staging {
public:
  Staging(const Driver &driver, Stream stream)
      : driver(driver), stream(stream) {}
  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;
  ~Staging();

  /// Returns when `from` has been read; the copy may still go on.
  Status copyIn(DevicePointer to, const char *from, size_t bytes);
  /// Returns when all of `to` is written.
  Status copyOut(char *to, DevicePointer from, size_t bytes);

private:
  static constexpr size_t chunkBytes = size_t(8) << 20;
  struct Buffer {
    char *memory = nullptr;
    Event idle = nullptr; // recorded behind the last copy
    bool used = false;
  };

  /// The next buffer, when the GPU has done with it.
  Result<Buffer *> acquire();
  Status finish(Buffer &buffer);

  const Driver &driver;
  Stream stream;
  std::array<Buffer, 2> buffers;
  size_t next = 0;
};

} // namespace mm01::cuda

#endif // MM01_RUNTIME_CUDA_STAGING_H
