//===- Presets.cpp - models that need no config.json ----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Test: test/models/minimax01/presets/PresetsTest.cpp
//
//===----------------------------------------------------------------------===//

#include "models/minimax01/presets/Presets.h"
#include "models/minimax01/presets/PresetTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mm01;

static const detail::PresetRow *find(llvm::StringRef name) {
  auto table = detail::presetTable();
  const auto *row = llvm::find_if(
      table, [&](const detail::PresetRow &row) { return row.name == name; });
  return row == table.end() ? nullptr : row;
}

std::vector<llvm::StringRef> mm01::presetNames() {
  std::vector<llvm::StringRef> names;
  for (const detail::PresetRow &row : detail::presetTable())
    names.push_back(row.name);
  return names;
}

bool mm01::isPreset(llvm::StringRef name) { return find(name); }

llvm::Expected<llvm::StringRef> mm01::presetConfig(llvm::StringRef name) {
  if (const detail::PresetRow *row = find(name))
    return row->config;
  return llvm::createStringError("'" + name +
                                 "' is no preset, expected one of " +
                                 llvm::join(presetNames(), " "));
}

llvm::Expected<ModelConfig>
mm01::readPreset(llvm::StringRef name, llvm::ArrayRef<std::string> overrides,
                 ConfigWarning warn) {
  llvm::Expected<llvm::StringRef> text = presetConfig(name);
  if (!text)
    return text.takeError();
  return parseConfig(*text, ("preset " + name).str(), overrides, warn);
}
