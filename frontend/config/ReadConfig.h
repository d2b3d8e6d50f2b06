//===- ReadConfig.h - reads config.json in both layouts -------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_FRONTEND_CONFIG_READCONFIG_H
#define MM01_FRONTEND_CONFIG_READCONFIG_H

#include "frontend/config/ModelConfig.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mm01 {

/// Takes one line without a line break.
using ConfigWarning = llvm::function_ref<void(llvm::StringRef)>;

/// Reads the config.json `path`, or the one in the folder `path`. Each of
/// `overrides` is a KEY=VALUE of --set: KEY a released key name, VALUE JSON or,
/// failing that, a string. An override replaces what the file says under
/// either layout's name; null removes it.
///
/// A key that changes the model and is missing, or contradicts another, is an
/// error of one line: the file (or --set), the key, what was found and what was
/// expected. A key that is not known to leave the model as it is goes to
/// `warn`.
llvm::Expected<ModelConfig> readConfig(llvm::StringRef path,
                                       llvm::ArrayRef<std::string> overrides,
                                       ConfigWarning warn);

/// The same for the text of a config.json; `where` names it in messages.
llvm::Expected<ModelConfig> parseConfig(llvm::StringRef text,
                                        llvm::StringRef where,
                                        llvm::ArrayRef<std::string> overrides,
                                        ConfigWarning warn);

} // namespace mm01

#endif // MM01_FRONTEND_CONFIG_READCONFIG_H
