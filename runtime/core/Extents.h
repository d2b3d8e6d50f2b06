//===- Extents.h - extents of arguments that must be equal ---------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_EXTENTS_H
#define MM01_RUNTIME_CORE_EXTENTS_H

#include "runtime/abi/program.h"
#include "runtime/core/Manifest.h"

#include <span>

namespace mm01 {

/// Checks what the manifest says of the extents of the arguments, one per
/// argument of the entry: kernels index all their operands alike and check
/// nothing. The message says which argument has which extent, what was expected
/// and which other argument says so.
Status checkExtents(const EntrySpec &entry,
                    std::span<const mm01_argument> arguments);

} // namespace mm01

#endif // MM01_RUNTIME_CORE_EXTENTS_H
