//===- InlinePtx.cpp - instructions that NVVM has no op for ---------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/tile/InlinePtx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

/// The register class of a type: f for float32, l for 64 bits, h for 16, else
/// r.
static char registerClass(Type type) {
  if (type.isF32())
    return 'f';
  if (isa<LLVM::LLVMPointerType>(type) || type.isInteger(64))
    return 'l';
  return type.isInteger(16) ? 'h' : 'r';
}

std::string mm01::ptxOperands(int64_t first, int64_t count) {
  std::string text;
  for (int64_t i = first; i < first + count; ++i)
    text += (i == first ? "$" : ", $") + std::to_string(i);
  return text;
}

SmallVector<Value> mm01::InlinePtx::emit(OpBuilder &builder,
                                         Location loc) const {
  SmallVector<Type> types(results);
  std::string constraints;
  auto add = [&](const std::string &constraint) {
    constraints += (constraints.empty() ? "" : ",") + constraint;
  };
  for (Value value : tied)
    types.push_back(value.getType());
  for (Type type : types)
    add(std::string("=") + registerClass(type));
  for (size_t i = 0; i < tied.size(); ++i)
    add(std::to_string(results.size() + i));
  for (Value value : inputs)
    add(std::string(1, registerClass(value.getType())));
  add("~{memory}");

  SmallVector<Value> operands(tied);
  llvm::append_range(operands, inputs);
  Type result;
  if (types.size() == 1)
    result = types.front();
  else if (types.size() > 1)
    result = LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
  auto statement = LLVM::InlineAsmOp::create(
      builder, loc, result ? TypeRange(result) : TypeRange(), operands, text,
      constraints, /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
  if (types.size() <= 1)
    return SmallVector<Value>(statement->getResults());
  SmallVector<Value> values;
  for (size_t i = 0; i < types.size(); ++i)
    values.push_back(
        LLVM::ExtractValueOp::create(builder, loc, statement->getResult(0), i));
  return values;
}
