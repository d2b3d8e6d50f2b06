//===- Chips.cpp - figures of the chips that programs are made for --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tile/Chips.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"

static constexpr mm01::Chip kChips[] = {
    {"h20", 78, 232448, 4000, 1500, 65536, 240},
    {"h100", 132, 232448, 3350, 1500, 65536, 240},
    {"h200", 132, 232448, 4800, 1500, 65536, 240},
    {"h800", 132, 232448, 3350, 1500, 65536, 240},
};

llvm::ArrayRef<mm01::Chip> mm01::chips() { return kChips; }

const mm01::Chip *mm01::findChip(llvm::StringRef name) {
  const Chip *chip =
      llvm::find_if(kChips, [&](const Chip &c) { return c.name == name; });
  return chip == std::end(kChips) ? nullptr : chip;
}

std::string mm01::chipNames() {
  std::string names;
  for (const Chip &chip : kChips) {
    if (!names.empty())
      names += &chip == std::end(kChips) - 1 ? " or " : ", ";
    names += chip.name;
  }
  return names;
}

llvm::FailureOr<const mm01::Chip *> mm01::chipOf(mlir::Operation *op,
                                                 llvm::StringRef name) {
  // The kernels of a GPU are in a module of their own, inside the program's.
  for (mlir::Operation *at = op; at; at = at->getParentOp())
    if (auto attr = at->getAttrOfType<mlir::StringAttr>(kChipAttr)) {
      name = attr.getValue();
      break;
    }
  if (const Chip *chip = findChip(name))
    return chip;
  op->emitError("no chip is called '") << name << "', expected " << chipNames();
  return mlir::failure();
}
