//===- ConfigKeys.h - the keys of config.json that mm01 knows -------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_FRONTEND_CONFIG_CONFIGKEYS_H
#define MM01_FRONTEND_CONFIG_CONFIGKEYS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mm01 {

/// Keys that are read, under their released names: those that --set takes.
llvm::ArrayRef<llvm::StringRef> settableKeys();

/// Keys of either layout that are read.
bool isReadKey(llvm::StringRef key);

/// Keys that cannot change what the model computes and are not read.
bool isIgnoredKey(llvm::StringRef key);

} // namespace mm01

#endif // MM01_FRONTEND_CONFIG_CONFIGKEYS_H
