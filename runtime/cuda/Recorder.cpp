//===- Recorder.cpp - times of launches and copies of a GPU ---------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Recorder.h"

#include <algorithm>

using namespace mm01;
using namespace mm01::cuda;

Recorder::~Recorder() {
  auto destroy = [&](Event event) {
    if (event)
      driver.cuEventDestroy(event);
  };
  destroy(origin);
  for (const Piece &piece : pieces) {
    destroy(piece.begin);
    destroy(piece.end);
  }
}

Result<Event> Recorder::mark(Stream on) {
  Event event = nullptr;
  MM01_RETURN_IF_FAILED(
      driver.check(driver.cuEventCreate(&event, 0), "cuEventCreate"));
  if (Status status =
          driver.check(driver.cuEventRecord(event, on), "cuEventRecord");
      status.failed()) {
    driver.cuEventDestroy(event);
    return status;
  }
  return event;
}

Status Recorder::start() {
  Result<Event> event = mark(stream);
  MM01_RETURN_IF_FAILED(event);
  origin = *event;
  return {};
}

Status Recorder::begin(TraceEvent event, Stream on) {
  Result<Event> begin = mark(on);
  MM01_RETURN_IF_FAILED(begin);
  pieces.push_back({std::move(event), *begin, nullptr});
  return {};
}

Status Recorder::end(Stream on) {
  Result<Event> event = mark(on);
  MM01_RETURN_IF_FAILED(event);
  pieces.back().end = *event;
  return {};
}

Result<Trace> Recorder::finish() {
  MM01_RETURN_IF_FAILED(
      driver.check(driver.cuStreamSynchronize(stream), workFailed));
  auto between = [&](Event from, Event to, double &seconds) {
    float milliseconds = 0;
    Status status =
        driver.check(driver.cuEventElapsedTime(&milliseconds, from, to),
                     "cuEventElapsedTime");
    seconds = milliseconds * 1e-3;
    return status;
  };
  Trace trace;
  for (Piece &piece : pieces) {
    if (!piece.end) // the work itself was refused
      continue;
    MM01_RETURN_IF_FAILED(between(origin, piece.begin, piece.event.begin));
    MM01_RETURN_IF_FAILED(between(piece.begin, piece.end, piece.event.seconds));
    trace.push_back(std::move(piece.event));
  }
  std::ranges::stable_sort(trace, {}, &TraceEvent::begin);
  return trace;
}
