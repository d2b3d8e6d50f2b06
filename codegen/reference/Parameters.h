//===- Parameters.h - weights out of a checkpoint -------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_REFERENCE_PARAMETERS_H
#define MM01_CODEGEN_REFERENCE_PARAMETERS_H

#include "codegen/reference/InterpreterValue.h"

#include "frontend/safetensors/Checkpoint.h"
#include "llvm/Support/Error.h"

namespace mm01::reference {

/// How the elements of a weight of floats are stored in files.
safetensors::ElementType storageType(WeightType type);

/// Binds `mm01.parameter`s to the tensors of a checkpoint, as the runtime does.
class Parameters {
public:
  static llvm::Expected<Parameters> open(const std::string &path);

  /// The weight that `symbol` declares where `from` is: of its sources the
  /// first whose tensors all exist. Fails where none does, and for a tensor of
  /// another shape or type than the source says.
  llvm::Expected<Weight> bind(mlir::Operation *from,
                              mlir::FlatSymbolRefAttr symbol) const;

private:
  using Checkpoint = safetensors::Checkpoint;

  explicit Parameters(std::shared_ptr<const Checkpoint> checkpoint)
      : checkpoint(std::move(checkpoint)) {}

  /// The tensors of a source, one, or one a part; empty if one is missing.
  std::vector<const safetensors::TensorInfo *> find(SourceAttr source,
                                                    int64_t parts) const;

  std::shared_ptr<const Checkpoint> checkpoint;
};

} // namespace mm01::reference

#endif // MM01_CODEGEN_REFERENCE_PARAMETERS_H
