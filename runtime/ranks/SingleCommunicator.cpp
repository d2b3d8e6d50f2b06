//===- SingleCommunicator.cpp - a group of one rank -----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/SingleCommunicator.h"

#include <cstring>

using namespace mm01;

Result<std::unique_ptr<Communicator>>
SingleCommunicator::split(const std::string &group, int color, int key) {
  MM01_RETURN_IF_FAILED(failure);
  MM01_RETURN_IF_FAILED(checkColor(color));
  return std::unique_ptr<Communicator>(new SingleCommunicator(group));
}

void SingleCommunicator::abandon(const Status &why) {
  if (failure.ok())
    failure = why;
}

Status SingleCommunicator::post(int64_t, const Transfer &) { return failure; }

Status SingleCommunicator::finish(int64_t, const Transfer &transfer) {
  MM01_RETURN_IF_FAILED(failure);
  if (transfer.out.count > 0 && transfer.out.data != transfer.in.data)
    std::memcpy(transfer.out.data, transfer.in.data,
                transfer.out.count * elementBytes(transfer.out.type));
  return {};
}
