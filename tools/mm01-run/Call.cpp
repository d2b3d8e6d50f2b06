//===- Call.cpp - mm01-run call ------------------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/mm01-run/Commands.h"
#include "tools/mm01-run/FileArguments.h"
#include "tools/mm01-run/Model.h"

#include <functional>
#include <span>

using namespace mm01;

namespace {

struct Options {
  std::string program, entry, in, out;
  int threads = 0;
  bool graph = false;
};

/// The first content of the arguments that an entry overwrites.
class TiedContents {
public:
  static Result<TiedContents> copy(Device &device, const EntrySpec &entry,
                                   std::span<const mm01_argument> arguments) {
    TiedContents contents;
    for (const ResultSpec &result : entry.results) {
      if (result.kind != ResultKind::Tied)
        continue;
      const ArgumentSpec &spec = entry.arguments[result.argument];
      const mm01_argument &argument = arguments[result.argument];
      std::vector<int64_t> shape(argument.shape,
                                 argument.shape + spec.shape.size());
      Piece &piece = contents.pieces.emplace_back();
      piece.place = argument.data;
      piece.bytes = tensorBytes(spec.type, shape).value_or(0);
      MM01_RETURN_IF_FAILED(piece.memory.reserve(
          device, std::max<int64_t>(piece.bytes, 1), "a tensor"));
      MM01_RETURN_IF_FAILED(
          device.copyWithin(piece.memory.data(), piece.place, piece.bytes));
    }
    return contents;
  }

  Status restore(Device &device) const {
    for (const Piece &piece : pieces)
      MM01_RETURN_IF_FAILED(
          device.copyWithin(piece.place, piece.memory.data(), piece.bytes));
    return {};
  }

private:
  struct Piece {
    void *place = nullptr;
    DeviceBuffer memory;
    int64_t bytes = 0;
  };
  std::vector<Piece> pieces;
};

/// Calls once, so that kernels are loaded, and then from a graph.
Status callFromGraph(Device &device, const EntrySpec &entry,
                     std::span<const mm01_argument> arguments,
                     const std::function<Status()> &call) {
  if (!device.canCapture())
    return Status::error("--graph: device ", device.name(),
                         " cannot capture its work");
  Result<TiedContents> first = TiedContents::copy(device, entry, arguments);
  MM01_RETURN_IF_FAILED(first);
  MM01_RETURN_IF_FAILED(call());
  MM01_RETURN_IF_FAILED(first->restore(device));
  Result<std::unique_ptr<DeviceGraph>> graph = device.capture(call);
  MM01_RETURN_IF_FAILED(graph);
  MM01_RETURN_IF_FAILED(device.replay(**graph));
  return device.synchronize();
}

Status run(const Options &options) {
  MM01_RETURN_IF_FAILED(
      checkOutput(options.out, {options.program, options.in}));
  Result<Program> program = Program::open(options.program);
  MM01_RETURN_IF_FAILED(program);
  Result<size_t> index = program->manifest().findEntry(options.entry);
  if (index.failed())
    return Status::error(options.program, ": ", index.message());
  const EntrySpec &entry = program->entry(*index);
  Result<std::unique_ptr<Device>> device =
      openDevice(program->manifest().target, options.threads);
  if (device.failed())
    return Status::error(options.program, ": ", device.message());
  Result<FileArguments> arguments =
      FileArguments::read(program->manifest(), entry, options.in, **device);
  MM01_RETURN_IF_FAILED(arguments);

  Executor executor(**device);
  ResultSink sink;
  auto call = [&] {
    return executor.run(*program, *index, arguments->arguments(), sink);
  };
  MM01_RETURN_IF_FAILED(
      options.graph
          ? callFromGraph(**device, entry, arguments->arguments(), call)
          : call());
  safetensors::Writer writer;
  MM01_RETURN_IF_FAILED(arguments->addResults(entry, sink, writer));
  return writer.write(options.out);
}

} // namespace

void mm01::addCallCommand(CLI::App &app, Action &action) {
  CLI::App *command = app.add_subcommand(
      "call",
      "Calls an entry with arguments from a file and writes its results "
      "to another.");
  auto options = std::make_shared<Options>();
  addProgramOption(*command, options->program);
  command->add_option("--entry", options->entry, "the entry to call")
      ->required()
      ->option_text("F");
  command
      ->add_option("--in", options->in,
                   "arg0, arg1 and so on; a ragged argument is arg<i>."
                   "seq_offsets, .past, .slot and .page_table")
      ->required()
      ->option_text("ARGS.safetensors");
  command->add_option("--out", options->out, "result0, result1 and so on")
      ->required()
      ->option_text("RESULTS.safetensors");
  addThreadsOption(*command, options->threads);
  command->add_flag("--graph", options->graph,
                    "call once and then from a graph, on a GPU");
  command->callback(
      [options, &action] { action = [options] { return run(*options); }; });
}
