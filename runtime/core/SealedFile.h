//===- SealedFile.h - the checked file of a program ----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_SEALEDFILE_H
#define MM01_RUNTIME_CORE_SEALEDFILE_H

#include "frontend/safetensors/Status.h"

#include <string>

namespace mm01 {

/// Reads the manifest out of the program at `path` after checking, in this
/// order, that it is a regular file, a 64-bit x86 ELF shared object whose
/// section table lies inside the file, that it has the two sections of
/// runtime/abi/program.h, and that its seal names this ABI version, the file's
/// size and the file's checksum. The dynamic loader trusts what it maps, so a
/// file that fails here must not reach it.
Result<std::string> readSealedManifest(const std::string &path);

} // namespace mm01

#endif // MM01_RUNTIME_CORE_SEALEDFILE_H
