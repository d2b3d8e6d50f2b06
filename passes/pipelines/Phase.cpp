//===- Phase.cpp - names and descriptions of the phases -------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/pipelines/Phase.h"

#include <array>

using namespace mm01;

namespace {
struct PhaseRow {
  Phase phase;
  llvm::StringLiteral name;
  llvm::StringLiteral description;
};

constexpr std::array<Phase, 7> phases = {
    Phase::Graph,     Phase::Grad,    Phase::Spmd, Phase::Tiled,
    Phase::Scheduled, Phase::Kernels, Phase::Host};

constexpr PhaseRow rows[] = {
    {Phase::Graph, "graph",
     "the model of one device: mm01 ops and upstream arithmetic on tensors, "
     "one function a kind of layer"},
    {Phase::Grad, "grad",
     "graph, and for training its backward and the optimiser's step"},
    {Phase::Spmd, "spmd",
     "the program of one rank: local shapes and collectives"},
    {Phase::Tiled, "tiled",
     "attention in blocks, and ops fused and outlined into kernels"},
    {Phase::Scheduled, "scheduled",
     "what the host does: buffers with lifetimes and launches of kernels"},
    {Phase::Kernels, "kernels",
     "as scheduled, with each kernel lowered to the target's instructions"},
    {Phase::Host, "host",
     "LLVM alone: kernels, entries and the manifest, ready to link"},
};
} // namespace

static const PhaseRow &rowOf(Phase phase) {
  return rows[static_cast<size_t>(phase)];
}

llvm::ArrayRef<Phase> mm01::allPhases() { return phases; }

llvm::StringRef mm01::phaseName(Phase phase) { return rowOf(phase).name; }

llvm::StringRef mm01::phaseDescription(Phase phase) {
  return rowOf(phase).description;
}

std::optional<Phase> mm01::parsePhase(llvm::StringRef name) {
  for (const PhaseRow &row : rows)
    if (row.name == name)
      return row.phase;
  return std::nullopt;
}
