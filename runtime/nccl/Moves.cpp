//===- Moves.cpp - collectives as what NCCL and kernels do ----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/nccl/Moves.h"

#include "runtime/nccl/ReduceKernels.h"

#include <algorithm>
#include <numeric>

using namespace mm01;
using namespace mm01::nccl;

/// Up to so many bytes of all ranks each rank gets all of them: what is sent
/// more than once costs less than a second step (test/runtime/nccl/ranksBench).
static constexpr int64_t fewBytes = 8 << 20;

static bool isFew(const Transfer &transfer, int64_t size) {
  return transfer.in.count * elementBytes(transfer.in.type) * size <= fewBytes;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

Moves::Parts Moves::partsOf(const void *data,
                            const std::vector<int64_t> &counts) {
  Parts parts{static_cast<char *>(const_cast<void *>(data)), counts, {}};
  parts.offsets.resize(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), parts.offsets.begin(),
                      int64_t(0));
  return parts;
}

Moves::Parts Moves::equalParts(const void *data, int64_t elements) const {
  const int64_t each = (elements + size - 1) / size;
  std::vector<int64_t> counts;
  for (int64_t part = 0; part < size; ++part)
    counts.push_back(std::clamp<int64_t>(elements - part * each, 0, each));
  return partsOf(data, counts);
}

Moves::Parts Moves::rows(const void *data, int64_t count) const {
  return partsOf(data, std::vector<int64_t>(size, count));
}

int64_t Moves::stagingBytes(const Transfer &transfer) const {
  const int64_t width = elementBytes(transfer.in.type);
  switch (transfer.kind) {
  case TransferKind::AllReduce: {
    const int64_t count = transfer.in.count;
    return width * size *
           (isFew(transfer, size) ? count
                                  : equalParts(nullptr, count).counts[rank]);
  }
  case TransferKind::ReduceScatter:
    return width * size * transfer.out.count;
  default:
    return 0;
  }
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void Moves::copy(const void *from, void *to, int64_t bytes) {
  if (bytes == 0 || from == to)
    return;
  const cuda::Driver &driver = device.getDriver();
  channel.put([&driver, from, to, bytes](cuda::Stream stream) {
    return driver.check(
        driver.cuMemcpyDtoDAsync(reinterpret_cast<cuda::DevicePointer>(to),
                                 reinterpret_cast<cuda::DevicePointer>(from),
                                 static_cast<size_t>(bytes), stream),
        "cuMemcpyDtoDAsync");
  });
}

void Moves::exchange(const Parts &from, const Parts &to, int64_t width) {
  copy(from.data + from.offsets[rank] * width,
       to.data + to.offsets[rank] * width,
       std::min(from.counts[rank], to.counts[rank]) * width);
  if (size == 1)
    return;
  channel.put([from, to, width, rank = rank, size = size,
               &nccl = nccl](Comm comm, cuda::Stream stream) {
    ReturnCode failure = 0;
    auto note = [&](ReturnCode code) {
      if (code != 0 && code != inProgress && failure == 0)
        failure = code;
    };
    for (int other = 0; other < size; ++other) {
      if (other == rank)
        continue;
      if (from.counts[other] > 0)
        note(nccl.ncclSend(from.data + from.offsets[other] * width,
                           size_t(from.counts[other] * width), byteType, other,
                           comm, stream));
      if (to.counts[other] > 0)
        note(nccl.ncclRecv(to.data + to.offsets[other] * width,
                           size_t(to.counts[other] * width), byteType, other,
                           comm, stream));
    }
    return failure;
  });
}

void Moves::gather(const void *from, void *to, int64_t bytes) {
  if (size == 1)
    return copy(from, to, bytes);
  if (bytes > 0)
    channel.put(
        [from, to, bytes, &nccl = nccl](Comm comm, cuda::Stream stream) {
          return nccl.ncclAllGather(from, to, size_t(bytes), byteType, comm,
                                    stream);
        });
}

void Moves::reduceParts(const Transfer &transfer, const void *parts, void *to,
                        int64_t count) {
  if (count == 0)
    return;
  const ReduceKernel &kernel =
      reduceKernel(transfer.in.type, transfer.reduction);
  channel.put([&device = device, &kernel, parts, to, count,
               ranks = int64_t(size)](cuda::Stream stream) {
    std::vector<const void *> parameters;
    for (const char *letter = kernel.parameters; *letter; ++letter)
      parameters.push_back(*letter == 'c'   ? static_cast<const void *>(&count)
                           : *letter == 'r' ? static_cast<const void *>(&ranks)
                           : *letter == 'p' ? static_cast<const void *>(&parts)
                                            : static_cast<const void *>(&to));
    const mm01_device_kernel launched = {
        kernel.name, nullptr,   kernel.ptx,        kernel.id,
        {256, 1, 1}, {1, 1, 1}, kernel.sharedBytes};
    const int64_t grid[3] = {(count + reduceTile - 1) / reduceTile, 1, 1};
    return device.launchOn(stream, launched, grid, parameters.data());
  });
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

void Moves::putAllReduce(const Transfer &transfer, char *staging) {
  const Elements &in = transfer.in;
  const int64_t width = elementBytes(in.type);
  if (isFew(transfer, size)) {
    gather(in.data, staging, in.count * width);
    return reduceParts(transfer, staging, transfer.out.data, in.count);
  }
  const Parts given = equalParts(in.data, in.count);
  const Parts reduced = equalParts(transfer.out.data, in.count);
  const int64_t own = given.counts[rank];
  exchange(given, rows(staging, own), width);
  char *to = reduced.data + reduced.offsets[rank] * width;
  reduceParts(transfer, staging, to, own);
  // To each rank the own part, of each rank its part.
  Parts mine = rows(to, own);
  std::ranges::fill(mine.offsets, 0);
  exchange(mine, reduced, width);
}

void Moves::put(const Transfer &transfer, char *staging) {
  const Elements &in = transfer.in;
  const Room &out = transfer.out;
  const int64_t width = elementBytes(in.type);
  switch (transfer.kind) {
  case TransferKind::AllReduce:
    return size == 1 ? copy(in.data, out.data, in.count * width)
                     : putAllReduce(transfer, staging);
  case TransferKind::ReduceScatter:
    if (size == 1)
      return copy(in.data, out.data, in.count * width);
    exchange(partsOf(in.data, transfer.send), rows(staging, out.count), width);
    return reduceParts(transfer, staging, out.data, out.count);
  case TransferKind::AllGather: {
    const auto &counts = transfer.receive;
    if (std::ranges::all_of(counts, [&](int64_t n) { return n == counts[0]; }))
      return gather(in.data, out.data, in.count * width);
    Parts mine = rows(in.data, in.count);
    std::ranges::fill(mine.offsets, 0);
    return exchange(mine, partsOf(out.data, counts), width);
  }
  case TransferKind::AllToAll:
    return exchange(partsOf(in.data, transfer.send),
                    partsOf(out.data, transfer.receive), width);
  case TransferKind::Broadcast:
    if (size > 1 && out.count > 0)
      channel.put([out, width, root = transfer.peer,
                   &nccl = nccl](Comm comm, cuda::Stream stream) {
        return nccl.ncclBroadcast(out.data, out.data, size_t(out.count * width),
                                  byteType, root, comm, stream);
      });
    return;
  case TransferKind::Barrier:
  case TransferKind::Send:
  case TransferKind::Receive:
    return;
  }
}
