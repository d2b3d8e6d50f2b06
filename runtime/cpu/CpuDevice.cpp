//===- CpuDevice.cpp - runs programs on the processor --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cpu/CpuDevice.h"

#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <omp.h>

using namespace mm01;

namespace {

struct KernelCall {
  const mm01_context &context;
  mm01_kernel kernel;
  const void *arguments;
};

void runWorkgroup(void *closure, void *scratch, int64_t workgroup) {
  const auto &call = *static_cast<const KernelCall *>(closure);
  call.kernel(&call.context, call.arguments, scratch, workgroup);
}

void runBody(void *closure, void *, int64_t item) {
  (*static_cast<const std::function<void(int64_t)> *>(closure))(item);
}

} // namespace

// oneDNN's own parallelism is OpenMP's, whose number of threads is a setting of
// the thread that calls it.
CpuDevice::CpuDevice(int threads)
    : pool(threads, [] { omp_set_num_threads(1); }) {}

int64_t CpuDevice::availableMemory() const { return mm01::availableMemory(); }

Result<void *> CpuDevice::allocate(int64_t bytes, const char *purpose) {
  return allocateAligned(bytes, purpose);
}

void CpuDevice::release(void *memory) { std::free(memory); }

void CpuDevice::record(TraceEvent::Kind kind, const char *name, int64_t size,
                       Clock::time_point begin) {
  using Seconds = std::chrono::duration<double>;
  if (trace && size > 0)
    trace->push_back({kind, name, size, 0, Seconds(begin - traceBegin).count(),
                      Seconds(Clock::now() - begin).count()});
}

Status CpuDevice::copy(TraceEvent::Kind kind, void *to, const void *from,
                       int64_t bytes) {
  Clock::time_point begin = Clock::now();
  if (bytes)
    std::memcpy(to, from, bytes);
  record(kind, "", bytes, begin);
  return {};
}

Status CpuDevice::copyIn(void *to, const void *from, int64_t bytes) {
  return copy(TraceEvent::Kind::CopyIn, to, from, bytes);
}

Status CpuDevice::copyOut(void *to, const void *from, int64_t bytes) {
  return copy(TraceEvent::Kind::CopyOut, to, from, bytes);
}

Status CpuDevice::copyWithin(void *to, const void *from, int64_t bytes) {
  return copy(TraceEvent::Kind::CopyWithin, to, from, bytes);
}

Status CpuDevice::launch(const mm01_context &context, mm01_kernel kernel,
                         const char *name, int64_t grid, const void *arguments,
                         int64_t scratchBytes) {
  KernelCall call{context, kernel, arguments};
  Clock::time_point begin = Clock::now();
  if (!pool.run(grid, runWorkgroup, &call, scratchBytes))
    return Status::error("not enough memory for kernel ", name, ": expected ",
                         scratchBytes, " bytes for each of ", workers(),
                         " workers");
  record(TraceEvent::Kind::Kernel, name, grid, begin);
  return {};
}

Status CpuDevice::launchDevice(const mm01_device_kernel &kernel,
                               const int64_t *, const void *const *, int64_t) {
  return Status::error("kernel ", kernel.name,
                       " is one of a GPU, expected one of the processor");
}

Status CpuDevice::encodeTensorMap(const mm01_tensor_map &, void *) {
  return Status::error("a tensor map is a GPU's, expected none on the "
                       "processor");
}

Status CpuDevice::gemmDevice(const mm01_device_product &) {
  return Status::error("a product of the library of a GPU, expected one of the "
                       "processor");
}

Result<size_t> CpuDevice::mark() {
  marks.push_back(Clock::now());
  return marks.size() - 1;
}

Result<double> CpuDevice::secondsBetween(size_t begin, size_t end) {
  MM01_RETURN_IF_FAILED(checkMarks(begin, end, marks.size()));
  return std::chrono::duration<double>(marks[end] - marks[begin]).count();
}

Status CpuDevice::startTrace() {
  traceBegin = Clock::now();
  trace.emplace();
  return {};
}

Result<Trace> CpuDevice::finishTrace() {
  Trace done = std::move(trace).value_or(Trace());
  trace.reset();
  return done;
}

bool CpuDevice::gemmF32(int64_t m, int64_t n, int64_t k, const float *a,
                        int64_t lda, const float *b, int64_t ldb, float *c,
                        int64_t ldc, bool accumulate) {
  // oneDNN leaves c alone when there is nothing to add up.
  if (k == 0 && !accumulate)
    for (int64_t row = 0; row < m; ++row)
      std::fill_n(c + row * ldc, n, 0.0f);
  if (m == 0 || n == 0 || k == 0)
    return true;
  return dnnl_sgemm('N', 'T', m, n, k, 1.0f, a, lda, b, ldb,
                    accumulate ? 1.0f : 0.0f, c, ldc) == dnnl_success;
}

void CpuDevice::parallelFor(int64_t count,
                            const std::function<void(int64_t)> &body) {
  pool.run(count, runBody, const_cast<std::function<void(int64_t)> *>(&body));
}
