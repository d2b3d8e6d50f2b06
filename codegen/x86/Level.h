//===- Level.h - which level of x86 a program needs -------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is made for one of the levels that the psABI of x86-64 defines:
// x86-64-v2, x86-64-v3 (AVX2, FMA) or x86-64-v4 (AVX-512). The runtime refuses
// a program whose level the machine lacks.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_X86_LEVEL_H
#define MM01_CODEGEN_X86_LEVEL_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mm01 {

/// The highest level that a program for a CPU may use. `cpu` is "native" for
/// the machine that runs the compiler, a level, or a CPU that LLVM knows
/// ("znver4"). Fails for other names, listing the known ones, and for CPUs
/// below x86-64-v2.
llvm::Expected<std::string> levelOfCpu(llvm::StringRef cpu);

/// Whether every machine of a level multiplies and adds in one instruction.
bool levelHasFma(llvm::StringRef level);

/// Whether every machine of a level has vectors of 512 bits.
bool levelHasAvx512(llvm::StringRef level);

} // namespace mm01

#endif // MM01_CODEGEN_X86_LEVEL_H
