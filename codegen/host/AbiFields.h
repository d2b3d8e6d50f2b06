//===- AbiFields.h - fields of the program ABI ------------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOST_ABIFIELDS_H
#define MM01_CODEGEN_HOST_ABIFIELDS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace mm01 {

/// `pointer + offset` bytes.
inline mlir::Value offsetPointer(mlir::OpBuilder &builder, mlir::Location loc,
                                 mlir::Value pointer, int64_t offset) {
  auto type = mlir::LLVM::LLVMPointerType::get(builder.getContext());
  return mlir::LLVM::GEPOp::create(
      builder, loc, type, builder.getI8Type(), pointer,
      llvm::ArrayRef<mlir::LLVM::GEPArg>{static_cast<int32_t>(offset)});
}

/// Reads a field of a structure of runtime/abi/program.h, at its offsetof. All
/// of them are constant during a call, so LLVM may move the read.
inline mlir::Value loadField(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value pointer, int64_t offset,
                             mlir::Type type) {
  return mlir::LLVM::LoadOp::create(
      builder, loc, type, offsetPointer(builder, loc, pointer, offset),
      /*alignment=*/0, /*isVolatile=*/false, /*isNonTemporal=*/false,
      /*isInvariant=*/true);
}

/// Reads a field that is a pointer.
inline mlir::Value loadPointer(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value pointer, int64_t offset) {
  return loadField(builder, loc, pointer, offset,
                   mlir::LLVM::LLVMPointerType::get(builder.getContext()));
}

} // namespace mm01

#endif // MM01_CODEGEN_HOST_ABIFIELDS_H
