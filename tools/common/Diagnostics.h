//===- Diagnostics.h - MLIR diagnostics as one line -------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TOOLS_COMMON_DIAGNOSTICS_H
#define MM01_TOOLS_COMMON_DIAGNOSTICS_H

#include "frontend/safetensors/Status.h"

#include "mlir/IR/Diagnostics.h"

namespace mm01 {

/// While it lives, keeps the first error that is reported in the context and
/// swallows everything else: what follows the first is seldom of use, and a
/// tool prints one line.
class FirstError {
public:
  explicit FirstError(mlir::MLIRContext &context);

  /// The error as "FILE:LINE:COLUMN: message", or a general one.
  Status status() const;

private:
  mlir::ScopedDiagnosticHandler handler;
  std::string first;
};

} // namespace mm01

#endif // MM01_TOOLS_COMMON_DIAGNOSTICS_H
