//===- SerializeKernels.h - names of serialised kernels -------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOPPER_SERIALIZEKERNELS_H
#define MM01_CODEGEN_HOPPER_SERIALIZEKERNELS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mm01 {

/// The file that --dump-dir writes a global to that mm01-serialize-kernels has
/// made: "norm.ptx"; nothing for another global.
std::optional<std::string> getImageFile(llvm::StringRef global);

} // namespace mm01

#endif // MM01_CODEGEN_HOPPER_SERIALIZEKERNELS_H
