//===- Mm01Interfaces.td - what passes may ask of an op -------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_INTERFACES_TD
#define MM01_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Mm01_CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::mm01";
  let description = [{
    An op that says what one execution of it costs on an ideal machine: the
    arithmetic it cannot avoid and the bytes it must move when each operand is
    read and each result written once. Passes choose by it instead of switching
    over op names. Dynamic extents are given by the caller.
  }];
  let methods = [
    InterfaceMethod<
      "The cost for these sizes; 0 for an extent that the op does not have.",
      "::mm01::OpCost", "getCost", (ins "const ::mm01::CostSizes &":$sizes)>,
  ];
}

#endif // MM01_INTERFACES_TD
