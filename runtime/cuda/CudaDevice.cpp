//===- CudaDevice.cpp - runs programs on a Hopper GPU ---------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaDevice.h"

#include "runtime/cuda/Graphs.h"
#include "runtime/cuda/TensorMaps.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <thread>

using namespace mm01;
using namespace mm01::cuda;

static DevicePointer toDevice(const void *pointer) {
  return reinterpret_cast<DevicePointer>(pointer);
}

//===----------------------------------------------------------------------===//
// Start and end
//===----------------------------------------------------------------------===//

/// The device that the thread entered last; 0 is none.
static thread_local uint64_t entered = 0;

static uint64_t nextSerial() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

CudaDevice::CudaDevice(const Driver &driver)
    : driver(driver), serial(nextSerial()) {}

Status CudaDevice::enter() const {
  if (entered == serial)
    return {};
  MM01_RETURN_IF_FAILED(
      driver.check(driver.cuCtxSetCurrent(context), "cuCtxSetCurrent"));
  entered = serial;
  return {};
}

Result<std::unique_ptr<CudaDevice>> CudaDevice::open(int gpu) {
  Result<const Driver *> driver = Driver::open();
  MM01_RETURN_IF_FAILED(driver);
  std::unique_ptr<CudaDevice> device(new CudaDevice(**driver));
  MM01_RETURN_IF_FAILED(device->start(gpu));
  return device;
}

Status CudaDevice::start(int gpu) {
  int count = 0;
  MM01_RETURN_IF_FAILED(
      driver.check(driver.cuDeviceGetCount(&count), "cuDeviceGetCount"));
  if (count == 0)
    return Status::error("no GPU, which a program for sm_90a needs");
  if (gpu < 0 || gpu >= count)
    return Status::error("found GPU ", gpu, ", expected one of the ", count,
                         " that this process may see");
  MM01_RETURN_IF_FAILED(
      driver.check(driver.cuDeviceGet(&ordinal, gpu), "cuDeviceGet"));
  int major = 0, minor = 0;
  auto read = [&](DeviceAttribute attribute, int &value) {
    return driver.check(driver.cuDeviceGetAttribute(&value, attribute, ordinal),
                        "cuDeviceGetAttribute");
  };
  MM01_RETURN_IF_FAILED(read(computeCapabilityMajor, major));
  MM01_RETURN_IF_FAILED(read(computeCapabilityMinor, minor));
  MM01_RETURN_IF_FAILED(read(multiprocessorCount, multiprocessors));
  MM01_RETURN_IF_FAILED(read(maxSharedMemoryPerBlock, sharedBytes));
  if (major != 9 || minor != 0) {
    std::array<char, 128> chip{};
    driver.cuDeviceGetName(chip.data(), chip.size() - 1, ordinal);
    return Status::error("GPU ", gpu, " (", chip.data(),
                         ") has compute capability ", major, '.', minor,
                         ", expected 9.0, which a program for sm_90a needs");
  }
  MM01_RETURN_IF_FAILED(
      driver.check(driver.cuDevicePrimaryCtxRetain(&context, ordinal),
                   "cuDevicePrimaryCtxRetain"));
  MM01_RETURN_IF_FAILED(enter());
  int least = 0, greatest = 0;
  MM01_RETURN_IF_FAILED(
      driver.check(driver.cuCtxGetStreamPriorityRange(&least, &greatest),
                   "cuCtxGetStreamPriorityRange"));
  MM01_RETURN_IF_FAILED(driver.check(
      driver.cuStreamCreateWithPriority(&stream, streamNonBlocking, greatest),
      "cuStreamCreateWithPriority"));
  branches = std::make_unique<Branches>(driver, stream);
  kernels = std::make_unique<Kernels>(driver);
  staging = std::make_unique<Staging>(driver, stream);
  return {};
}

