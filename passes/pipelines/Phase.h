//===- Phase.h - the phases that a program passes -------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one list of phases: --compile-to, --dump-dir, the registered pipelines
// and the verify pass all follow it. See docs/architecture.md.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_PIPELINES_PHASE_H
#define MM01_PASSES_PIPELINES_PHASE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace mm01 {

/// In the order in which a program passes them. A phase is named after what
/// the module is when the phase is done.
enum class Phase { Graph, Grad, Spmd, Tiled, Scheduled, Kernels, Host };

/// All phases, in order.
llvm::ArrayRef<Phase> allPhases();

/// The name on command lines: "graph".
llvm::StringRef phaseName(Phase phase);

/// What the module holds after the phase, in one line.
llvm::StringRef phaseDescription(Phase phase);

/// The phase of this name, if there is one.
std::optional<Phase> parsePhase(llvm::StringRef name);

} // namespace mm01

#endif // MM01_PASSES_PIPELINES_PHASE_H
