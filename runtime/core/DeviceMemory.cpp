//===- DeviceMemory.cpp - memory of a device, owned and copied ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/DeviceMemory.h"

using namespace mm01;

DeviceBuffer::DeviceBuffer(DeviceBuffer &&other) noexcept {
  *this = std::move(other);
}

DeviceBuffer &DeviceBuffer::operator=(DeviceBuffer &&other) noexcept {
  std::swap(owner, other.owner);
  std::swap(memory, other.memory);
  std::swap(held, other.held);
  return *this;
}

DeviceBuffer::~DeviceBuffer() { clear(); }

void DeviceBuffer::clear() {
  if (memory)
    owner->release(memory);
  memory = nullptr;
  held = 0;
}

Status DeviceBuffer::reserve(Device &device, int64_t bytes,
                             const char *purpose) {
  if (owner == &device && bytes <= held)
    return {};
  clear();
  owner = &device;
  Result<void *> made = device.allocate(bytes, purpose);
  MM01_RETURN_IF_FAILED(made);
  memory = *made;
  held = bytes;
  return {};
}

Result<const void *> mm01::showToDevice(Device &device, const void *host,
                                        int64_t bytes, const char *purpose,
                                        DeviceBuffer &copy) {
  if (device.sharesMemory())
    return host;
  MM01_RETURN_IF_FAILED(
      copy.reserve(device, std::max<int64_t>(bytes, MM01_ALIGNMENT), purpose));
  MM01_RETURN_IF_FAILED(device.copyIn(copy.data(), host, bytes));
  return static_cast<const void *>(copy.data());
}

Result<const void *> mm01::showToHost(Device &device, const void *memory,
                                      int64_t bytes, const char *purpose,
                                      AlignedBuffer &copy) {
  if (device.sharesMemory()) {
    MM01_RETURN_IF_FAILED(device.synchronize());
    return memory;
  }
  MM01_RETURN_IF_FAILED(
      copy.reserve(std::max<int64_t>(bytes, MM01_ALIGNMENT), purpose));
  MM01_RETURN_IF_FAILED(device.copyOut(copy.data(), memory, bytes));
  return static_cast<const void *>(copy.data());
}
