//===- PrintMemoryPlan.h - where a program's memory goes --------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_SCHEDULE_PRINTMEMORYPLAN_H
#define MM01_PASSES_SCHEDULE_PRINTMEMORYPLAN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace mm01 {

/// Prints, for a module of the scheduled phase, what each entry needs in bytes
/// and where each buffer of the arena lies, as formulas in the extents of the
/// arguments: T tokens, N sequences, P pages of a ragged batch, R rows of
/// logits, `argI[D]` any other extent. Formulas are Python, with
/// `ceildiv(a, b)` and `max(…)`.
void printMemoryPlan(mlir::ModuleOp module, mlir::raw_ostream &os);

} // namespace mm01

#endif // MM01_PASSES_SCHEDULE_PRINTMEMORYPLAN_H
