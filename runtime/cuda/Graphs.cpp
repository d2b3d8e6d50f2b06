//===- Graphs.cpp - captured work of a GPU --------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Graphs.h"

using namespace mm01;
using namespace mm01::cuda;

Result<std::unique_ptr<DeviceGraph>>
CapturedGraph::capture(const Driver &driver, Stream stream,
                       const std::function<Status()> &work) {
  // Relaxed: memory that the work reserves meanwhile is no part of the stream.
  MM01_RETURN_IF_FAILED(
      driver.check(driver.cuStreamBeginCapture(stream, captureRelaxed),
                   "cuStreamBeginCapture"));
  Status done = work();
  Graph graph = nullptr;
  Status ended = driver.check(driver.cuStreamEndCapture(stream, &graph),
                              "cuStreamEndCapture");
  GraphExec ready = nullptr;
  if (done.ok() && ended.ok())
    ended = driver.check(
        driver.cuGraphInstantiateWithFlags(&ready, graph, graphNodePriority),
        "cuGraphInstantiateWithFlags");
  if (graph)
    driver.cuGraphDestroy(graph);
  MM01_RETURN_IF_FAILED(done);
  MM01_RETURN_IF_FAILED(ended);
  return std::unique_ptr<DeviceGraph>(new CapturedGraph(driver, ready));
}

CapturedGraph::~CapturedGraph() { driver.cuGraphExecDestroy(ready); }

Status CapturedGraph::launch(Stream stream) const {
  return driver.check(driver.cuGraphLaunch(ready, stream), "cuGraphLaunch");
}