CudaDevice::~CudaDevice() {
  if (!context)
    return;
  // The members below belong to the context, which goes last. What fails now
  // nobody can mend.
  (void)enter();
  if (stream)
    driver.cuStreamSynchronize(stream);
  branches.reset();
  library.reset();
  recorder.reset();
  kernels.reset();
  staging.reset();
  for (Event event : marks)
    driver.cuEventDestroy(event);
  if (stream)
    driver.cuStreamDestroy(stream);
  driver.cuCtxSetCurrent(nullptr);
  entered = 0;
  driver.cuDevicePrimaryCtxRelease(ordinal);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int64_t CudaDevice::availableMemory() const {
  size_t available = 0, total = 0;
  if (enter().failed() || driver.cuMemGetInfo(&available, &total) != 0)
    return std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(available);
}

Result<void *> CudaDevice::allocate(int64_t bytes, const char *purpose) {
  MM01_RETURN_IF_FAILED(enter());
  DevicePointer memory = 0;
  ResultCode code =
      bytes < 0 ? outOfMemory
                : driver.cuMemAlloc(&memory,
                                    std::max<int64_t>(bytes, MM01_ALIGNMENT));
  if (code == outOfMemory)
    return Status::error("not enough memory on the GPU for ", purpose,
                         ": expected ", bytes, " bytes, found ",
                         availableMemory());
  MM01_RETURN_IF_FAILED(driver.check(code, "cuMemAlloc"));
  return reinterpret_cast<void *>(memory);
}

void CudaDevice::release(void *memory) {
  // cuMemFree waits for the work that may use it.
  if (memory && enter().ok())
    driver.cuMemFree(toDevice(memory));
}

template <typename Work>
Status CudaDevice::record(TraceEvent::Kind kind, const char *name, int64_t size,
                          Work work) {
  if (branches->isOpen())
    return Status::error("work inside of branches that is no launch");
  return record(kind, name, size, Branches::Place{stream, 0}, work);
}

template <typename Work>
Status CudaDevice::record(TraceEvent::Kind kind, const char *name, int64_t size,
                          Branches::Place place, Work work) {
  MM01_RETURN_IF_FAILED(enter());
  if (!recorder)
    return work();
  MM01_RETURN_IF_FAILED(
      recorder->begin({kind, name, size, place.number, 0, 0}, place.stream));
  MM01_RETURN_IF_FAILED(work());
  return recorder->end(place.stream);
}

Status CudaDevice::refuseInCapture(const char *what) const {
  if (!capturing)
    return {};
  return Status::error(what, " cannot be captured: expected launches and "
                             "copies within the device alone");
}

Status CudaDevice::copyIn(void *to, const void *from, int64_t bytes) {
  MM01_RETURN_IF_FAILED(refuseInCapture("a copy from the host"));
  if (bytes == 0)
    return {};
  return record(TraceEvent::Kind::CopyIn, "", bytes, [&] {
    return staging->copyIn(toDevice(to), static_cast<const char *>(from),
                           bytes);
  });
}

Status CudaDevice::copyOut(void *to, const void *from, int64_t bytes) {
  MM01_RETURN_IF_FAILED(refuseInCapture("a copy to the host"));
  if (bytes == 0)
    return synchronize();
  MM01_RETURN_IF_FAILED(record(TraceEvent::Kind::CopyOut, "", bytes, [&] {
    return staging->copyOut(static_cast<char *>(to), toDevice(from), bytes);
  }));
  return synchronize();
}

Status CudaDevice::copyWithin(void *to, const void *from, int64_t bytes) {
  if (bytes == 0)
    return {};
  return record(TraceEvent::Kind::CopyWithin, "", bytes, [&] {
    return driver.check(
        driver.cuMemcpyDtoDAsync(toDevice(to), toDevice(from), bytes, stream),
        "cuMemcpyDtoDAsync");
  });
}

Status CudaDevice::synchronize() {
  MM01_RETURN_IF_FAILED(refuseInCapture("waiting"));
  MM01_RETURN_IF_FAILED(enter());
  return driver.check(driver.cuStreamSynchronize(stream), workFailed);
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

Status CudaDevice::launch(const mm01_context &, mm01_kernel, const char *name,
                          int64_t, const void *, int64_t) {
  return Status::error("kernel ", name,
                       " is one of the processor, expected one of the GPU");
}

bool CudaDevice::gemmF32(int64_t, int64_t, int64_t, const float *, int64_t,
                         const float *, int64_t, float *, int64_t, bool) {
  return false;
}

Status CudaDevice::checkGrid(const mm01_device_kernel &kernel,
                             const int64_t grid[3]) const {
  constexpr int64_t most[3] = {std::numeric_limits<int32_t>::max(), 65535,
                               65535};
  for (int i = 0; i < 3; ++i) {
    if (grid[i] < 0 || grid[i] > most[i])
      return Status::error("kernel ", kernel.name, ": expected grid extent ", i,
                           " from 0 to ", most[i], ", found ", grid[i]);
    if (grid[i] % kernel.cluster[i] != 0)
      return Status::error("kernel ", kernel.name, ": expected grid extent ", i,
                           " to be a multiple of the cluster's ",
                           kernel.cluster[i], ", found ", grid[i]);
  }
  if (kernel.dynamic_shared_bytes > sharedBytes)
    return Status::error("kernel ", kernel.name, ": expected at most ",
                         sharedBytes, " bytes of shared memory, found ",
                         kernel.dynamic_shared_bytes);
  return {};
}

Status CudaDevice::launchLoaded(Stream where, Function function,
                                const mm01_device_kernel &kernel,
                                const int64_t grid[3],
                                const void *const *parameters) {
  LaunchAttribute cluster{};
  cluster.id = clusterDimension;
  cluster.value.cluster = {static_cast<unsigned>(kernel.cluster[0]),
                           static_cast<unsigned>(kernel.cluster[1]),
                           static_cast<unsigned>(kernel.cluster[2])};
  LaunchConfig config{};
  for (int i = 0; i < 3; ++i) {
    config.grid[i] = static_cast<unsigned>(grid[i]);
    config.block[i] = static_cast<unsigned>(kernel.block[i]);
  }
  config.sharedBytes = static_cast<unsigned>(kernel.dynamic_shared_bytes);
  config.stream = where;
  config.attributes = &cluster;
  config.attributeCount =
      kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2] > 1;
  ResultCode code = driver.cuLaunchKernelEx(
      &config, function, const_cast<void **>(parameters), nullptr);
  if (Status status = driver.check(code, "cuLaunchKernelEx"); status.failed())
    return Status::error("kernel ", kernel.name, ": ", status.message());
  return {};
}

Result<Function> CudaDevice::prepare(const mm01_device_kernel &kernel,
                                     const int64_t grid[3]) {
  MM01_RETURN_IF_FAILED(checkGrid(kernel, grid));
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return Function();
  MM01_RETURN_IF_FAILED(enter());
  return kernels->get(kernel);
}

Status CudaDevice::launchOn(Stream where, const mm01_device_kernel &kernel,
                            const int64_t grid[3],
                            const void *const *parameters) {
  Result<Function> function = prepare(kernel, grid);
  MM01_RETURN_IF_FAILED(function);
  if (!*function)
    return {};
  return launchLoaded(where, *function, kernel, grid, parameters);
}

Status CudaDevice::launchDevice(const mm01_device_kernel &kernel,
                                const int64_t grid[3],
                                const void *const *parameters, int64_t) {
  Result<Function> function = prepare(kernel, grid);
  MM01_RETURN_IF_FAILED(function);
  if (!*function)
    return {};
  Result<Branches::Place> place = branches->place();
  MM01_RETURN_IF_FAILED(place);
  return record(TraceEvent::Kind::Kernel, kernel.name,
                grid[0] * grid[1] * grid[2], *place, [&] {
                  return launchLoaded(place->stream, *function, kernel, grid,
                                      parameters);
                });
}

Status CudaDevice::fork() { return branches->fork(); }
Status CudaDevice::nextBranch() { return branches->next(); }
Status CudaDevice::join() {
  MM01_RETURN_IF_FAILED(enter());
  return branches->join();
}

Status CudaDevice::encodeTensorMap(const mm01_tensor_map &map, void *encoded) {
  return cuda::encodeTensorMap(driver, map, encoded);
}

Status CudaDevice::gemmDevice(const mm01_device_product &product) {
  if (product.rows == 0 || product.columns == 0)
    return {};
  MM01_RETURN_IF_FAILED(enter());
  if (!library) {
    auto opened = MatrixLibrary::open(driver);
    MM01_RETURN_IF_FAILED(opened);
    library = *std::move(opened);
  }
  return record(TraceEvent::Kind::Kernel, "gemm", product.rows,
                [&] { return library->multiply(product, stream); });
}

Result<std::unique_ptr<DeviceGraph>>
CudaDevice::capture(const std::function<Status()> &work) {
  MM01_RETURN_IF_FAILED(refuseInCapture("a capture"));
  if (recorder)
    return Status::error("device ", name(),
                         " cannot capture its work while it keeps a trace");
  MM01_RETURN_IF_FAILED(enter());
  capturing = true;
  auto graph = CapturedGraph::capture(driver, stream, work);
  capturing = false;
  return graph;
}

Status CudaDevice::replay(DeviceGraph &graph) {
  MM01_RETURN_IF_FAILED(refuseInCapture("a graph"));
  return record(TraceEvent::Kind::Kernel, "graph", 1, [&] {
    return static_cast<CapturedGraph &>(graph).launch(stream);
  });
}

void CudaDevice::parallelFor(int64_t count,
                             const std::function<void(int64_t)> &body) {
  std::atomic<int64_t> next = 0;
  auto work = [&] {
    for (int64_t item; (item = next.fetch_add(1)) < count;)
      body(item);
  };
  int64_t helpers =
      std::min<int64_t>(std::thread::hardware_concurrency(), count) - 1;
  std::vector<std::jthread> threads;
  try {
    for (int64_t i = 0; i < helpers; ++i)
      threads.emplace_back(work);
  } catch (const std::system_error &) {
    // A limit on threads: the others do it.
  }
  work();
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

Result<size_t> CudaDevice::mark() {
  MM01_RETURN_IF_FAILED(refuseInCapture("a mark"));
  MM01_RETURN_IF_FAILED(enter());
  Event event = nullptr;
  MM01_RETURN_IF_FAILED(
      driver.check(driver.cuEventCreate(&event, 0), "cuEventCreate"));
  marks.push_back(event);
  MM01_RETURN_IF_FAILED(
      driver.check(driver.cuEventRecord(event, stream), "cuEventRecord"));
  return marks.size() - 1;
}

Result<double> CudaDevice::secondsBetween(size_t begin, size_t end) {
  MM01_RETURN_IF_FAILED(refuseInCapture("waiting"));
  MM01_RETURN_IF_FAILED(enter());
  MM01_RETURN_IF_FAILED(checkMarks(begin, end, marks.size()));
  MM01_RETURN_IF_FAILED(
      driver.check(driver.cuEventSynchronize(marks[end]), workFailed));
  float milliseconds = 0;
  MM01_RETURN_IF_FAILED(driver.check(
      driver.cuEventElapsedTime(&milliseconds, marks[begin], marks[end]),
      "cuEventElapsedTime"));
  return milliseconds * 1e-3;
}

Status CudaDevice::startTrace() {
  MM01_RETURN_IF_FAILED(refuseInCapture("a trace"));
  MM01_RETURN_IF_FAILED(enter());
  recorder = std::make_unique<Recorder>(driver, stream);
  return recorder->start();
}

Result<Trace> CudaDevice::finishTrace() {
  if (!recorder)
    return Trace();
  MM01_RETURN_IF_FAILED(enter());
  Result<Trace> trace = recorder->finish();
  recorder.reset();
  return trace;
}
