//===- Devices.h - a device of each implementation ------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A new device joins the conformance suite with a row in Devices.cpp. A process
// has one CUDA driver: the fake one, or with $MM01_TEST_GPU set the machine's,
// without which the row of the GPU is skipped and says why.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TEST_RUNTIME_CONFORMANCE_DEVICES_H
#define MM01_TEST_RUNTIME_CONFORMANCE_DEVICES_H

#include "runtime/core/Device.h"
#include "runtime/core/DeviceMemory.h"

#include <gtest/gtest.h>

#include <ostream>
#include <vector>

namespace mm01::test {

#define EXPECT_DONE(expression)                                                \
  do {                                                                         \
    Status done = statusOf(expression);                                        \
    EXPECT_TRUE(done.ok()) << done.message();                                  \
  } while (false)

/// An implementation and the kernels that it runs.
struct DeviceKind {
  const char *implementation;
  Result<std::unique_ptr<Device>> (*open)();
  /// x[i] = 2 x[i] + add on 64-bit numbers, with parameters x, n and add; null:
  /// the device runs the processor's kernels.
  const mm01_device_kernel *step;
  /// Does something that does not work, with parameter x.
  const mm01_device_kernel *broken;
  /// Of $FAKE_CUDA.
  const char *mode;
  /// Why there is no such device here; null: there is.
  const char *(*missing)();
};

inline void PrintTo(const DeviceKind &kind, std::ostream *out) {
  *out << kind.implementation;
}

std::vector<DeviceKind> allDevices();
/// Those that run kernels of a GPU.
std::vector<DeviceKind> gpuDevices();

std::string deviceName(const ::testing::TestParamInfo<DeviceKind> &info);

class DeviceTest : public ::testing::TestWithParam<DeviceKind> {
protected:
  void SetUp() override;
  void TearDown() override;

  bool runsOnHost() const { return !GetParam().step; }

  /// Launches x[i] = 2 x[i] + add: it does not commute with itself or with
  /// copies, so that what is done out of order shows.
  Status step(int64_t *x, int64_t n, int64_t add, int64_t grid = 4);

  /// Memory of the device for so many numbers, freed with the test.
  int64_t *numbers(int64_t count);
  /// The numbers there, when all work is done.
  std::vector<int64_t> read(const int64_t *x, int64_t count);
  int64_t *with(const std::vector<int64_t> &content);

  std::unique_ptr<Device> device;
  std::vector<DeviceBuffer> buffers;
};

/// Expects a failure of one line with these words.
void expectWords(const Status &status,
                 std::initializer_list<const char *> words);

} // namespace mm01::test

#endif // MM01_TEST_RUNTIME_CONFORMANCE_DEVICES_H
