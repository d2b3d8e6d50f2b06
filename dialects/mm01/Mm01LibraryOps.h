//===- Mm01LibraryOps.h - ops that a device's library does ----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beside Mm01Dialect.h, for the few files that make or lower such an op.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_DIALECTS_MM01_MM01LIBRARYOPS_H
#define MM01_DIALECTS_MM01_MM01LIBRARYOPS_H

#include "dialects/mm01/Mm01Dialect.h"

#define GET_OP_CLASSES
#include "dialects/mm01/Mm01LibraryOps.h.inc"

#endif // MM01_DIALECTS_MM01_MM01LIBRARYOPS_H
