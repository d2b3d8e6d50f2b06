//===- CostTest.cpp - costs of the mm01 ops, computed by hand ---*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/mm01/Mm01Dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mm01;

namespace {

/// 10 tokens of 2 sequences, 3 rows of logits, 20 routed rows, 100 keys each.
constexpr CostSizes kSizes = {/*tokens=*/10, /*sequences=*/2, /*routed=*/20,
                              /*rows=*/3, /*context=*/100};

class CostTest : public ::testing::Test {
protected:
  CostTest() { context.loadDialect<Mm01Dialect, func::FuncDialect>(); }

  /// The cost of the one costly op in a function with these arguments.
  OpCost costOf(const std::string &arguments, const std::string &op,
                const CostSizes &sizes = kSizes) {
    std::string text = "mm01.mesh @world <tp = 4>\n"
                       "mm01.process_group @TP over @world axes [\"tp\"]\n"
                       "func.func @f(" +
                       arguments + ") {\n  " + op + "\n  return\n}\n";
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text, ParserConfig(&context));
    OpCost cost;
    int found = 0;
    if (module)
      module->walk([&](CostOpInterface costly) {
        cost = costly.getCost(sizes);
        ++found;
      });
    EXPECT_EQ(found, 1) << text;
    return cost;
  }

  void expectCost(const OpCost &cost, double flops, double read, double written,
                  double sent = 0) {
    EXPECT_DOUBLE_EQ(cost.flops, flops);
    EXPECT_DOUBLE_EQ(cost.bytesRead, read);
    EXPECT_DOUBLE_EQ(cost.bytesWritten, written);
    EXPECT_DOUBLE_EQ(cost.bytesSent, sent);
  }

  MLIRContext context;
};

TEST_F(CostTest, Embedding) {
  // Ids of 4 bytes, and one row of 64 bf16 each.
  expectCost(costOf("%i: tensor<?xi32>, %w: !mm01.weight<256x64xbf16>, "
                    "%o: tensor<?x64xf32>",
                    "%0 = mm01.embedding %i, %w into %o : tensor<?xi32>, "
                    "!mm01.weight<256x64xbf16> into tensor<?x64xf32>"),
             0, 10 * (4 + 64 * 2), 10 * 64 * 4);
}

TEST_F(CostTest, RmsNorm) {
  expectCost(costOf("%x: tensor<?x64xf32>, %w: !mm01.weight<64xbf16>, "
                    "%o: tensor<?x64xbf16>",
                    "%0 = mm01.rms_norm %x, %w into %o {eps = 1.0e-5} : "
                    "tensor<?x64xf32>, !mm01.weight<64xbf16> into "
                    "tensor<?x64xbf16>"),
             4 * 10 * 64, 10 * 64 * 4 + 64 * 2, 10 * 64 * 2);
}

TEST_F(CostTest, Linear) {
  expectCost(costOf("%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xbf16>, "
                    "%o: tensor<?x96xf32>",
                    "%0 = mm01.linear %x, %w into %o : tensor<?x64xf32>, "
                    "!mm01.weight<96x64xbf16> into tensor<?x96xf32>"),
             2 * 10 * 96 * 64, 10 * 64 * 4 + 96 * 64 * 2, 10 * 96 * 4);
}

TEST_F(CostTest, LinearInt8) {
  // A byte an element, and a float32 scale for each of 96 rows.
  expectCost(costOf("%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xi8>, "
                    "%o: tensor<?x96xf32>",
                    "%0 = mm01.linear %x, %w into %o : tensor<?x64xf32>, "
                    "!mm01.weight<96x64xi8> into tensor<?x96xf32>"),
             2 * 10 * 96 * 64, 10 * 64 * 4 + 96 * 64 + 96 * 4, 10 * 96 * 4);
}

TEST_F(CostTest, StaticExtentsWin) {
  // Five tokens, whatever the caller says.
  expectCost(costOf("%x: tensor<5x64xf32>, %w: !mm01.weight<96x64xbf16>, "
                    "%o: tensor<5x96xf32>",
                    "%0 = mm01.linear %x, %w into %o : tensor<5x64xf32>, "
                    "!mm01.weight<96x64xbf16> into tensor<5x96xf32>"),
             2 * 5 * 96 * 64, 5 * 64 * 4 + 96 * 64 * 2, 5 * 96 * 4);
}

