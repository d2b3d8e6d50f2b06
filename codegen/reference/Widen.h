//===- Widen.h - elements of files as float64 or int64 --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_REFERENCE_WIDEN_H
#define MM01_CODEGEN_REFERENCE_WIDEN_H

#include "frontend/safetensors/ElementType.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstddef>

namespace mm01::reference {

/// True for F64, F32, F16 and BF16.
bool isFloat(safetensors::ElementType type);

/// Reads elements [first, first + to.size()) at `from` exactly. `type` must be
/// a float for the first and none for the second.
void widen(const std::byte *from, safetensors::ElementType type, int64_t first,
           llvm::MutableArrayRef<double> to);
void widen(const std::byte *from, safetensors::ElementType type, int64_t first,
           llvm::MutableArrayRef<int64_t> to);

} // namespace mm01::reference

#endif // MM01_CODEGEN_REFERENCE_WIDEN_H
