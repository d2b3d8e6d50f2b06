//===- PresetTable.h - the content of the preset files --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_MODELS_MINIMAX01_PRESETS_PRESETTABLE_H
#define MM01_MODELS_MINIMAX01_PRESETS_PRESETTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mm01::detail {

struct PresetRow {
  llvm::StringLiteral name;
  llvm::StringLiteral config; // a config.json in the released layout
};

/// Sorted by name.
llvm::ArrayRef<PresetRow> presetTable();

} // namespace mm01::detail

#endif // MM01_MODELS_MINIMAX01_PRESETS_PRESETTABLE_H
