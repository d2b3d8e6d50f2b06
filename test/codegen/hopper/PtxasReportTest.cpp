//===- PtxasReportTest.cpp - what the assembler must not say --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/hopper/Ptxas.h"

#include <gtest/gtest.h>

using namespace mm01;

namespace {

constexpr const char *clean =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
    "ptxas info    : Function properties for k\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 12 registers, used 1 barriers\n";

std::string check(const std::string &report) {
  return llvm::toString(checkReport(report, "k"));
}

} // namespace

TEST(PtxasReport, AcceptsACleanKernel) {
  EXPECT_EQ(check(clean), "");
  EXPECT_EQ(check(""), "");
}

TEST(PtxasReport, RefusesSpills) {
  EXPECT_EQ(check("    64 bytes stack frame, 24 bytes spill stores, 48 bytes "
                  "spill loads\n"),
            "kernel k: registers are spilled: 24 bytes stored and 48 loaded, "
            "expected none");
}

TEST(PtxasReport, RefusesLocalMemory) {
  EXPECT_EQ(check("    64 bytes stack frame, 0 bytes spill stores, 0 bytes "
                  "spill loads\n"),
            "kernel k: 64 bytes of local memory, expected none");
}

TEST(PtxasReport, RefusesSerialisedProducts) {
  std::string note =
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async "
      "instructions are serialized due to insufficient register resources for "
      "the wgmma pipeline in the function 'k'\n";
  std::string refused = check(clean + note);
  EXPECT_NE(refused.find("kernel k: the assembler notes"), std::string::npos);
  EXPECT_NE(refused.find("C7510"), std::string::npos);
  EXPECT_EQ(refused.find('\n'), std::string::npos);
}
