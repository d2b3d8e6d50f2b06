//===- Trace.cpp - what a device did, and when ----------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Trace.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace mm01;

static const char *wordsOf(TraceEvent::Kind kind) {
  switch (kind) {
  case TraceEvent::Kind::CopyIn:
    return "copy in";
  case TraceEvent::Kind::CopyOut:
    return "copy out";
  case TraceEvent::Kind::CopyWithin:
    return "copy within";
  case TraceEvent::Kind::Kernel:
    break;
  }
  return "kernel";
}

Result<TraceFile> TraceFile::create(const std::string &path) {
  Result<TemporaryFile> file = TemporaryFile::create(path);
  MM01_RETURN_IF_FAILED(file);
  return TraceFile(*std::move(file));
}

Status TraceFile::write(const Trace &trace) {
  // Rows are threads of process 0: kernels, copies, and kernels of further
  // streams; times are microseconds.
  std::string text = R"({"displayTimeUnit":"ns","traceEvents":[
{"name":"thread_name","ph":"M","pid":0,"tid":0,"args":{"name":"kernels"}},
{"name":"thread_name","ph":"M","pid":0,"tid":1,"args":{"name":"copies"}})";
  size_t streams = 1;
  for (const TraceEvent &event : trace)
    streams = std::max(streams, event.stream + 1);
  for (size_t i = 1; i < streams; ++i)
    text +=
        concat(",\n", R"({"name":"thread_name","ph":"M","pid":0,"tid":)", i + 1,
               R"(,"args":{"name":"kernels of stream )", i, R"("}})");
  for (const TraceEvent &event : trace) {
    bool isKernel = event.kind == TraceEvent::Kind::Kernel;
    nlohmann::ordered_json json = {
        {"name", isKernel ? event.name : wordsOf(event.kind)},
        {"cat", isKernel ? "kernel" : "copy"},
        {"ph", "X"},
        {"ts", event.begin * 1e6},
        {"dur", event.seconds * 1e6},
        {"pid", 0},
        {"tid", !isKernel      ? 1
                : event.stream ? event.stream + 1
                               : 0},
        {"args", {{isKernel ? "grid" : "bytes", event.size}}}};
    text += ",\n" + json.dump();
  }
  text += "]}\n";
  MM01_RETURN_IF_FAILED(file.append(text.data(), text.size()));
  return file.commit();
}
