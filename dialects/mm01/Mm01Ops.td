//===- Mm01Ops.td - every op of the mm01 dialect --------------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_OPS_TD
#define MM01_OPS_TD

include "dialects/mm01/Mm01AttentionOps.td"
include "dialects/mm01/Mm01CollectiveOps.td"
include "dialects/mm01/Mm01DenseOps.td"
include "dialects/mm01/Mm01MeshOps.td"
include "dialects/mm01/Mm01ModelOps.td"
include "dialects/mm01/Mm01MoeOps.td"
include "dialects/mm01/Mm01SamplingOps.td"

#endif // MM01_OPS_TD
