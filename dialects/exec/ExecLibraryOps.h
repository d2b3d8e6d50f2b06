//===- ExecLibraryOps.h - ops that a device's library does ----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beside ExecDialect.h, for the few files that make or lower such an op.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_DIALECTS_EXEC_EXECLIBRARYOPS_H
#define MM01_DIALECTS_EXEC_EXECLIBRARYOPS_H

#include "dialects/exec/ExecDialect.h"

#define GET_OP_CLASSES
#include "dialects/exec/ExecLibraryOps.h.inc"

#endif // MM01_DIALECTS_EXEC_EXECLIBRARYOPS_H
