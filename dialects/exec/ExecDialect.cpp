//===- ExecDialect.cpp - attributes and registration of the exec dialect --===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/exec/ExecDialect.h"
#include "dialects/exec/ExecLibraryOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mm01::exec;

#include "dialects/exec/ExecDialect.cpp.inc"
#include "dialects/exec/ExecEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/exec/ExecAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/exec/ExecTypes.cpp.inc"

void ExecDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/exec/ExecTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/exec/ExecAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/exec/ExecOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/exec/ExecLibraryOps.cpp.inc"
      >();
}

LogicalResult FrameAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                AffineMap bytes, ArrayRef<int64_t> arguments,
                                ArrayRef<int64_t> extents) {
  if (bytes.getNumDims() != 0 || bytes.getNumResults() == 0)
    return emitError()
           << "a frame's map has symbols only and one result or more";
  if (arguments.size() != bytes.getNumSymbols() ||
      extents.size() != bytes.getNumSymbols())
    return emitError() << "a frame names one argument and one extent for each "
                          "of its map's "
                       << bytes.getNumSymbols() << " symbols";
  return success();
}

Value mm01::exec::getRagged(Operation *op) {
  Value ragged;
  llvm::SetVector<Value> used;
  used.insert_range(op->getOperands());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (Value value : used) {
    if (!isa<mm01::RaggedType>(value.getType()))
      continue;
    if (ragged)
      return {};
    ragged = value;
  }
  return ragged;
}

/// Checks the `exec.results` of a function: tied results name an argument.
static LogicalResult verifyResults(FunctionOpInterface function,
                                   Attribute value) {
  auto results = dyn_cast<ArrayAttr>(value);
  if (!results)
    return function->emitError("'exec.results' must be an array");
  for (Attribute result : results) {
    if (isa<FreshAttr>(result))
      continue;
    auto tied = dyn_cast<TiedAttr>(result);
    if (!tied)
      return function->emitError("'exec.results' holds ")
             << result << ", expected #exec.fresh or #exec.tied";
    int64_t argument = tied.getArgument();
    if (argument < 0 || argument >= function.getNumArguments())
      return function->emitError("result tied to argument ")
             << argument << ", but the function has "
             << function.getNumArguments();
  }
  return success();
}

LogicalResult ExecDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  if (attr.getName() == kManifestAttr) {
    if (!isa<ModuleOp>(op) || !isa<StringAttr>(attr.getValue()))
      return op->emitError("'exec.manifest' is a string on a module");
    return success();
  }
  if (attr.getName() == kTargetAttr) {
    if (!isa<ModuleOp>(op) || !isa<StringAttr>(attr.getValue()))
      return op->emitError("'exec.target' is a string on a module");
    return success();
  }
  if (attr.getName() == kSequencesAttr) {
    if (!isa<SequencesAttr>(attr.getValue()))
      return op->emitError("'exec.sequences' must be a #exec.sequences");
    if (!getRagged(op))
      return op->emitError("'exec.sequences' belongs on what takes exactly one "
                           "!mm01.ragged");
    return success();
  }
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitError("'")
           << attr.getName().getValue() << "' belongs on a function";
  if (attr.getName() == kKernelAttr) {
    ArrayRef<Type> arguments = function.getArgumentTypes();
    if (!isa<UnitAttr>(attr.getValue()) || arguments.empty() ||
        function.getNumResults() != 0)
      return op->emitError("a kernel takes its workgroup first and has no "
                           "results");
    return success();
  }
  if (attr.getName() == kScratchBytesAttr ||
      attr.getName() == kDynamicSharedBytesAttr) {
    auto bytes = dyn_cast<IntegerAttr>(attr.getValue());
    if (!bytes || !bytes.getType().isInteger(64) || bytes.getInt() < 0)
      return op->emitError("'")
             << attr.getName().getValue() << "' must be an i64, not negative";
    return success();
  }
  if (attr.getName() == kResultsAttr)
    return verifyResults(function, attr.getValue());
  if (attr.getName() == kFrameAttr) {
    if (!isa<FrameAttr>(attr.getValue()))
      return op->emitError("'exec.frame' must be a #exec.frame");
    return success();
  }
  return op->emitError("unknown attribute '")
         << attr.getName().getValue() << "'";
}
