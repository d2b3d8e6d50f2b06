//===- Cpu.cpp - which level of x86 a CPU has -----------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/mm01-compile/Cpu.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace llvm;
using mm01::Result;
using mm01::Status;

/// From low to high.
static constexpr StringLiteral levels[] = {"x86-64-v2", "x86-64-v3",
                                           "x86-64-v4"};

/// The features that LLVM names for a CPU, with those that they imply.
static StringMap<bool> featuresOfCpu(StringRef name) {
  SmallVector<StringRef> named;
  X86::getFeaturesForCPU(name, named);
  StringMap<bool> features;
  for (StringRef feature : named) {
    features[feature] = true;
    X86::updateImpliedFeatures(feature, /*Enabled=*/true, features);
  }
  return features;
}

/// Whether a CPU with these features can run programs for the level. LLVM does
/// not list what every 64-bit CPU has, such as x87, for all of them.
static bool hasLevel(const StringMap<bool> &features, StringRef level) {
  StringMap<bool> common = featuresOfCpu("x86-64");
  StringMap<bool> needed = featuresOfCpu(level);
  return all_of(needed.keys(), [&](StringRef feature) {
    return common.contains(feature) || features.lookup(feature);
  });
}

Result<std::string> mm01::isaOfCpu(const std::string &name) {
  SmallVector<StringRef> known;
  X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
  bool native = name == "native";
  if (!native && !is_contained(known, name)) {
    llvm::sort(known);
    return Status::error("--mcpu '", name, "' is unknown, expected native, ",
                         join(known, ", "));
  }
  StringMap<bool> features =
      native ? sys::getHostCPUFeatures() : featuresOfCpu(name);
  for (StringRef level : reverse(levels))
    if (hasLevel(features, level))
      return level.str();
  return Status::error("--mcpu '", name, "': the CPU has not all features of ",
                       levels[0].str(), ", expected this level at least");
}
