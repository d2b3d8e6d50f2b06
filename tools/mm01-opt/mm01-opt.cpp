//===- mm01-opt.cpp - runs passes of the project on MLIR files --*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/exec/ExecDialect.h"
#include "dialects/mm01/Mm01Dialect.h"
#include "passes/schedule/Passes.h"
#include "passes/tiling/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  registry.insert<mm01::Mm01Dialect, mm01::exec::ExecDialect>();
  mm01::registerBufferizationModels(registry);
  mm01::registerSchedulePasses();
  mm01::registerTilingPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "mm01 optimizer driver\n", registry));
}
