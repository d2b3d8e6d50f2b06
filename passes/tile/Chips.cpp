//===- Chips.cpp - figures of the chips that programs are made for --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tile/Chips.h"

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
