//===- Cpu.h - which level of x86 a CPU has ---------------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TOOLS_MM01COMPILE_CPU_H
#define MM01_TOOLS_MM01COMPILE_CPU_H

#include "frontend/safetensors/Status.h"

#include <string>

namespace mm01 {

/// The highest level of x86 that a program for this CPU may use:
/// "x86-64-v2", "x86-64-v3" or "x86-64-v4". `name` is "native" for the machine
/// that runs the compiler, a level, or a CPU that LLVM knows ("znver4"). Fails
/// for other names and for CPUs below the lowest level.
Result<std::string> isaOfCpu(const std::string &name);

} // namespace mm01

#endif // MM01_TOOLS_MM01COMPILE_CPU_H
