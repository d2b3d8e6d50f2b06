//===- ReferenceOpInterface.td - ops that can be interpreted --*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_REFERENCE_REFERENCEOPINTERFACE_TD
#define MM01_CODEGEN_REFERENCE_REFERENCEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def Mm01_ReferenceOpInterface : OpInterface<"ReferenceOpInterface"> {
  let cppNamespace = "::mm01::reference";
  let description = [{
    An op that the reference interpreter can run. An op that works element by
    element on scalars gives `getLaneFunction`, and runs on scalars, on whole
    tensors and inside of linalg bodies; every other op gives `evaluate`. The
    implementations are external models in codegen/reference, so that dialects do
    not depend on the interpreter.
  }];
  let methods = [
    InterfaceMethod<[{
        Reads the operands from the frame, computes, and sets every result. An
        error is one line that begins with the op's location.
      }],
      "::llvm::Error", "evaluate", (ins "::mm01::reference::Frame &":$frame), "",
      "return ::mm01::reference::evaluateElementwise($_op.getOperation(), frame);">,
    InterfaceMethod<[{
        The op as a function of many elements at once; null for an op that is none.
      }],
      "::mm01::reference::LaneFunction", "getLaneFunction",
      (ins "const ::mm01::reference::Options &":$options), "", "return nullptr;">,
  ];
}

#endif // MM01_CODEGEN_REFERENCE_REFERENCEOPINTERFACE_TD
