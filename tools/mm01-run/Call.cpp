//===- Call.cpp - mm01-run call ------------------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/mm01-run/Commands.h"
#include "tools/mm01-run/FileArguments.h"
#include "tools/mm01-run/Model.h"

using namespace mm01;

namespace {

struct Options {
  std::string program, entry, in, out;
  int threads = 0;
};

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
  MM01_RETURN_IF_FAILED(
      executor.run(*program, *index, arguments->arguments(), sink));
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
  command->callback(
      [options, &action] { action = [options] { return run(*options); }; });
}
