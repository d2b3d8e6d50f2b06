//===- ExtentOpInterface.td - ops that relate extents ---------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_GRAPH_EXTENTOPINTERFACE_TD
#define MM01_PASSES_GRAPH_EXTENTOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def Mm01_ExtentOpInterface : OpInterface<"ExtentOpInterface"> {
  let cppNamespace = "::mm01";
  let description = [{
    An op that needs extents to be equal which its types leave open. The
    implementations are external models in passes/graph. What a trait or another
    interface says already (results tied to destinations, the indexing maps of
    linalg, elementwise ops), ExtentRelations knows by itself.
  }];
  let methods = [
    InterfaceMethod<
      "Equates the extents that are equal in every execution that is valid.",
      "void", "relateExtents", (ins "::mm01::ExtentRelations &":$relations)>,
  ];
}

#endif // MM01_PASSES_GRAPH_EXTENTOPINTERFACE_TD
