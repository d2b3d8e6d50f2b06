//===- fakeDriver.cpp - a CUDA driver for machines without a GPU ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built as libcuda.so.1. Its device memory is the host's, its work is done at
// once, and it runs the kernel add_one(float *x, int64_t n) and those whose
// machine code is a function (fakeKernel.h). What it is asked for it writes to
// the file $FAKE_CUDA_LOG, a line each. $FAKE_CUDA makes it another machine:
//
//     old          a driver without cuGetProcAddress_v2's functions
//     no-device    cuInit finds no GPU
//     capability   the GPU has compute capability 8.0
//     no-binary    machine code is for another chip
//     bad-ptx      so it is, and PTX does not compile
//     broken       kernels fail, as is seen when they are waited for
//     memory=N     the GPU has N bytes
//     no-capture, no-graph-memory  graphs cannot be captured, or made
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Driver.h"
#include "test/runtime/cuda/fakeKernel.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

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

struct FakeModule {
  const fake_code *code; // null: the kernels of gpuProgram.c, by their names
};
struct FakeKernel {
  std::string name;
  const fake_code *code;
};
/// What was put on the stream while it was captured.
struct FakeGraph {
  std::vector<std::function<void()>> work;
};

constexpr ResultCode invalidPtx = 218, launchFailed = 719, invalidValue = 1,
                     notSupported = 801, captureUnsupported = 900,
                     captureInvalidated = 901;
std::map<DevicePointer, size_t> allocations;
std::deque<FakeModule> modules;
std::deque<FakeKernel> kernels;
FakeGraph *capturing = nullptr;
bool captureBroken = false;
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

/// Does what a stream gets: at once, or later where it is captured.
void perform(std::function<void()> work) {
  if (capturing)
    capturing->work.push_back(std::move(work));
  else
    work();
}

/// True, and the end of the capture, for what cannot be captured.
bool breaksCapture() {
  captureBroken |= capturing != nullptr;
  return capturing != nullptr;
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
  if (breaksCapture())
    return captureUnsupported;
  log("copy in ", bytes);
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return 0;
}
ResultCode cuMemcpyDtoHAsync(void *to, DevicePointer from, size_t bytes,
                             Stream) {
  if (breaksCapture())
    return captureUnsupported;
  log("copy out ", bytes);
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return 0;
}
ResultCode cuMemcpyDtoDAsync(DevicePointer to, DevicePointer from, size_t bytes,
                             Stream) {
  log("copy within ", bytes);
  perform([=] {
    std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
                bytes);
  });
  return 0;
}

ResultCode cuStreamCreate(Stream *stream, unsigned) {
  *stream = fresh<Stream>();
  return 0;
}
ResultCode cuStreamDestroy(Stream) { return 0; }
ResultCode cuStreamSynchronize(Stream) {
  if (breaksCapture())
    return captureUnsupported;
  return broken ? launchFailed : 0;
}
ResultCode cuStreamBeginCapture(Stream, CaptureMode) {
  if (mode() == "no-capture")
    return notSupported;
  log("capture");
  capturing = new FakeGraph;
  captureBroken = false;
  return 0;
}
ResultCode cuStreamEndCapture(Stream, Graph *graph) {
  *graph = captureBroken ? nullptr : reinterpret_cast<Graph>(capturing);
  if (captureBroken)
    delete capturing;
  capturing = nullptr;
  return captureBroken ? captureInvalidated : 0;
}
ResultCode cuGraphInstantiateWithFlags(GraphExec *ready, Graph graph,
                                       unsigned long long) {
  if (mode() == "no-graph-memory")
    return outOfMemory;
  auto *copy = new FakeGraph(*reinterpret_cast<FakeGraph *>(graph));
  log("instantiate ", copy->work.size());
  *ready = reinterpret_cast<GraphExec>(copy);
  return 0;
}
ResultCode cuGraphDestroy(Graph graph) {
  delete reinterpret_cast<FakeGraph *>(graph);
  return 0;
}
ResultCode cuGraphExecDestroy(GraphExec ready) {
  log("destroy graph");
  delete reinterpret_cast<FakeGraph *>(ready);
  return 0;
}
ResultCode cuGraphLaunch(GraphExec ready, Stream) {
  log("launch graph");
  ++clock;
  for (const auto &work : reinterpret_cast<FakeGraph *>(ready)->work)
    work();
  return 0;
}
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
  auto *code = static_cast<const fake_code *>(image);
  bool isFunction = std::memcmp(image, FAKE_CODE, sizeof(FAKE_CODE)) == 0;
  *module = reinterpret_cast<Module>(
      &modules.emplace_back(isFunction ? code : nullptr));
  return 0;
}
ResultCode cuModuleUnload(Module) {
  log("unload");
  return 0;
}
ResultCode cuModuleGetFunction(Function *function, Module module,
                               const char *name) {
  if (std::strcmp(name, "missing") == 0)
    return 500;
  *function = reinterpret_cast<Function>(&kernels.emplace_back(
      name, reinterpret_cast<FakeModule *>(module)->code));
  return 0;
}
ResultCode cuFuncSetAttribute(Function, FunctionAttribute attribute,
                              int value) {
  log("attribute ", static_cast<int>(attribute), " = ", value);
  return 0;
}
ResultCode cuLaunchKernelEx(const LaunchConfig *config, Function function,
                            void **parameters, void **) {
  const auto &[name, code] = *reinterpret_cast<FakeKernel *>(function);
  std::string line =
      concat("launch ", name, " grid ", three(config->grid), " block ",
             three(config->block), " shared ", config->sharedBytes);
  for (unsigned i = 0; i < config->attributeCount; ++i)
    line += concat(" cluster ", config->attributes[i].value.cluster.x, 'x',
                   config->attributes[i].value.cluster.y, 'x',
                   config->attributes[i].value.cluster.z);
  log(capturing ? "captured " : "", line);
  ++clock;
  broken = mode() == "broken";
  if (code) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < code->count; ++i)
      std::memcpy(&values.emplace_back(), parameters[i], sizeof(int64_t));
    perform([code, values] {
      std::vector<int64_t> copies = values;
      std::vector<void *> pointers;
      for (int64_t &value : copies)
        pointers.push_back(&value);
      code->function(pointers.data());
    });
  } else if (name == "add_one") {
    float *x = *static_cast<float **>(parameters[0]);
    int64_t n = *static_cast<int64_t *>(parameters[1]);
    perform([x, n] {
      for (int64_t i = 0; i < n; ++i)
        x[i] += 1;
    });
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
