//===- Quantize.h - int8 weights of the reference -------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_REFERENCE_QUANTIZE_H
#define MM01_CODEGEN_REFERENCE_QUANTIZE_H

#include "codegen/reference/InterpreterValue.h"

#include "llvm/Support/Error.h"

namespace mm01::reference {

/// A weight of floats as the int8 weight of the same shape, as the runtime
/// binds it: the same elements and scales, bit by bit (docs/contract.md, "int8
/// parameters"). Fails, naming the row, for an infinity or a NaN.
llvm::Expected<Weight> quantize(const Weight &weight);

} // namespace mm01::reference

#endif // MM01_CODEGEN_REFERENCE_QUANTIZE_H
