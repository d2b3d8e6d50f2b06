//===- fakeDriver.cpp - a CUDA driver for machines without a GPU ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built as libcuda.so.1. Its device memory is the host's, its work is done at
// once, and it runs one kernel, add_one(float *x, int64_t n). What it is asked
// for it writes to the file $FAKE_CUDA_LOG, a line each. $FAKE_CUDA makes it
// another machine:
//
//     old          a driver without cuGetProcAddress_v2's functions
//     no-device    cuInit finds no GPU
//     capability   the GPU has compute capability 8.0
//     no-binary    machine code is for another chip
//     bad-ptx      so it is, and PTX does not compile
//     broken       kernels fail, as is seen when they are waited for
//     memory=N     the GPU has N bytes
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Driver.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <string>

using namespace mm01;
using namespace mm01::cuda;

namespace {

std::string mode() {
  const char *value = std::getenv("FAKE_CUDA");
  return value ? value : "";
}

template <typename... Parts> void log(const Parts &...parts) {
  const char *path = std::getenv("FAKE_CUDA_LOG");
  if (!path)
    return;
  if (FILE *file = std::fopen(path, "a")) {
    std::fprintf(file, "%s\n", concat(parts...).c_str());
    std::fclose(file);
  }
}

struct FakeKernel {
  std::string name;
};

constexpr ResultCode invalidPtx = 218, launchFailed = 719, invalidValue = 1;
std::map<DevicePointer, size_t> allocations;
std::deque<FakeKernel> kernels;
size_t held = 0;
bool broken = false;
int64_t clock = 0;

template <typename Handle> Handle fresh() {
  static uintptr_t next = 0;
  return reinterpret_cast<Handle>(++next * 64);
}

size_t capacity() {
  std::string text = mode();
  return text.starts_with("memory=") ? std::stoull(text.substr(7))
                                     : size_t(1) << 40;
}

std::string three(const unsigned *values) {
  return concat(values[0], 'x', values[1], 'x', values[2]);
}

namespace fake {

ResultCode cuInit(unsigned) { return mode() == "no-device" ? noDevice : 0; }
ResultCode cuDriverGetVersion(int *version) {
  *version = 12040;
  return 0;
}
ResultCode cuGetErrorName(ResultCode code, const char **name) {
  *name = code == outOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE";
  return 0;
}
ResultCode cuGetErrorString(ResultCode code, const char **words) {
  *words = code == outOfMemory ? "out of memory" : "it is fake";
  return 0;
}
ResultCode cuDeviceGetCount(int *count) {
  *count = 1;
  return 0;
}
ResultCode cuDeviceGet(DeviceOrdinal *device, int ordinal) {
  *device = ordinal;
  return 0;
}
ResultCode cuDeviceGetName(char *name, int bytes, DeviceOrdinal) {
  std::snprintf(name, bytes, "Fake GPU");
  return 0;
}
ResultCode cuDeviceGetAttribute(int *value, DeviceAttribute attribute,
                                DeviceOrdinal) {
  switch (attribute) {
  case multiprocessorCount:
    *value = 132;
    return 0;
  case computeCapabilityMajor:
    *value = mode() == "capability" ? 8 : 9;
    return 0;
  case computeCapabilityMinor:
    *value = 0;
    return 0;
  case maxSharedMemoryPerBlock:
    *value = 232448;
    return 0;
  }
  return invalidValue;
}
ResultCode cuDevicePrimaryCtxRetain(Context *context, DeviceOrdinal) {
  *context = fresh<Context>();
  log("retain");
  return 0;
}
ResultCode cuDevicePrimaryCtxRelease(DeviceOrdinal) {
  log("release, ", allocations.size(), " allocations left");
  return 0;
}
ResultCode cuCtxSetCurrent(Context) { return 0; }

ResultCode cuMemGetInfo(size_t *available, size_t *total) {
  *total = capacity();
  *available = *total - held;
  return 0;
}
ResultCode cuMemAlloc(DevicePointer *memory, size_t bytes) {
  if (bytes > capacity() - held)
    return outOfMemory;
  void *made = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(made, 0xee, bytes);
  *memory = reinterpret_cast<DevicePointer>(made);
  allocations[*memory] = bytes;
  held += bytes;
  log("allocate ", bytes);
  return 0;
}
ResultCode cuMemFree(DevicePointer memory) {
  auto found = allocations.find(memory);
  if (found == allocations.end())
    return invalidValue;
  held -= found->second;
  allocations.erase(found);
  std::free(reinterpret_cast<void *>(memory));
  return 0;
}
ResultCode cuMemAllocHost(void **memory, size_t bytes) {
  *memory = std::malloc(bytes);
  return 0;
}
ResultCode cuMemFreeHost(void *memory) {
  std::free(memory);
  return 0;
}
ResultCode cuMemcpyHtoDAsync(DevicePointer to, const void *from, size_t bytes,
                             Stream) {
  log("copy in ", bytes);
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return 0;
}
ResultCode cuMemcpyDtoHAsync(void *to, DevicePointer from, size_t bytes,
                             Stream) {
  log("copy out ", bytes);
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return 0;
}
ResultCode cuMemcpyDtoDAsync(DevicePointer to, DevicePointer from, size_t bytes,
                             Stream) {
  log("copy within ", bytes);
  std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
              bytes);
  return 0;
}

ResultCode cuStreamCreate(Stream *stream, unsigned) {
  *stream = fresh<Stream>();
  return 0;
}
ResultCode cuStreamDestroy(Stream) { return 0; }
ResultCode cuStreamSynchronize(Stream) { return broken ? launchFailed : 0; }
ResultCode cuEventCreate(Event *event, unsigned) {
  *event = fresh<Event>();
  return 0;
}
ResultCode cuEventDestroy(Event) { return 0; }
/// An event is the time of its record, which the clock of launches counts.
ResultCode cuEventRecord(Event, Stream) { return 0; }
ResultCode cuEventSynchronize(Event) { return broken ? launchFailed : 0; }
ResultCode cuEventElapsedTime(float *milliseconds, Event, Event) {
  *milliseconds = static_cast<float>(clock);
  return 0;
}

ResultCode cuModuleLoadDataEx(Module *module, const void *image, unsigned count,
                              JitOption *options, void **values) {
  bool isPtx = std::memcmp(image, "//", 2) == 0;
  log("load ", isPtx ? "PTX" : "machine code");
  if (!isPtx && (mode() == "no-binary" || mode() == "bad-ptx"))
    return noBinaryForGpu;
  if (isPtx && mode() == "bad-ptx") {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == errorLogBuffer)
        std::strcpy(static_cast<char *>(values[i]), "line 1: nonsense");
    return invalidPtx;
  }
  *module = fresh<Module>();
  return 0;
}
ResultCode cuModuleUnload(Module) {
  log("unload");
  return 0;
}
ResultCode cuModuleGetFunction(Function *function, Module, const char *name) {
  if (std::strcmp(name, "missing") == 0)
    return 500;
  *function = reinterpret_cast<Function>(&kernels.emplace_back(name));
  return 0;
}
ResultCode cuFuncSetAttribute(Function, FunctionAttribute attribute,
                              int value) {
  log("attribute ", static_cast<int>(attribute), " = ", value);
  return 0;
}
ResultCode cuLaunchKernelEx(const LaunchConfig *config, Function function,
                            void **parameters, void **) {
  const std::string &name = reinterpret_cast<FakeKernel *>(function)->name;
  std::string line =
      concat("launch ", name, " grid ", three(config->grid), " block ",
             three(config->block), " shared ", config->sharedBytes);
  for (unsigned i = 0; i < config->attributeCount; ++i)
    line += concat(" cluster ", config->attributes[i].value.cluster.x, 'x',
                   config->attributes[i].value.cluster.y, 'x',
                   config->attributes[i].value.cluster.z);
  log(line);
  ++clock;
  broken = mode() == "broken";
  if (name == "add_one") {
    float *x = *static_cast<float **>(parameters[0]);
    int64_t n = *static_cast<int64_t *>(parameters[1]);
    for (int64_t i = 0; i < n; ++i)
      x[i] += 1;
  }
  return 0;
}
ResultCode cuTensorMapEncodeTiled(TensorMap *map, TensorMapType type,
                                  uint32_t rank, void *address,
                                  const uint64_t *extents,
                                  const uint64_t *strides, const uint32_t *box,
                                  const uint32_t *steps, int,
                                  TensorMapSwizzle swizzle, int, int) {
  std::string line = concat("map type ", static_cast<int>(type), " swizzle ",
                            static_cast<int>(swizzle));
  for (uint32_t i = 0; i < rank; ++i)
    line += concat(" [", extents[i], ' ', i ? strides[i - 1] : 0, ' ', box[i],
                   ' ', steps[i], ']');
  log(line);
  map->opaque[0] = reinterpret_cast<uint64_t>(address);
  return 0;
}

} // namespace fake
} // namespace

extern "C" ResultCode cuGetProcAddress_v2(const char *name, void **function,
                                          int version, uint64_t, int *) {
  if (version != Driver::version)
    return invalidValue;
#define FAKE_FIND(symbol, ...)                                                 \
  if (std::strcmp(name, #symbol) == 0) {                                       \
    ResultCode (*typed)(__VA_ARGS__) = fake::symbol;                           \
    *function = reinterpret_cast<void *>(typed);                               \
    return mode() == "old" ? 500 : 0;                                          \
  }
  MM01_CUDA_FUNCTIONS(FAKE_FIND)
#undef FAKE_FIND
  return 500;
}