TEST_F(CostTest, Head) {
  // Only the three rows that are wanted are read and projected.
  expectCost(costOf("%x: tensor<?x64xf32>, %r: tensor<?xi32>, "
                    "%w: !mm01.weight<256x64xbf16>, %o: tensor<?x256xf32>",
                    "%0 = mm01.head %x, %r, %w into %o : tensor<?x64xf32>, "
                    "tensor<?xi32>, !mm01.weight<256x64xbf16> into "
                    "tensor<?x256xf32>"),
             2 * 3 * 256 * 64, 3 * (64 * 4 + 4) + 256 * 64 * 2, 3 * 256 * 4);
}

TEST_F(CostTest, Rotary) {
  // 16 of 32 features of 4 heads; the others are copied.
  expectCost(costOf("%x: tensor<?x4x32xf32>, %r: !mm01.ragged, "
                    "%o: tensor<?x4x32xf32>",
                    "%0 = mm01.rotary %x, %r into %o {rotary_dim = 16, theta = "
                    "1.0e7} : tensor<?x4x32xf32> into tensor<?x4x32xf32>"),
             3 * 10 * 4 * 16, 10 * 4 * 32 * 4, 10 * 4 * 32 * 4);
}

TEST_F(CostTest, LightningAttention) {
  // The states of two slots of one layer are read and written.
  double state = 4 * 32 * 32, tokens = 10 * 4 * 32 * 4;
  expectCost(costOf("%q: tensor<?x4x32xf32>, %s: tensor<4xf32>, "
                    "%r: !mm01.ragged, %l: index, %o: tensor<?x4x32xf32>, "
                    "%st: tensor<7x?x4x32x32xf32>",
                    "%0, %1 = mm01.lightning_attention %q, %q, %q, %s, %r, %l "
                    "into %o, %st : tensor<?x4x32xf32>, tensor<4xf32> into "
                    "tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>"),
             4 * 10 * state, 3 * tokens + 4 * 4 + 2 * state * 4,
             tokens + 2 * state * 4);
}

TEST_F(CostTest, CacheUpdate) {
  // Tokens in f32, the cache in bf16.
  expectCost(costOf("%k: tensor<?x2x32xf32>, %r: !mm01.ragged, %l: index, "
                    "%c: tensor<1x?x64x2x32xbf16>",
                    "%0, %1 = mm01.cache_update %k, %k, %r, %l into %c, %c : "
                    "tensor<?x2x32xf32> into tensor<1x?x64x2x32xbf16>"),
             0, 2 * 10 * 2 * 32 * 4, 2 * 10 * 2 * 32 * 2);
}

TEST_F(CostTest, SoftmaxAttention) {
  const char *arguments = "%q: tensor<?x4x32xf32>, %c: "
                          "tensor<1x?x64x2x32xbf16>, %r: !mm01.ragged, "
                          "%l: index, %o: tensor<?x4x32xf32>";
  const char *op = "%0 = mm01.softmax_attention %q, %c, %c, %r, %l into %o "
                   "{scale = 0.125} : tensor<?x4x32xf32>, "
                   "tensor<1x?x64x2x32xbf16> into tensor<?x4x32xf32>";
  // Five tokens a sequence that attend to 98, …, 102 keys: 102 keys each.
  double pairs = 10 * 100 * 4, row = 2 * 32 * 2, tokens = 10 * 4 * 32 * 4;
  expectCost(costOf(arguments, op), pairs * (4 * 32 + 1),
             tokens + 2 * (2 * 102) * row, tokens);
  // A decode step: each sequence reads the 100 keys that its token attends to.
  CostSizes decode = kSizes;
  decode.tokens = 2;
  EXPECT_DOUBLE_EQ(costOf(arguments, op, decode).bytesRead,
                   2 * 4 * 32 * 4 + 2 * (2 * 100) * row);
}

