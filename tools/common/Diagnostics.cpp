//===- Diagnostics.cpp - MLIR diagnostics as one line ---------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/common/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mm01;

/// "FILE:LINE:COLUMN: ", the name that the builder of a model gave, or nothing.
static std::string place(Location location) {
  std::string text;
  location->walk([&](Location inner) {
    llvm::raw_string_ostream stream(text);
    if (auto file = dyn_cast<FileLineColLoc>(inner))
      stream << file.getFilename().getValue() << ":" << file.getLine() << ":"
             << file.getColumn() << ": ";
    else if (auto name = dyn_cast<NameLoc>(inner))
      stream << name.getName().getValue() << ": ";
    return text.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return text;
}

static std::string oneLine(Diagnostic &diagnostic) {
  std::string text = place(diagnostic.getLocation());
  llvm::raw_string_ostream(text) << diagnostic;
  return StringRef(text).split('\n').first.str();
}

FirstError::FirstError(MLIRContext &context)
    : handler(&context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            first.empty())
          first = oneLine(diagnostic);
        return success();
      }) {}

Status FirstError::status() const {
  return Status::error(first.empty() ? "the module cannot be compiled" : first);
}
