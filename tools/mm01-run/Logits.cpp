//===- Logits.cpp - mm01-run logits ---------------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs one sequence through the program in chunks and writes the logits of all
// its tokens.
//
//===----------------------------------------------------------------------===//

#include "frontend/safetensors/File.h"
#include "frontend/safetensors/Writer.h"
#include "runtime/session/Generate.h"
#include "tools/mm01-run/Commands.h"
#include "tools/mm01-run/Model.h"
#include "tools/mm01-run/Routes.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace mm01;

namespace {

struct LogitsFlags {
  std::string program;
  std::string weights;
  std::string ids; // FILE:TENSOR
  std::string output;
  std::string routes; // empty: none
  std::optional<int64_t> chunk;
  int threads = 0;
  bool graphs = true;
};

template <typename T>
Status widen(const safetensors::TensorInfo &tensor, std::vector<int32_t> &ids) {
  const T *data = reinterpret_cast<const T *>(tensor.data);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    if (!std::in_range<int32_t>(data[i]))
      return Status::error(tensor.file, ": ", tensor.name, ": element ", i,
                           " is ", data[i], ", expected a token id");
    ids.push_back(static_cast<int32_t>(data[i]));
  }
  return Status();
}

Result<std::vector<int32_t>> readIds(const std::string &reference) {
  size_t colon = reference.rfind(':');
  std::string path = reference.substr(0, colon);
  std::string name = reference.substr(colon + 1);
  Result<safetensors::File> file = safetensors::File::open(path);
  MM01_RETURN_IF_FAILED(file);
  const safetensors::TensorInfo *tensor = file->find(name);
  if (!tensor) {
    std::string names;
    for (const safetensors::TensorInfo &other : file->tensors())
      names += (names.empty() ? "" : ", ") + other.name;
    return Status::error(path, ": no tensor ", name, ", it has ",
                         names.empty() ? "none" : names);
  }
  if (tensor->shape.size() != 1 || tensor->shape[0] == 0)
    return Status::error(path, ": ", name, " has shape ",
                         safetensors::shapeText(tensor->shape),
                         ", expected [tokens] with at least one token");
  std::vector<int32_t> ids;
  Status status;
  switch (tensor->type) {
  case safetensors::ElementType::I32:
    status = widen<int32_t>(*tensor, ids);
    break;
  case safetensors::ElementType::I64:
    status = widen<int64_t>(*tensor, ids);
    break;
  case safetensors::ElementType::U16:
    status = widen<uint16_t>(*tensor, ids);
    break;
  case safetensors::ElementType::U8:
    status = widen<uint8_t>(*tensor, ids);
    break;
  default:
    status = Status::error(path, ": ", name, " has type ",
                           safetensors::dtypeName(tensor->type),
                           ", expected I32, I64, U16 or U8");
  }
  MM01_RETURN_IF_FAILED(status);
  return ids;
}

/// Feeds the tokens to one sequence and fills `output` [tokens, vocabulary].
Status computeLogits(Session &session, std::span<const int32_t> ids,
                     const Routes &routes, size_t chunk, float *output) {
  Result<SequenceId> sequence = session.createSequence();
  MM01_RETURN_IF_FAILED(sequence);
  Progress progress("logits");
  for (size_t done = 0; done < ids.size();) {
    size_t count = std::min(chunk, ids.size() - done);
    std::vector<int32_t> chosen = sliceRoutes(routes, ids.size(), done, count);
    StepItem item{*sequence, ids.subspan(done, count), LogitRows::All, chosen};
    Result<StepLogits> logits = session.step({&item, 1});
    MM01_RETURN_IF_FAILED(logits);
    std::memcpy(output + done * logits->vocabulary, logits->values.data(),
                logits->values.size_bytes());
    done += count;
    progress.show(done, ids.size());
  }
  return session.release(*sequence);
}

