//===- Level.cpp - which level of x86 a program needs ---------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/Level.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace llvm;

/// From low to high.
static constexpr StringLiteral kLevels[] = {"x86-64-v2", "x86-64-v3",
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

Expected<std::string> mm01::levelOfCpu(StringRef cpu) {
  SmallVector<StringRef> known;
  X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
  bool native = cpu == "native";
  if (!native && !is_contained(known, cpu)) {
    llvm::sort(known);
    return createStringError("--mcpu '" + cpu +
                             "' is unknown, expected native, " +
                             join(known, ", "));
  }
  StringMap<bool> features =
      native ? sys::getHostCPUFeatures() : featuresOfCpu(cpu);
  for (StringRef level : reverse(kLevels))
    if (hasLevel(features, level))
      return level.str();
  return createStringError("--mcpu '" + cpu +
                           "': the CPU has not all features of " + kLevels[0] +
                           ", expected this level at least");
}

bool mm01::levelHasFma(StringRef level) {
  return level == "x86-64-v3" || levelHasAvx512(level);
}

bool mm01::levelHasAvx512(StringRef level) { return level == "x86-64-v4"; }
