//===- CallOrder.h - host functions, callees before callers ----*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_SCHEDULE_CALLORDER_H
#define MM01_PASSES_SCHEDULE_CALLORDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mm01 {

/// The functions of a module that have a body and are no kernels, each behind
/// the functions it calls. Fails, with a diagnostic, on recursion and on calls
/// of functions without a body.
mlir::FailureOr<llvm::SmallVector<mlir::func::FuncOp>>
getHostFunctionsInCallOrder(mlir::ModuleOp module);

} // namespace mm01

#endif // MM01_PASSES_SCHEDULE_CALLORDER_H
