//===- Devices.cpp - a device of each implementation ----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/conformance/Devices.h"

#include "runtime/cpu/CpuDevice.h"
#include "runtime/cuda/CudaDevice.h"
#include "test/runtime/cuda/fakeKernel.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace mm01;
using namespace mm01::test;

namespace {

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

struct StepArguments {
  int64_t *x;
  int64_t n, add, grid;
};

void stepOnHost(const mm01_context *, const void *arguments, void *,
                int64_t workgroup) {
  const auto &call = *static_cast<const StepArguments *>(arguments);
  for (int64_t i = workgroup; i < call.n; i += call.grid)
    call.x[i] = 2 * call.x[i] + call.add;
}

void stepOnFake(void *const *values) {
  int64_t *x = *static_cast<int64_t *const *>(values[0]);
  const int64_t n = *static_cast<const int64_t *>(values[1]);
  const int64_t add = *static_cast<const int64_t *>(values[2]);
  for (int64_t i = 0; i < n; ++i)
    x[i] = 2 * x[i] + add;
}

void nothing(void *const *) {}

const fake_code stepCode = {FAKE_CODE, stepOnFake, 3};
const fake_code brokenCode = {FAKE_CODE, nothing, 1};

/// The simplest that shows what a device does: no output of the compiler, of
/// which the runtime must be testable without.
constexpr char ptx[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry step(.param .u64 x, .param .u64 n, .param .u64 add)
{
  .reg .pred %done;
  .reg .b32 %block, %threads, %thread, %blocks;
  .reg .b64 %x, %n, %add, %i, %stride, %at, %value;
  ld.param.u64 %x, [x];
  ld.param.u64 %n, [n];
  ld.param.u64 %add, [add];
  cvta.to.global.u64 %x, %x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %blocks, %nctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mul.wide.u32 %i, %block, %threads;
  cvt.u64.u32 %at, %thread;
  add.u64 %i, %i, %at;
  mul.wide.u32 %stride, %blocks, %threads;
next:
  setp.ge.s64 %done, %i, %n;
  @%done bra end;
  shl.b64 %at, %i, 3;
  add.u64 %at, %x, %at;
  ld.global.u64 %value, [%at];
  shl.b64 %value, %value, 1;
  add.u64 %value, %value, %add;
  st.global.u64 [%at], %value;
  add.u64 %i, %i, %stride;
  bra next;
end:
  ret;
}
.visible .entry broken(.param .u64 x)
{
  trap;
}
)";

const mm01_device_kernel fakeStep = {"step",      &stepCode, "", 1,
                                     {128, 1, 1}, {1, 1, 1}, 0};
const mm01_device_kernel fakeBroken = {"broken",    &brokenCode, "", 2,
                                       {128, 1, 1}, {1, 1, 1},   0};
const mm01_device_kernel gpuStep = {"step",      nullptr,   ptx, 3,
                                    {128, 1, 1}, {1, 1, 1}, 0};
const mm01_device_kernel gpuBroken = {"broken",    nullptr,   ptx, 4,
                                      {128, 1, 1}, {1, 1, 1}, 0};

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

template <int threads> Result<std::unique_ptr<Device>> openCpu() {
  return std::unique_ptr<Device>(new CpuDevice(threads));
}

Result<std::unique_ptr<Device>> openCuda() {
  Result<std::unique_ptr<CudaDevice>> opened = CudaDevice::open();
  MM01_RETURN_IF_FAILED(opened);
  return std::unique_ptr<Device>(*std::move(opened));
}

const char *isThere() { return nullptr; }

/// Only a machine without a driver or without any GPU is one that lacks it.
const char *missingGpu() {
  static const Result<const cuda::Driver *> driver = cuda::Driver::open();
  if (driver.failed())
    return driver.message().c_str();
  int count = 0;
  return (*driver)->cuDeviceGetCount(&count) == 0 && count > 0 ? nullptr
                                                               : "no GPU";
}

} // namespace

std::vector<DeviceKind> test::gpuDevices() {
  if (std::getenv("MM01_TEST_GPU"))
    return {{"gpu", openCuda, &gpuStep, &gpuBroken, "", missingGpu}};
  // The name by which the driver is looked for is then that of this one,
  // whatever the machine has.
  if (!dlopen(MM01_FAKE_DRIVER "/libcuda.so.1", RTLD_NOW | RTLD_LOCAL))
    std::abort();
  return {{"fake", openCuda, &fakeStep, &fakeBroken, "", isThere},
          {"fakeLate", openCuda, &fakeStep, &fakeBroken, "late", isThere}};
}

std::vector<DeviceKind> test::allDevices() {
  std::vector<DeviceKind> devices = {
      {"cpu1", openCpu<1>, nullptr, nullptr, "", isThere},
      {"cpu4", openCpu<4>, nullptr, nullptr, "", isThere}};
  for (const DeviceKind &kind : gpuDevices())
    devices.push_back(kind);
  return devices;
}

std::string test::deviceName(const ::testing::TestParamInfo<DeviceKind> &info) {
  return info.param.implementation;
}

void DeviceTest::SetUp() {
  if (const char *why = GetParam().missing())
    GTEST_SKIP() << why;
  setenv("FAKE_CUDA", GetParam().mode, 1);
  Result<std::unique_ptr<Device>> opened = GetParam().open();
  ASSERT_TRUE(opened.ok()) << opened.message();
  device = *std::move(opened);
}

void DeviceTest::TearDown() {
  buffers.clear();
  device.reset();
  unsetenv("FAKE_CUDA");
}

Status DeviceTest::step(int64_t *x, int64_t n, int64_t add, int64_t grid) {
  if (runsOnHost()) {
    const StepArguments arguments = {x, n, add, grid};
    return device->launch({}, stepOnHost, "step", grid, &arguments, 0);
  }
  const int64_t extents[3] = {grid, 1, 1};
  const void *parameters[] = {&x, &n, &add};
  return device->launchDevice(*GetParam().step, extents, parameters, 3);
}

int64_t *DeviceTest::numbers(int64_t count) {
  EXPECT_DONE(buffers.emplace_back().reserve(*device, count * 8, "a test"));
  return static_cast<int64_t *>(buffers.back().data());
}

int64_t *DeviceTest::with(const std::vector<int64_t> &content) {
  int64_t *memory = numbers(int64_t(content.size()));
  EXPECT_DONE(
      device->copyIn(memory, content.data(), int64_t(content.size()) * 8));
  return memory;
}

std::vector<int64_t> DeviceTest::read(const int64_t *x, int64_t count) {
  std::vector<int64_t> content(count);
  EXPECT_DONE(device->copyOut(content.data(), x, count * 8));
  return content;
}

void test::expectWords(const Status &status,
                       std::initializer_list<const char *> words) {
  EXPECT_TRUE(status.failed());
  EXPECT_EQ(status.message().find('\n'), std::string::npos);
  for (const char *word : words)
    EXPECT_NE(status.message().find(word), std::string::npos)
        << "expected '" << word << "' in: " << status.message();
}
