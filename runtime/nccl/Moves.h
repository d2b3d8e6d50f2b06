//===- Moves.h - collectives as what NCCL and kernels do ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_NCCL_MOVES_H
#define MM01_RUNTIME_NCCL_MOVES_H

#include "runtime/core/Communicator.h"
#include "runtime/nccl/Channel.h"

namespace mm01::nccl {

/// Puts the moves and reductions of one rank's part of a collective into its
/// channel. The transfer has its counts.
class Moves {
public:
  Moves(const Nccl &nccl, CudaDevice &device, Channel &channel, int rank,
        int size)
      : nccl(nccl), device(device), channel(channel), rank(rank), size(size) {}

  /// Device memory that put() needs beside the transfer's own.
  int64_t stagingBytes(const Transfer &transfer) const;
  void put(const Transfer &transfer, char *staging);

private:
  /// Consecutive elements of a buffer for each rank.
  struct Parts {
    char *data;
    std::vector<int64_t> counts, offsets;
  };

  /// n elements as equal parts, the last of them shorter.
  Parts equalParts(const void *data, int64_t elements) const;
  static Parts partsOf(const void *data, const std::vector<int64_t> &counts);
  /// As many elements for each rank.
  Parts rows(const void *data, int64_t count) const;

  /// Part p of `from` goes to rank p, part p of `to` comes from rank p;
  /// elements have `width` bytes.
  void exchange(const Parts &from, const Parts &to, int64_t width);
  void gather(const void *from, void *to, int64_t bytes);
  void copy(const void *from, void *to, int64_t bytes);
  void reduceParts(const Transfer &transfer, const void *parts, void *to,
                   int64_t count);
  void putAllReduce(const Transfer &transfer, char *staging);

  const Nccl &nccl;
  CudaDevice &device;
  Channel &channel;
  const int rank;
  const int size;
};

} // namespace mm01::nccl

#endif // MM01_RUNTIME_NCCL_MOVES_H
