//===- Dialects.cpp - every dialect that a tool may read ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/common/Dialects.h"

#include "dialects/exec/ExecDialect.h"
#include "dialects/mm01/Mm01Dialect.h"
#include "dialects/tile/TileDialect.h"
#include "passes/schedule/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

void mm01::registerDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<Mm01Dialect, exec::ExecDialect, tile::TileDialect>();
  registerBufferizationModels(registry);
}
