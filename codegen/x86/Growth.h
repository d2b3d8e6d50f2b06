//===- Growth.h - how an index moves with a loop ----------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_X86_GROWTH_H
#define MM01_CODEGEN_X86_GROWTH_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace mm01 {

/// By how much `value` grows with the variable of a loop around it while
/// `fixed` stays, if that is always the same.
std::optional<int64_t> growth(mlir::Value value, mlir::scf::ForOp loop,
                              mlir::Value fixed = {});

} // namespace mm01

#endif // MM01_CODEGEN_X86_GROWTH_H
