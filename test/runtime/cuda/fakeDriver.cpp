//===- fakeDriver.cpp - a CUDA driver for machines without a GPU ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built as libcuda.so.1. Its device memory is the host's, and it runs the
// kernel add_one(float *x, int64_t n) and those whose machine code is a
// function (fakeKernel.h). Work is done at once where nothing is before it on
// its stream (fakeStreams.h). There are 8 GPUs. What it is asked for it writes
// to the file $FAKE_CUDA_LOG, a line each. $FAKE_CUDA makes it another machine:
//
//     old          a driver without cuGetProcAddress_v2's functions
//     no-device    cuInit finds no GPU
//     capability   the GPU has compute capability 8.0
//     no-binary    machine code is for another chip
//     bad-ptx      so it is, and PTX does not compile
//     broken       kernels fail, as is seen when they are waited for, then and
//                  ever after
//     late         work is done when somebody waits for it, not before
//     memory=N     the GPU has N bytes
//     no-capture, no-graph-memory  graphs cannot be captured, or made
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Driver.h"
#include "runtime/nccl/ReduceKernels.h"
#include "runtime/ranks/Reduce.h"
#include "test/runtime/cuda/fakeKernel.h"
#include "test/runtime/cuda/fakeStreams.h"

#include <array>
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
using namespace mm01::fake;

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
struct FakeGpu {
  bool broken = false;
  int64_t holders = 0;
};

constexpr ResultCode invalidValue = 1, invalidDevice = 101,
                     invalidContext = 201, invalidPtx = 218, launchFailed = 719,
                     notSupported = 801;
constexpr int gpuCount = 8;
std::array<FakeGpu, gpuCount> gpus;
thread_local Context current = nullptr;
std::map<DevicePointer, size_t> allocations;
std::deque<FakeModule> modules;
std::deque<FakeKernel> kernels;
size_t held = 0;

Context contextOf(int ordinal) {
  return reinterpret_cast<Context>(uintptr_t(ordinal + 1) * 64);
}
FakeGpu &gpuOf(Context context) {
  return gpus[reinterpret_cast<uintptr_t>(context) / 64 - 1];
}

size_t capacity() {
  std::string text = mode();
  return text.starts_with("memory=") ? std::stoull(text.substr(7))
                                     : size_t(1) << 40;
}

/// True, and the end of the capture, for what cannot be captured.
bool breaksCapture(const FakeStream &stream) {
  if (stream.capture)
    stream.capture->broken = true;
  return stream.capture != nullptr;
}

/// Waits for what a stream or an event stands for.
ResultCode finish(const std::function<bool()> &done) {
  waitUntil(done);
  return gpuOf(current).broken ? launchFailed : 0;
}

std::string three(const unsigned *values) {
  return concat(values[0], 'x', values[1], 'x', values[2]);
}

/// Does what one of the runtime's own kernels does.
void reduceParts(const nccl::ReduceKernel &kernel,
                 const std::vector<int64_t> &values) {
  auto value = [&](char letter) {
    return values[std::string_view(kernel.parameters).find(letter)];
  };
  const int64_t count = value('c');
  const int64_t width = kernel.type == ElementType::BF16  ? 2
                        : kernel.type == ElementType::I64 ? 8
                                                          : 4;
  const auto *first = reinterpret_cast<const std::byte *>(value('p'));
  std::vector<const std::byte *> inputs;
  for (int64_t rank = 0; rank < value('r'); ++rank)
    inputs.push_back(first + rank * count * width);
  reduce(inputs, kernel.reduction,
         {reinterpret_cast<void *>(value('o')), kernel.type, count});
}

const nccl::ReduceKernel *findReduceKernel(std::string_view name) {
  for (const nccl::ReduceKernel &kernel : nccl::reduceKernels())
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

std::vector<int64_t> valuesOf(void **parameters, int64_t count) {
  std::vector<int64_t> values(count);
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(&values[i], parameters[i], sizeof(int64_t));
  return values;
}

namespace driver {

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
  *count = gpuCount;
  return 0;
}
ResultCode cuDeviceGet(DeviceOrdinal *device, int ordinal) {
  *device = ordinal;
  return ordinal < 0 || ordinal >= gpuCount ? invalidDevice : 0;
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
ResultCode cuDevicePrimaryCtxRetain(Context *context, DeviceOrdinal ordinal) {
  *context = contextOf(ordinal);
  if (gpus[ordinal].holders++ == 0)
    gpus[ordinal].broken = false;
  log("retain");
  return 0;
}
ResultCode cuDevicePrimaryCtxRelease(DeviceOrdinal ordinal) {
  --gpus[ordinal].holders;
  log("release, ", allocations.size(), " allocations left");
  return 0;
}
ResultCode cuCtxSetCurrent(Context context) {
  current = context;
  return 0;
}

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
  waitForAll(current);
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
                             Stream stream) {
  log("copy in ", bytes);
  perform(stream,
          [=] { std::memcpy(reinterpret_cast<void *>(to), from, bytes); });
  return 0;
}
ResultCode cuMemcpyDtoHAsync(void *to, DevicePointer from, size_t bytes,
                             Stream stream) {
  log("copy out ", bytes);
  perform(stream,
          [=] { std::memcpy(to, reinterpret_cast<void *>(from), bytes); });
  return 0;
}
ResultCode cuMemcpyDtoDAsync(DevicePointer to, DevicePointer from, size_t bytes,
                             Stream stream) {
  log("copy within ", bytes);
  perform(stream, [=] {
    std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
                bytes);
  });
  return 0;
}

