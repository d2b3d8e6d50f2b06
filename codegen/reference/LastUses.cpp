//===- LastUses.cpp - where a value is used for the last time -------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/LastUses.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace mlir;

namespace mm01::reference {

void LastUses::analyse(Block &block) {
  if (!analysed.insert(&block).second)
    return;
  llvm::DenseSet<mlir::Value> seen;
  for (Operation &op : llvm::reverse(block)) {
    SmallVector<mlir::Value, 2> last;
    for (mlir::Value result : op.getResults())
      if (seen.insert(result).second)
        last.push_back(result);
    op.walk([&](Operation *nested) {
      for (mlir::Value operand : nested->getOperands())
        if (operand.getParentBlock() == &block && seen.insert(operand).second)
          last.push_back(operand);
    });
    if (!last.empty())
      ending[&op] = std::move(last);
  }
}

ArrayRef<mlir::Value> LastUses::endingAt(Operation *op) {
  analyse(*op->getBlock());
  auto found = ending.find(op);
  return found == ending.end() ? ArrayRef<mlir::Value>() : found->second;
}

bool LastUses::isLast(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (!llvm::is_contained(endingAt(op), operand.get()))
    return false;
  int64_t uses = 0;
  op->walk([&](Operation *nested) {
    uses += llvm::count(nested->getOperands(), operand.get());
  });
  return uses == 1;
}

} // namespace mm01::reference
