//===- LightningDecode.h - single tokens of lightning attention -*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILING_LIGHTNINGDECODE_H
#define MM01_PASSES_TILING_LIGHTNINGDECODE_H

#include "llvm/ADT/StringRef.h"

namespace mm01 {

/// On mm01.lightning_attention and mm01.softmax_attention: sequences of exactly
/// one token are done by kernels before it, and the op leaves their rows of
/// `out` and their states as they are. mm01-form-lightning-decode and
/// mm01-form-softmax-decode set it.
inline constexpr llvm::StringLiteral kSkipSingleAttr = "mm01.skip_single";

} // namespace mm01

#endif // MM01_PASSES_TILING_LIGHTNINGDECODE_H
