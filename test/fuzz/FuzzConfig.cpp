//===- FuzzConfig.cpp - reads damaged configurations ----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a config.json with overrides. An input is the text of the file and, a
// zero byte before each, what follows --set. A configuration that is accepted
// must survive being written and read again.
//
//===----------------------------------------------------------------------===//

#include "frontend/config/ReadConfig.h"
#include "test/fuzz/Support.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mm01;

static std::string printed(const ModelConfig &config) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(config.toJson());
  return text;
}

static llvm::Expected<ModelConfig> read(llvm::StringRef text,
                                        llvm::ArrayRef<std::string> overrides) {
  return parseConfig(text, "config.json", overrides, [](llvm::StringRef line) {
    fuzz::expect(!line.contains('\n'), "a warning of one line");
  });
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [file, rest] = llvm::StringRef(fuzz::text(data, size)).split('\0');
  std::vector<std::string> overrides;
  for (llvm::StringRef word; !rest.empty();) {
    std::tie(word, rest) = rest.split('\0');
    overrides.push_back(word.str());
  }
  llvm::Expected<ModelConfig> config = read(file, overrides);
  if (!config) {
    fuzz::expect(
        !llvm::StringRef(llvm::toString(config.takeError())).contains('\n'),
        "an error of one line");
    return 0;
  }
  fuzz::expect(config->parameterCount() > 0, "some parameters");
  for (int64_t layer : {int64_t(0), config->layerCount() - 1})
    fuzz::expect(config->slope(config->heads - 1, layer) > 0, "a decay");
  const std::string text = printed(*config);
  fuzz::expect(printed(llvm::cantFail(read(text, {}))) == text,
               "the configuration that was written");
  return 0;
}
