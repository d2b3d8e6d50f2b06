//===- Branches.cpp - work of a GPU on several streams --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Branches.h"

using namespace mm01;
using namespace mm01::cuda;

Branches::~Branches() {
  for (const Side &side : sides) {
    driver.cuStreamSynchronize(side.stream);
    driver.cuStreamDestroy(side.stream);
    driver.cuEventDestroy(side.done);
  }
  if (begin)
    driver.cuEventDestroy(begin);
}

Status Branches::fork() {
  if (forked)
    return Status::error("branches inside of branches, expected the end of the "
                         "first ones before");
  forked = true;
  launched = false;
  busy = 0;
  return {};
}

Status Branches::next() {
  if (!forked)
    return Status::error("a branch without a fork");
  launched = false;
  return {};
}

/// The main stream has the greatest priority, side streams the least: earlier
/// branches come first where there is not room for all.
Status Branches::makeSide() {
  int least = 0, greatest = 0;
  MM01_RETURN_IF_FAILED(
      driver.check(driver.cuCtxGetStreamPriorityRange(&least, &greatest),
                   "cuCtxGetStreamPriorityRange"));
  Side side;
  MM01_RETURN_IF_FAILED(driver.check(
      driver.cuEventCreate(&side.done, eventWithoutTime), "cuEventCreate"));
  Status status = driver.check(
      driver.cuStreamCreateWithPriority(&side.stream, streamNonBlocking, least),
      "cuStreamCreateWithPriority");
  if (status.failed())
    driver.cuEventDestroy(side.done);
  else
    sides.push_back(side);
  return status;
}

Result<Branches::Place> Branches::place() {
  if (!forked)
    return Place{main, 0};
  if (!launched && busy == 0) {
    if (!begin)
      MM01_RETURN_IF_FAILED(driver.check(
          driver.cuEventCreate(&begin, eventWithoutTime), "cuEventCreate"));
    MM01_RETURN_IF_FAILED(
        driver.check(driver.cuEventRecord(begin, main), "cuEventRecord"));
  } else if (!launched) {
    if (sides.size() < busy)
      MM01_RETURN_IF_FAILED(makeSide());
    MM01_RETURN_IF_FAILED(
        driver.check(driver.cuStreamWaitEvent(sides[busy - 1].stream, begin, 0),
                     "cuStreamWaitEvent"));
  }
  busy += !launched;
  launched = true;
  return busy == 1 ? Place{main, 0} : Place{sides[busy - 2].stream, busy - 1};
}

Status Branches::join() {
  if (!forked)
    return Status::error("the end of branches without a fork");
  forked = false;
  for (size_t i = 1; i < busy; ++i) {
    const Side &side = sides[i - 1];
    MM01_RETURN_IF_FAILED(driver.check(
        driver.cuEventRecord(side.done, side.stream), "cuEventRecord"));
    MM01_RETURN_IF_FAILED(driver.check(
        driver.cuStreamWaitEvent(main, side.done, 0), "cuStreamWaitEvent"));
  }
  return {};
}
