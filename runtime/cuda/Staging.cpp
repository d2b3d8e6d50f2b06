//===- Staging.cpp - copies between the host and a GPU --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Staging.h"

#include <algorithm>
#include <cstring>

using namespace mm01;
using namespace mm01::cuda;

Staging::~Staging() {
  for (Buffer &buffer : buffers) {
    if (buffer.idle)
      driver.cuEventDestroy(buffer.idle);
    if (buffer.memory)
      driver.cuMemFreeHost(buffer.memory);
  }
}

Result<Staging::Buffer *> Staging::acquire() {
  Buffer &buffer = buffers[next];
  next = (next + 1) % buffers.size();
  if (!buffer.memory) {
    void *memory = nullptr;
    MM01_RETURN_IF_FAILED(driver.check(
        driver.cuMemAllocHost(&memory, chunkBytes), "cuMemAllocHost"));
    buffer.memory = static_cast<char *>(memory);
  }
  if (!buffer.idle)
    MM01_RETURN_IF_FAILED(
        driver.check(driver.cuEventCreate(&buffer.idle, 0), "cuEventCreate"));
  if (buffer.used)
    MM01_RETURN_IF_FAILED(
        driver.check(driver.cuEventSynchronize(buffer.idle), workFailed));
  return &buffer;
}

Status Staging::finish(Buffer &buffer) {
  buffer.used = true;
  return driver.check(driver.cuEventRecord(buffer.idle, stream),
                      "cuEventRecord");
}

Status Staging::copyIn(DevicePointer to, const char *from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += chunkBytes) {
    size_t count = std::min(chunkBytes, bytes - at);
    Result<Buffer *> buffer = acquire();
    MM01_RETURN_IF_FAILED(buffer);
    std::memcpy((*buffer)->memory, from + at, count);
    MM01_RETURN_IF_FAILED(driver.check(
        driver.cuMemcpyHtoDAsync(to + at, (*buffer)->memory, count, stream),
        "cuMemcpyHtoDAsync"));
    MM01_RETURN_IF_FAILED(finish(**buffer));
  }
  return {};
}

Status Staging::copyOut(char *to, DevicePointer from, size_t bytes) {
  struct Chunk {
    Buffer *buffer = nullptr;
    size_t at = 0, count = 0;
  };
  // While the GPU fills one buffer, the one before is emptied.
  Chunk before;
  auto empty = [&](const Chunk &chunk) -> Status {
    if (!chunk.buffer)
      return {};
    MM01_RETURN_IF_FAILED(driver.check(
        driver.cuEventSynchronize(chunk.buffer->idle), workFailed));
    std::memcpy(to + chunk.at, chunk.buffer->memory, chunk.count);
    return {};
  };
  for (size_t at = 0; at < bytes; at += chunkBytes) {
    Result<Buffer *> buffer = acquire();
    MM01_RETURN_IF_FAILED(buffer);
    Chunk chunk{*buffer, at, std::min(chunkBytes, bytes - at)};
    MM01_RETURN_IF_FAILED(
        driver.check(driver.cuMemcpyDtoHAsync(chunk.buffer->memory, from + at,
                                              chunk.count, stream),
                     "cuMemcpyDtoHAsync"));
    MM01_RETURN_IF_FAILED(finish(*chunk.buffer));
    MM01_RETURN_IF_FAILED(empty(before));
    before = chunk;
  }
  return empty(before);
}
