//===- SingleCommunicator.h - a group of one rank -------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_RANKS_SINGLECOMMUNICATOR_H
#define MM01_RUNTIME_RANKS_SINGLECOMMUNICATOR_H

#include "runtime/core/Communicator.h"

namespace mm01 {

/// The only rank of a group: every collective copies `in` to `out`.
class SingleCommunicator final : public Communicator {
public:
  explicit SingleCommunicator(std::string group)
      : Communicator(std::move(group), /*rank=*/0, /*size=*/1) {}

  Result<std::unique_ptr<Communicator>> split(const std::string &group,
                                              int color, int key) override;
  void abandon(const Status &why) override;
  Status state() const override { return failure; }

private:
  Status post(int64_t number, const Transfer &transfer) override;
  Status finish(int64_t number, const Transfer &transfer) override;
  bool isFinished(int64_t, const Transfer &) override { return true; }

  Status failure;
};

} // namespace mm01

#endif // MM01_RUNTIME_RANKS_SINGLECOMMUNICATOR_H
