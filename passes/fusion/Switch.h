//===- Switch.h - which fusion passes a module wants ----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module says in an attribute which fusion passes run, so that a dump says
// all that its replay needs:
//
//     module attributes {mm01.fusion = ["rows", "twins"]} {…}
//
// Without the attribute all of them run.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_FUSION_SWITCH_H
#define MM01_PASSES_FUSION_SWITCH_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace mm01 {

/// An array of the names below, on the module.
inline constexpr llvm::StringLiteral kFusionAttr = "mm01.fusion";

/// What may be in the array. "attention" keeps lightning attention one kernel,
/// which mm01-split-lightning makes several of without it; each of the others
/// is a pass mm01-fuse-NAME, "launches" also mm01-form-branches and what
/// mm01-form-lightning-programs does for branches.
inline constexpr llvm::StringLiteral kFusions[] = {"attention", "rows", "twins",
                                                   "consumers", "launches"};

/// True where the module wants the fusion of this name.
inline bool wantsFusion(mlir::Operation *module, llvm::StringRef name) {
  auto wanted = module->getAttrOfType<mlir::ArrayAttr>(kFusionAttr);
  return !wanted ||
         llvm::is_contained(wanted, mlir::Attribute(mlir::StringAttr::get(
                                        module->getContext(), name)));
}

} // namespace mm01

#endif // MM01_PASSES_FUSION_SWITCH_H
