//===- DeviceMemory.h - memory of a device, owned and copied --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_DEVICEMEMORY_H
#define MM01_RUNTIME_CORE_DEVICEMEMORY_H

#include "runtime/core/Device.h"
#include "runtime/core/Memory.h"

namespace mm01 {

/// Memory of a device that only grows. Its content is undefined after growth.
/// The device must outlive it.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer &&other) noexcept;
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept;
  ~DeviceBuffer();

  /// Holds at least `bytes` of `device` afterwards, or fails as
  /// Device::allocate() does.
  Status reserve(Device &device, int64_t bytes, const char *purpose);

  void *data() const { return memory; }
  int64_t capacity() const { return held; }

private:
  void clear();

  Device *owner = nullptr;
  void *memory = nullptr;
  int64_t held = 0;
};

/// Bytes of the host for the device to read: in place where it shares the
/// host's memory, else copied into `copy`. `purpose` names them in errors.
Result<const void *> showToDevice(Device &device, const void *host,
                                  int64_t bytes, const char *purpose,
                                  DeviceBuffer &copy);

/// Bytes of the device for the host to read, when all work before is done: in
/// place or copied, likewise.
Result<const void *> showToHost(Device &device, const void *memory,
                                int64_t bytes, const char *purpose,
                                AlignedBuffer &copy);

} // namespace mm01

#endif // MM01_RUNTIME_CORE_DEVICEMEMORY_H
