//===- Executor.cpp - calls an entry of a program ------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Executor.h"

#include "runtime/core/Extents.h"

#include <atomic>
#include <utility>

using namespace mm01;

namespace {

/// mm01_context::runtime: what the callbacks of one call share. They cannot
/// report an error through the program, so it is kept here; launches after it
/// are skipped.
struct Call {
  Device &device;
  const EntrySpec &entry;
  ResultSink &sink;
  Status status;
  std::vector<bool> allocated;
  std::atomic<bool> gemmRefused = false;
  bool forked = false;

  static Call &of(const mm01_context *context) {
    return *static_cast<Call *>(context->runtime);
  }
};

void launch(const mm01_context *context, mm01_kernel kernel, const char *name,
            int64_t grid, const void *arguments, int64_t scratchBytes) {
  Call &call = Call::of(context);
  if (call.status.failed())
    return;
  call.status =
      call.device.launch(*context, kernel, name, grid, arguments, scratchBytes);
}

void launchDevice(const mm01_context *context, const mm01_device_kernel *kernel,
                  const int64_t *grid, const void *const *parameters,
                  int64_t count) {
  Call &call = Call::of(context);
  if (call.status.ok())
    call.status = call.device.launchDevice(*kernel, grid, parameters, count);
}

void encodeTensorMap(const mm01_context *context, const mm01_tensor_map *map,
                     void *encoded) {
  Call &call = Call::of(context);
  if (call.status.ok())
    call.status = call.device.encodeTensorMap(*map, encoded);
}

void gemmDevice(const mm01_context *context,
                const mm01_device_product *product) {
  Call &call = Call::of(context);
  if (call.status.ok())
    call.status = call.device.gemmDevice(*product);
}

void fork(const mm01_context *context) {
  Call &call = Call::of(context);
  if (call.status.failed())
    return;
  call.status = call.device.fork();
  call.forked = call.status.ok();
}

void nextBranch(const mm01_context *context) {
  Call &call = Call::of(context);
  if (call.status.ok())
    call.status = call.device.nextBranch();
}

/// After a failure too: what branches did until then must end.
void join(const mm01_context *context) {
  Call &call = Call::of(context);
  if (!std::exchange(call.forked, false))
    return;
  Status status = call.device.join();
  if (call.status.ok())
    call.status = status;
}

Status allocate(Call &call, int64_t index, int64_t rank, const int64_t *shape) {
  const std::vector<ResultSpec> &results = call.entry.results;
  if (index < 0 || index >= static_cast<int64_t>(results.size()) ||
      results[index].kind != ResultKind::Fresh)
    return Status::error("allocates result ", index,
                         " that the manifest does not name");
  const ResultSpec &spec = results[index];
  if (rank != static_cast<int64_t>(spec.shape.size()))
    return Status::error("result ", index, ": expected shape ",
                         shapeText(spec.shape), ", found ", rank, " extents");
  std::vector<int64_t> extents(shape, shape + rank);
  for (int64_t i = 0; i < rank; ++i)
    if (extents[i] < 0 || (spec.shape[i] >= 0 && extents[i] != spec.shape[i]))
      return Status::error("result ", index, ": expected shape ",
                           shapeText(spec.shape), ", found ",
                           shapeText(extents));
  call.allocated[index] = true;
  return call.sink.results[index].resize(call.device, spec.type,
                                         std::move(extents));
}

void *allocateResult(const mm01_context *context, int64_t index, int64_t rank,
                     const int64_t *shape) {
  Call &call = Call::of(context);
  if (call.status.ok())
    call.status = allocate(call, index, rank, shape);
  return call.status.ok() ? call.sink.results[index].memory.data() : nullptr;
}

void gemmF32(const mm01_context *context, int64_t m, int64_t n, int64_t k,
             const float *a, int64_t lda, const float *b, int64_t ldb, float *c,
             int64_t ldc, int32_t accumulate) {
  Call &call = Call::of(context);
  if (!call.device.gemmF32(m, n, k, a, lda, b, ldb, c, ldc, accumulate != 0))
    call.gemmRefused.store(true, std::memory_order_relaxed);
}

} // namespace

Status TensorBuffer::resize(Device &device, ElementType newType,
                            std::vector<int64_t> extents) {
  std::optional<int64_t> needed = tensorBytes(newType, extents);
  if (!needed)
    return Status::error("a tensor of shape ", shapeText(extents),
                         " is too large");
  // At least one line, so that an empty tensor has an address too.
  MM01_RETURN_IF_FAILED(memory.reserve(
      device, std::max<int64_t>(*needed, MM01_ALIGNMENT), "a tensor"));
  type = newType;
  shape = std::move(extents);
  return {};
}

Status Executor::run(const Program &program, size_t index,
                     std::span<const mm01_argument> arguments,
                     ResultSink &sink) {
  const EntrySpec &entry = program.entry(index);
  auto failed = [&](const Status &why) {
    return Status::error(program.path(), ": entry ", entry.name, ": ",
                         why.message());
  };
  if (arguments.size() != entry.arguments.size())
    return failed(Status::error("expected ", entry.arguments.size(),
                                " arguments, found ", arguments.size()));
  if (Status status = checkExtents(entry, arguments); status.failed())
    return failed(status);
  int64_t arenaBytes = program.arenaFunction(index)(arguments.data());
  if (arenaBytes < 0)
    return failed(Status::error("the arena of these arguments is too large"));
  if (Status status = arena.reserve(
          device, std::max<int64_t>(arenaBytes, MM01_ALIGNMENT), "the arena");
      status.failed())
    return failed(status);

  sink.results.resize(entry.results.size());
  Call call{device, entry, sink, {}, {}};
  call.allocated.resize(entry.results.size());
  mm01_context context{MM01_ABI_VERSION, &call,   arena.data(), launch,
                       allocateResult,   gemmF32, launchDevice, encodeTensorMap,
                       gemmDevice,       fork,    nextBranch,   join};
  int32_t code = program.entryFunction(index)(&context, arguments.data());
  if (call.gemmRefused)
    call.status = Status::error("a matrix product was refused by oneDNN");
  if (call.status.failed())
    return failed(call.status);
  if (code != 0)
    return failed(Status::error("returned ", code, ", expected 0"));
  for (size_t i = 0; i < entry.results.size(); ++i)
    if (entry.results[i].kind == ResultKind::Fresh && !call.allocated[i])
      return failed(Status::error("returned without result ", i));
  return {};
}