Status runLogits(const LogitsFlags &flags) {
  MM01_RETURN_IF_FAILED(checkOutput(
      flags.output, {flags.program, flags.weights,
                     flags.ids.substr(0, flags.ids.rfind(':')), flags.routes}));
  Result<std::vector<int32_t>> ids = readIds(flags.ids);
  MM01_RETURN_IF_FAILED(ids);
  Result<Manifest> manifest = Program::readManifest(flags.program);
  MM01_RETURN_IF_FAILED(manifest);
  Result<ForwardSpec> spec = ForwardSpec::find(*manifest);
  if (spec.failed())
    return Status::error(flags.program, ": ", spec.message());
  if (Status status = checkPrompts(*spec, {&*ids, 1}, 1); status.failed())
    return Status::error(flags.ids, ": ", status.message());
  int64_t chunk = flags.chunk.value_or(manifest->maxTokens);
  if (chunk > manifest->maxTokens)
    return Status::error("--prefill-chunk is ", chunk, ", ", flags.program,
                         " takes at most ", manifest->maxTokens,
                         " tokens in a call");

  int64_t tokens = static_cast<int64_t>(ids->size());
  Result<Routes> routes =
      readRoutes(flags.routes, flags.program, *manifest, *spec, tokens);
  MM01_RETURN_IF_FAILED(routes);
  AlignedBuffer output;
  std::vector<int64_t> shape = {tokens, spec->vocabulary};
  std::optional<int64_t> bytes = tensorBytes(ElementType::F32, shape);
  Status fits = bytes ? output.reserve(*bytes, "a tensor")
                      : Status::error("a tensor of this shape is too large");
  if (fits.failed())
    return Status::error("logits ", shapeText(shape), ": ", fits.message());
  Result<std::unique_ptr<Model>> model =
      Model::open(flags.program, flags.weights, flags.threads);
  MM01_RETURN_IF_FAILED(model);
  SessionOptions options;
  options.maxPositions = tokens;
  options.graphs = flags.graphs;
  Result<Session> session = Session::create(
      (*model)->program(), (*model)->weights(), (*model)->executor(), options);
  MM01_RETURN_IF_FAILED(session);
  MM01_RETURN_IF_FAILED(computeLogits(*session, *ids, *routes,
                                      static_cast<size_t>(chunk),
                                      static_cast<float *>(output.data())));

  safetensors::Writer writer;
  writer.add("logits", safetensors::ElementType::F32, shape, output.data());
  return writer.write(flags.output);
}

} // namespace

void mm01::addLogitsCommand(CLI::App &app, Action &action) {
  auto flags = std::make_shared<LogitsFlags>();
  CLI::App *command = app.add_subcommand(
      "logits", "write the logits of every token of a sequence");
  addProgramOption(*command, flags->program);
  addWeightsOption(*command, flags->weights)->required();
  command
      ->add_option("--ids", flags->ids,
                   "the token ids: a tensor [tokens] of a safetensors file")
      ->required()
      ->check(CLI::Validator(
          [](const std::string &text) {
            size_t colon = text.rfind(':');
            return colon != std::string::npos && colon > 0 &&
                           colon + 1 < text.size()
                       ? std::string()
                       : "'" + text + "' is no FILE:TENSOR";
          },
          "FILE:TENSOR"));
  command
      ->add_option("-o,--output", flags->output,
                   "the file to write: \"logits\" f32 [tokens, vocabulary]")
      ->required();
  command
      ->add_option("--prefill-chunk", flags->chunk,
                   "tokens of one call; as many as the program takes when it "
                   "is not given")
      ->check(
          CLI::Range(int64_t{1}, int64_t{std::numeric_limits<int32_t>::max()}));
  command
      ->add_option("--replay-routes", flags->routes,
                   "the experts of each token, as mm01-interpret "
                   "--record-routes writes them, for a program compiled "
                   "with --given-routes")
      ->option_text("FILE");
  addThreadsOption(*command, flags->threads);
  addGraphsOption(*command, flags->graphs);
  command->callback(
      [=, &action] { action = [flags] { return runLogits(*flags); }; });
}
