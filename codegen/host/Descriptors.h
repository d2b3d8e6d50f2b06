//===- Descriptors.h - memrefs as LLVM values -------------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOST_DESCRIPTORS_H
#define MM01_CODEGEN_HOST_DESCRIPTORS_H

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace mm01 {

/// How types of a program become types of LLVM: as upstream does, and ragged
/// batches, weights and tensor maps as pointers.
void addProgramTypes(mlir::LLVMTypeConverter &converter);

/// A value as what crosses the C interface: a memref is its aligned pointer and
/// those of its offset, sizes and strides that its type leaves open, everything
/// else is one value of LLVM type.
llvm::SmallVector<mlir::Value> flatten(mlir::OpBuilder &builder,
                                       mlir::Location loc,
                                       const mlir::LLVMTypeConverter &converter,
                                       mlir::Value value);

/// The types of flatten() of a value of this type.
llvm::SmallVector<mlir::Type> flatten(const mlir::LLVMTypeConverter &converter,
                                      mlir::Type type);

/// The inverse of flatten().
mlir::Value unflatten(mlir::OpBuilder &builder, mlir::Location loc,
                      const mlir::LLVMTypeConverter &converter, mlir::Type type,
                      mlir::ValueRange parts);

/// A dense row-major memref: `sizes` are all its extents, as i64.
mlir::Value makeDense(mlir::OpBuilder &builder, mlir::Location loc,
                      const mlir::LLVMTypeConverter &converter,
                      mlir::MemRefType type, mlir::Value pointer,
                      mlir::ValueRange sizes);

/// An i64 constant of LLVM.
mlir::Value makeI64(mlir::OpBuilder &builder, mlir::Location loc,
                    int64_t value);

} // namespace mm01

#endif // MM01_CODEGEN_HOST_DESCRIPTORS_H
