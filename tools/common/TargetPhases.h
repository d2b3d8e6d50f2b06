//===- TargetPhases.h - the passes of each phase for a target -------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TOOLS_COMMON_TARGETPHASES_H
#define MM01_TOOLS_COMMON_TARGETPHASES_H

#include "passes/pipelines/Pipelines.h"

namespace mm01 {

/// What mm01-compile runs for target cpu and mm01-opt replays as
/// mm01-phase-NAME.
PhasePasses cpuPhasePasses();

/// The same for target sm_90a, and mm01-sm_90a-phase-NAME.
PhasePasses hopperPhasePasses();

} // namespace mm01

#endif // MM01_TOOLS_COMMON_TARGETPHASES_H
