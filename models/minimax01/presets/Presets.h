//===- Presets.h - models that need no config.json ------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_MODELS_MINIMAX01_PRESETS_PRESETS_H
#define MM01_MODELS_MINIMAX01_PRESETS_PRESETS_H

#include "frontend/config/ReadConfig.h"

namespace mm01 {

/// The names of docs/contract.md, "Presets with dimensions", sorted.
std::vector<llvm::StringRef> presetNames();

bool isPreset(llvm::StringRef name);

/// The text of a preset's config.json. A name that is no preset is an error
/// that lists those there are.
llvm::Expected<llvm::StringRef> presetConfig(llvm::StringRef name);

/// The preset's model, with overrides as in readConfig().
llvm::Expected<ModelConfig> readPreset(llvm::StringRef name,
                                       llvm::ArrayRef<std::string> overrides,
                                       ConfigWarning warn);

} // namespace mm01

#endif // MM01_MODELS_MINIMAX01_PRESETS_PRESETS_H
