//===- Link.h - links and seals a program -----------------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOST_LINK_H
#define MM01_CODEGEN_HOST_LINK_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace mm01 {

/// Links an object file into a shared object, in memory. All it may leave open
/// are functions of libm and libc, by the names that every glibc has.
llvm::Expected<std::vector<char>> linkShared(llvm::StringRef object);

/// Fills the section .mm01.seal of a shared object: the file's size and its
/// checksum (mm01_seal in runtime/abi/program.h).
llvm::Error seal(std::vector<char> &file);

/// Writes a file under a temporary name in its folder and renames it, so that
/// it appears whole or not at all. It must not be a device.
llvm::Error writeAtomically(llvm::StringRef path, llvm::StringRef content);

} // namespace mm01

#endif // MM01_CODEGEN_HOST_LINK_H