ResultCode cuStreamCreate(Stream *stream, unsigned) {
  *stream = makeStream(current);
  return 0;
}
ResultCode cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  *least = 0;
  *greatest = -5;
  return 0;
}
ResultCode cuStreamCreateWithPriority(Stream *stream, unsigned, int) {
  *stream = makeStream(current);
  return 0;
}
ResultCode cuStreamDestroy(Stream stream) {
  destroy(stream);
  return 0;
}
ResultCode cuStreamSynchronize(Stream handle) {
  StreamPointer stream = of(handle);
  if (breaksCapture(*stream))
    return captureUnsupported;
  return finish([&] { return stream->queue.empty(); });
}
ResultCode cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  waitFor(stream, of(event));
  return 0;
}
ResultCode cuStreamBeginCapture(Stream handle, CaptureMode) {
  if (mode() == "no-capture")
    return notSupported;
  log("capture");
  StreamPointer stream = of(handle);
  stream->capture = std::make_shared<FakeGraph>();
  stream->capture->origin = stream.get();
  return 0;
}
ResultCode cuStreamEndCapture(Stream handle, Graph *graph) {
  std::shared_ptr<FakeGraph> made = endCapture(handle);
  *graph = nullptr;
  if (made->broken)
    return captureInvalidated;
  if (!isJoined(*made))
    return captureUnjoined;
  *graph = reinterpret_cast<Graph>(new FakeGraph(*made));
  return 0;
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
ResultCode cuGraphLaunch(GraphExec ready, Stream stream) {
  log("launch graph");
  for (const auto &work : reinterpret_cast<FakeGraph *>(ready)->work)
    perform(stream, work);
  return 0;
}
ResultCode cuEventCreate(Event *event, unsigned) {
  *event = makeEvent();
  return 0;
}
ResultCode cuEventDestroy(Event event) {
  destroy(event);
  return 0;
}
ResultCode cuEventRecord(Event event, Stream stream) {
  record(of(event), stream);
  return 0;
}
ResultCode cuEventSynchronize(Event handle) {
  EventPointer event = of(handle);
  if (event->capture)
    return captureUnsupported;
  return finish([&] { return isReached(*event); });
}
ResultCode cuEventQuery(Event handle) {
  EventPointer event = of(handle);
  if (event->capture)
    return captureUnsupported;
  progress();
  if (gpuOf(current).broken)
    return launchFailed;
  return isReached(*event) ? 0 : notReady;
}
/// A piece of work takes a millisecond.
ResultCode cuEventElapsedTime(float *milliseconds, Event begin, Event end) {
  EventPointer first = of(begin), last = of(end);
  if (first->recorded == 0 || last->recorded == 0)
    return invalidValue;
  *milliseconds = static_cast<float>(last->moment - first->moment);
  return isReached(*first) && isReached(*last) ? 0 : notReady;
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
  StreamPointer stream = of(config->stream);
  if (stream->number > 1)
    line += concat(" stream ", stream->number);
  log(stream->capture ? "captured " : "", line);
  if (mode() == "broken")
    gpuOf(current).broken = true;
  if (code) {
    std::vector<int64_t> values = valuesOf(parameters, code->count);
    perform(config->stream, [code, values] {
      std::vector<int64_t> copies = values;
      std::vector<void *> pointers;
      for (int64_t &value : copies)
        pointers.push_back(&value);
      code->function(pointers.data());
    });
  } else if (const nccl::ReduceKernel *kernel = findReduceKernel(name)) {
    perform(config->stream,
            [kernel, values = valuesOf(parameters, int64_t(std::strlen(
                                                       kernel->parameters)))] {
              reduceParts(*kernel, values);
            });
  } else if (name == "add_one") {
    float *x = *static_cast<float **>(parameters[0]);
    int64_t n = *static_cast<int64_t *>(parameters[1]);
    perform(config->stream, [x, n] {
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

} // namespace driver

/// Functions that any thread may call.
template <typename... Names>
constexpr bool isOneOf(std::string_view name, Names... names) {
  return ((name == names) || ...);
}
constexpr bool needsContext(std::string_view name) {
  return !isOneOf(name, "cuInit", "cuDriverGetVersion", "cuGetErrorName",
                  "cuGetErrorString", "cuDeviceGetCount", "cuDeviceGet",
                  "cuDeviceGetName", "cuDeviceGetAttribute",
                  "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease",
                  "cuCtxSetCurrent", "cuTensorMapEncodeTiled");
}

/// A function with the lock held, where its thread has a context if it needs
/// one.
template <auto function, bool needsContext> struct Locked;
template <typename... Arguments, ResultCode (*function)(Arguments...),
          bool needsContext>
struct Locked<function, needsContext> {
  static ResultCode call(Arguments... arguments) {
    std::lock_guard lock(fake::mutex);
    if (needsContext && !current)
      return invalidContext;
    return function(arguments...);
  }
};

} // namespace

extern "C" ResultCode cuGetProcAddress_v2(const char *name, void **function,
                                          int version, uint64_t, int *) {
  if (version != Driver::version)
    return invalidValue;
#define FAKE_FIND(symbol, ...)                                                 \
  if (std::strcmp(name, #symbol) == 0) {                                       \
    ResultCode (*typed)(__VA_ARGS__) =                                         \
        Locked<driver::symbol, needsContext(#symbol)>::call;                   \
    *function = reinterpret_cast<void *>(typed);                               \
    return mode() == "old" ? 500 : 0;                                          \
  }
  MM01_CUDA_FUNCTIONS(FAKE_FIND)
#undef FAKE_FIND
  return 500;
}