TEST_F(CostTest, Route) {
  expectCost(costOf("%l: tensor<?x4xf32>, %w: tensor<?x2xf32>, "
                    "%e: tensor<?x2xi32>",
                    "%0, %1 = mm01.route %l into %w, %e : tensor<?x4xf32> into "
                    "tensor<?x2xf32>, tensor<?x2xi32>"),
             3 * 10 * 4, 10 * 4 * 4, 10 * 2 * (4 + 4));
}

TEST_F(CostTest, Dispatch) {
  expectCost(costOf("%x: tensor<?x64xf32>, %e: tensor<?x2xi32>, "
                    "%r: tensor<?x64xf32>, %o: tensor<5xi32>, "
                    "%p: tensor<?x2xi32>",
                    "%0, %1, %2 = mm01.dispatch %x, %e into %r, %o, %p : "
                    "tensor<?x64xf32>, tensor<?x2xi32> into tensor<?x64xf32>, "
                    "tensor<5xi32>, tensor<?x2xi32>"),
             0, 10 * 64 * 4 + 10 * 2 * 4, 20 * 64 * 4 + 5 * 4 + 10 * 2 * 4);
}

TEST_F(CostTest, GroupedLinear) {
  const char *arguments = "%r: tensor<?x64xf32>, %o: tensor<5xi32>, "
                          "%w: !mm01.weight<4x96x64xbf16>, "
                          "%y: tensor<?x96xf32>";
  const char *op = "%0 = mm01.grouped_linear %r, %o, %w into %y : "
                   "tensor<?x64xf32>, tensor<5xi32>, "
                   "!mm01.weight<4x96x64xbf16> into tensor<?x96xf32>";
  // As many rows as the dispatch wrote, not as there are tokens.
  expectCost(costOf(arguments, op), 2 * 20 * 96 * 64,
             20 * 64 * 4 + 5 * 4 + 4 * 96 * 64 * 2, 20 * 96 * 4);
  // One token for two experts reads the weights of two at most.
  CostSizes decode = kSizes;
  decode.routed = 2;
  EXPECT_DOUBLE_EQ(costOf(arguments, op, decode).bytesRead,
                   2 * 64 * 4 + 5 * 4 + 2 * 96 * 64 * 2);
}

TEST_F(CostTest, Combine) {
  expectCost(costOf("%r: tensor<?x64xf32>, %p: tensor<?x2xi32>, "
                    "%w: tensor<?x2xf32>, %o: tensor<?x64xf32>",
                    "%0 = mm01.combine %r, %p, %w into %o : tensor<?x64xf32>, "
                    "tensor<?x2xi32>, tensor<?x2xf32> into tensor<?x64xf32>"),
             2 * 20 * 64, 20 * 64 * 4 + 10 * 2 * (4 + 4), 10 * 64 * 4);
}

TEST_F(CostTest, Collectives) {
  auto sent = [&](const std::string &out, const std::string &op) {
    OpCost cost = costOf(
        "%x: tensor<8x64xf32>, %o: " + out + ", %t: !mm01.token<@TP>",
        "%p, %t1 = mm01." + op + " into %o after %t : tensor<8x64xf32> into " +
            out + ", !mm01.token<@TP>\n  %y = mm01.wait %p : !mm01.pending<" +
            out + ">\n  mm01.token_end %t1 : !mm01.token<@TP>");
    EXPECT_EQ(cost.flops, 0);
    return cost.bytesSent;
  };
  // Four ranks, tensors of 8·64·4 bytes.
  double bytes = 8 * 64 * 4;
  EXPECT_DOUBLE_EQ(sent("tensor<8x64xf32>", "all_reduce sum %x"),
                   2 * bytes * 3 / 4);
  EXPECT_DOUBLE_EQ(sent("tensor<32x64xf32>", "all_gather %x along 0"),
                   3 * bytes);
  EXPECT_DOUBLE_EQ(sent("tensor<2x64xf32>", "reduce_scatter sum %x along 0"),
                   bytes * 3 / 4);
  EXPECT_DOUBLE_EQ(sent("tensor<8x64xf32>", "all_to_all %x"), bytes * 3 / 4);
  EXPECT_DOUBLE_EQ(sent("tensor<8x64xf32>", "ring_shift %x by 1"), bytes);
}

} // namespace
