//===- Model.cpp - a program with its weights on this machine -------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/mm01-run/Model.h"

#include "runtime/core/RandomHelpers.h"
#include "runtime/cpu/CpuDevice.h"
#include "runtime/cuda/CudaDevice.h"
#include "tools/mm01-run/Commands.h"

#include <cstdio>
#include <unistd.h>

using namespace mm01;

Result<std::unique_ptr<Device>> mm01::openDevice(const std::string &target,
                                                 int threads) {
  if (target == "cpu")
    return std::unique_ptr<Device>(std::make_unique<CpuDevice>(threads));
  Result<std::unique_ptr<CudaDevice>> gpu = CudaDevice::open();
  MM01_RETURN_IF_FAILED(gpu);
  return std::unique_ptr<Device>(*std::move(gpu));
}

Result<std::unique_ptr<Model>>
Model::open(const std::string &path, const std::string &weights, int threads) {
  Result<Program> program = Program::open(path);
  MM01_RETURN_IF_FAILED(program);
  Result<std::unique_ptr<Device>> device =
      openDevice(program->manifest().target, threads);
  if (device.failed())
    return Status::error(path, ": ", device.message());
  std::unique_ptr<Model> model(
      new Model(*std::move(program), *std::move(device)));
  int64_t before = residentMemory();
  RandomHelpers helpers(model->loaded, model->runner);
  Result<Weights> bound = Weights::bind(model->loaded.manifest(), weights,
                                        *model->opened, &helpers);
  MM01_RETURN_IF_FAILED(bound);
  model->bound.emplace(*std::move(bound));
  model->memory = residentMemory() - before;
  return model;
}

Result<Tracing> Tracing::create(const std::string &file,
                                std::initializer_list<std::string> inputs) {
  Tracing tracing;
  if (file.empty())
    return tracing;
  MM01_RETURN_IF_FAILED(checkOutput(file, inputs));
  Result<TraceFile> created = TraceFile::create(file);
  MM01_RETURN_IF_FAILED(created);
  tracing.file.emplace(*std::move(created));
  return tracing;
}

Status Tracing::start(Device &device) {
  return file ? device.startTrace() : Status();
}

Status Tracing::finish(Device &device) {
  if (!file)
    return {};
  Result<Trace> trace = device.finishTrace();
  MM01_RETURN_IF_FAILED(trace);
  return file->write(*trace);
}

Progress::Progress(std::string label)
    : label(std::move(label)), terminal(isatty(STDERR_FILENO)) {}

Progress::~Progress() {
  if (terminal && percent >= 0)
    std::fprintf(stderr, "\r\033[K");
}

void Progress::show(int64_t done, int64_t total) {
  int now = total > 0 ? static_cast<int>(100.0 * done / total) : 100;
  if (!terminal || now == percent)
    return;
  percent = now;
  constexpr int width = 40;
  std::string bar(width * now / 100, '=');
  bar.resize(width, ' ');
  std::fprintf(stderr, "\r%s [%s] %3d%%", label.c_str(), bar.c_str(), now);
}

CLI::Option *mm01::addWeightsOption(CLI::App &command, std::string &weights) {
  return command.add_option("--weights", weights,
                            "a checkpoint (folder, index or safetensors file), "
                            "or random:SEED");
}
