//===- Model.h - a program with its weights on this machine ---------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TOOLS_MM01_RUN_MODEL_H
#define MM01_TOOLS_MM01_RUN_MODEL_H

#include "runtime/core/Executor.h"
#include "runtime/core/Weights.h"

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>

namespace mm01 {

/// The device that runs programs of this target: the processor with so many
/// threads, or the GPU. Fails, in one line, where there is none.
Result<std::unique_ptr<Device>> openDevice(const std::string &target,
                                           int threads);

/// What generate, logits and bench need to call a program. It does not move:
/// the executor and sessions refer to its members.
class Model {
public:
  /// Loads a program and binds its weights to a checkpoint or "random:SEED".
  static Result<std::unique_ptr<Model>>
  open(const std::string &path, const std::string &weights, int threads);

  const Program &program() const { return loaded; }
  const Weights &weights() const { return *bound; }
  Executor &executor() { return runner; }
  Device &device() const { return *opened; }
  /// By how much binding the weights has enlarged this process: pages of a
  /// mapped checkpoint only come when they are read.
  int64_t weightMemory() const { return memory; }

private:
  Model(Program program, std::unique_ptr<Device> device)
      : loaded(std::move(program)), opened(std::move(device)), runner(*opened) {
  }

  Program loaded;
  std::unique_ptr<Device> opened;
  Executor runner;
  std::optional<Weights> bound; // engaged by open()
  int64_t memory = 0;
};

/// The file of --trace, from before the device has anything to do until it has
/// done it. Without a name it does nothing.
class Tracing {
public:
  /// Refuses a file that cannot be written, or that the command reads.
  static Result<Tracing> create(const std::string &file,
                                std::initializer_list<std::string> inputs);

  Status start(Device &device);
  Status finish(Device &device);

private:
  std::optional<TraceFile> file;
};

/// The line `done` of `total` on stderr, rewritten in place; nothing when
/// stderr is no terminal. Clears itself at the end.
class Progress {
public:
  explicit Progress(std::string label);
  ~Progress();
  void show(int64_t done, int64_t total);

private:
  std::string label;
  bool terminal;
  int percent = -1;
};

} // namespace mm01

#endif // MM01_TOOLS_MM01_RUN_MODEL_H
