//===- RaggedFields.h - fields of a ragged batch ----------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOST_RAGGEDFIELDS_H
#define MM01_CODEGEN_HOST_RAGGEDFIELDS_H

#include "codegen/host/AbiFields.h"
#include "dialects/mm01/Mm01Dialect.h"
#include "runtime/abi/program.h"

#include <cstddef>

namespace mm01 {

/// Reads an extent of a ragged batch, an i64.
inline mlir::Value loadRaggedSize(mlir::OpBuilder &builder, mlir::Location loc,
                                  mlir::Value ragged, RaggedExtent extent) {
  static constexpr int64_t offsets[] = {
      offsetof(mm01_ragged, tokens), offsetof(mm01_ragged, sequences),
      offsetof(mm01_ragged, pages), offsetof(mm01_ragged, several)};
  return loadField(builder, loc, ragged, offsets[static_cast<size_t>(extent)],
                   builder.getI64Type());
}

/// Reads an element of an array of a ragged batch, an i64:
/// `page_table[n * pages + p]` of the page table.
inline mlir::Value loadRaggedElement(mlir::OpBuilder &builder,
                                     mlir::Location loc, mlir::Value ragged,
                                     RaggedField field,
                                     mlir::ValueRange indices) {
  static constexpr int64_t offsets[] = {
      offsetof(mm01_ragged, seq_offsets),
      offsetof(mm01_ragged, past),
      offsetof(mm01_ragged, slot),
      offsetof(mm01_ragged, page_table),
      offsetof(mm01_ragged, token_sequence),
      offsetof(mm01_ragged, token_position),
      offsetof(mm01_ragged, several_sequence)};
  mlir::Type i32 = builder.getI32Type();
  mlir::Value index = indices.front();
  if (field == RaggedField::page_table) {
    mlir::Value pages =
        loadRaggedSize(builder, loc, ragged, RaggedExtent::pages);
    index = mlir::LLVM::MulOp::create(builder, loc, index, pages);
    index = mlir::LLVM::AddOp::create(builder, loc, index, indices.back());
  }
  mlir::Value array =
      loadPointer(builder, loc, ragged, offsets[static_cast<size_t>(field)]);
  mlir::Value element =
      mlir::LLVM::GEPOp::create(builder, loc, array.getType(), i32, array,
                                llvm::ArrayRef<mlir::LLVM::GEPArg>{index});
  mlir::Value value = loadField(builder, loc, element, 0, i32);
  return mlir::LLVM::SExtOp::create(builder, loc, builder.getI64Type(), value);
}

} // namespace mm01

#endif // MM01_CODEGEN_HOST_RAGGEDFIELDS_H
