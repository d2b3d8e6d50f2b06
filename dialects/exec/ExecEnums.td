//===- ExecEnums.td - enums of the exec dialect ---------------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EXEC_ENUMS_TD
#define EXEC_ENUMS_TD

include "mlir/IR/EnumAttr.td"

def Exec_Sequences : I32EnumAttr<"Sequences", "sequences of a ragged batch that a launch is for", [
    I32EnumAttrCase<"several", 0>, I32EnumAttrCase<"single", 1>]> {
  let cppNamespace = "::mm01::exec";
  let genSpecializedAttr = 0;
}

#endif // EXEC_ENUMS_TD
