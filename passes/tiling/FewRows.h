//===- FewRows.h - products that are done for few rows alone ----*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILING_FEWROWS_H
#define MM01_PASSES_TILING_FEWROWS_H

#include "llvm/ADT/StringRef.h"

namespace mm01 {

/// On a mm01.linear, a number of rows: where x has more, `out` holds the result
/// already, and the op may do it again or not.
inline constexpr llvm::StringLiteral kFewRowsAttr = "mm01.few_rows";

} // namespace mm01

#endif // MM01_PASSES_TILING_FEWROWS_H
