//===- RefusalsTest.cpp - what the interpreter refuses --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/codegen/reference/Support.h"

#include "llvm/Support/Error.h"

using namespace mm01::reference;

namespace {

class RefusalsTest : public ReferenceTest {};

std::string raggedRefusal(std::vector<int64_t> offsets,
                          std::vector<int64_t> past, std::vector<int64_t> slot,
                          std::vector<int64_t> pageTable = {}) {
  auto ragged = Ragged::create(std::move(offsets), std::move(past),
                               std::move(slot), std::move(pageTable));
  return ragged ? "" : llvm::toString(ragged.takeError());
}

} // namespace

TEST_F(RefusalsTest, RaggedBatches) {
  EXPECT_EQ(raggedRefusal({0, 2}, {0, 0}, {0, 1}),
            "seq_offsets has 2 elements, expected one more than the 2 of past");
  EXPECT_EQ(raggedRefusal({0, 2, 3}, {0, 0}, {0}),
            "slot has 1 elements, expected as many as the 2 of past");
  EXPECT_EQ(raggedRefusal({0, 2, 3}, {0, 0}, {0, 1}, {0, 1, 2}),
            "page_table has 3 elements, expected rows for 2 sequences");
  EXPECT_EQ(raggedRefusal({1, 2}, {0}, {0}), "seq_offsets[0] is 1, expected 0");
  EXPECT_EQ(raggedRefusal({0, 2, 2}, {0, 0}, {0, 1}),
            "seq_offsets[2] is 2, expected more than 2");
  EXPECT_EQ(raggedRefusal({0, 2}, {-1}, {0}),
            "past[0] is -1, expected a position from 0 on that fits int32");
  EXPECT_EQ(raggedRefusal({0, 2}, {2147483646}, {0}),
            "past[0] is 2147483646, expected a position from 0 on that fits "
            "int32");
  EXPECT_EQ(raggedRefusal({0, 2}, {0}, {-3}),
            "slot[0] is -3, expected a slot from 0 on");
  EXPECT_EQ(raggedRefusal({0, 2, 3}, {0, 0}, {1, 1}),
            "slot[1] is 1, which another sequence has already");
  EXPECT_EQ(raggedRefusal({0}, {}, {}), "");
}

TEST_F(RefusalsTest, EntriesAndArguments) {
  parse("func.func @f(%t: tensor<?x2xf32>) { return }\n"
        "func.func private @g()");
  auto unknown = interpret(*module, "h", {});
  EXPECT_EQ(llvm::toString(unknown.takeError()),
            "test.mlir:0:0: 'builtin.module' has no function @h");
  auto external = interpret(*module, "g", {});
  EXPECT_EQ(llvm::toString(external.takeError()),
            "test.mlir:2:1: 'func.func' @g has no body to run");
  EXPECT_EQ(refusal({}),
            "test.mlir:1:1: 'func.func' @f got 0 arguments, expected 1");
  std::string other = "test.mlir:1:1: 'func.func' @f got another value as "
                      "argument 0, expected tensor<?x2xf32>";
  EXPECT_EQ(refusal({floats({2, 3}, {1, 2, 3, 4, 5, 6})}), other);
  EXPECT_EQ(refusal({floats({1, 2}, {1, 2}, "bf16")}), other);
  EXPECT_EQ(refusal({floats({2}, {1, 2})}), other);
  EXPECT_EQ(refusal({number(1)}), other);
  EXPECT_EQ(refusal({ragged({1}, {0}, {0})}), other);
}

TEST_F(RefusalsTest, OpsWithoutAReference) {
  parse(R"(func.func @f(%a: vector<2xf32>) {
    %b = arith.addf %a, %a : vector<2xf32>
    return
  })");
  EXPECT_EQ(refusal({number(1)}),
            "test.mlir:1:1: 'func.func' @f got another value as argument 0, "
            "expected vector<2xf32>");
  parse(R"(func.func @f(%t: tensor<2xf32>) {
    %0 = bufferization.to_buffer %t : tensor<2xf32> to memref<2xf32>
    return
  })");
  EXPECT_EQ(refusal({floats({2}, {1, 2})}),
            "test.mlir:2:10: 'bufferization.to_buffer' has no reference "
            "implementation");
}

TEST_F(RefusalsTest, TokensAndRows) {
  parse(
      R"(func.func @f(%ids: tensor<?xi32>, %table: !mm01.weight<3x2xf32>, %out: tensor<?x2xf32>) -> tensor<?x2xf32> {
    %x = mm01.embedding %ids, %table into %out : tensor<?xi32>, !mm01.weight<3x2xf32> into tensor<?x2xf32>
    return %x : tensor<?x2xf32>
  })");
  InterpreterValue table = weight("!mm01.weight<3x2xf32>", {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(
      refusal({integers({2}, {0, 3}), table, floats({2, 2}, {0, 0, 0, 0})}),
      "test.mlir:2:10: 'mm01.embedding' tokens[1] is 3, expected a number "
      "in [0, 3)");
  EXPECT_EQ(refusal({integers({1}, {-1}), table, floats({1, 2}, {0, 0})}),
            "test.mlir:2:10: 'mm01.embedding' tokens[0] is -1, expected a "
            "number in [0, 3)");
  EXPECT_EQ(refusal({integers({1}, {0}), table, floats({2, 2}, {0, 0, 0, 0})}),
            "test.mlir:2:10: 'mm01.embedding' out has the shape [2, 2], "
            "expected [1, 2]");
}

TEST_F(RefusalsTest, SlotsAndLayers) {
  parse(
      R"(func.func @f(%q: tensor<?x1x1xf32>, %slopes: tensor<1xf32>, %r: !mm01.ragged, %layer: index, %state: tensor<2x?x1x1x1xf32>) {
    %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %q, %state
      : tensor<?x1x1xf32>, tensor<1xf32> into tensor<?x1x1xf32>, tensor<2x?x1x1x1xf32>
    return
  })");
  InterpreterValue q = floats({1, 1, 1}, {1}), slopes = floats({1}, {0}),
                   state = floats({2, 1, 1, 1, 1}, {0, 0});
  EXPECT_EQ(refusal({q, slopes, ragged({1}, {0}, {1}), index(0), state}),
            "test.mlir:2:14: 'mm01.lightning_attention' slot[0] is 1, expected "
            "a number in [0, 1)");
  EXPECT_EQ(refusal({q, slopes, ragged({1}, {0}, {0}), index(2), state}),
            "test.mlir:2:14: 'mm01.lightning_attention' the layer is 2, "
            "expected a number in [0, 2)");
  EXPECT_EQ(refusal({q, slopes, ragged({2}, {0}, {0}), index(0), state}),
            "test.mlir:2:14: 'mm01.lightning_attention' q has the shape "
            "[1, 1, 1], expected [2, 1, 1]");
}

TEST_F(RefusalsTest, Pages) {
  parse(
      R"(func.func @f(%k: tensor<?x1x1xf32>, %r: !mm01.ragged, %layer: index, %keys: tensor<1x?x2x1x1xf32>, %values: tensor<1x?x2x1x1xf32>) {
    %a, %b = mm01.cache_update %k, %k, %r, %layer into %keys, %values : tensor<?x1x1xf32> into tensor<1x?x2x1x1xf32>
    return
  })");
  InterpreterValue k = floats({1, 1, 1}, {1}),
                   cache = floats({1, 2, 2, 1, 1}, {0, 0, 0, 0});
  EXPECT_EQ(refusal({k, ragged({1}, {2}, {0}, {0, 2}), index(0), cache, cache}),
            "test.mlir:2:14: 'mm01.cache_update' page_table[0, 1] is 2, "
            "expected a number in [0, 2)");
  EXPECT_EQ(refusal({k, ragged({1}, {2}, {0}, {0}), index(0), cache, cache}),
            "test.mlir:2:14: 'mm01.cache_update' sequence 0 needs 2 pages for "
            "its 3 positions, and page_table has 1");
}

TEST_F(RefusalsTest, Experts) {
  parse(
      R"(func.func @f(%rows: tensor<?x1xf32>, %o: tensor<3xi32>, %w: !mm01.weight<2x1x1xf32>, %p: tensor<?x1xi32>, %s: tensor<?x1xf32>) -> tensor<?x1xf32> {
    %y = mm01.grouped_linear %rows, %o, %w into %rows : tensor<?x1xf32>, tensor<3xi32>, !mm01.weight<2x1x1xf32> into tensor<?x1xf32>
    %z = mm01.combine %y, %p, %s into %s : tensor<?x1xf32>, tensor<?x1xi32>, tensor<?x1xf32> into tensor<?x1xf32>
    return %z : tensor<?x1xf32>
  })");
  InterpreterValue rows = floats({2, 1}, {1, 2}),
                   w = weight("!mm01.weight<2x1x1xf32>", {1, 1}),
                   share = floats({1, 1}, {1});
  EXPECT_EQ(refusal({rows, integers({3}, {0, 2, 1}), w, integers({1, 1}, {0}),
                     share}),
            "test.mlir:2:10: 'mm01.grouped_linear' expert 1 has rows [2, 1), "
            "expected part of [0, 2)");
  EXPECT_EQ(refusal({rows, integers({3}, {0, 1, 2}), w, integers({1, 1}, {2}),
                     share}),
            "test.mlir:3:10: 'mm01.combine' positions[0, 0] is 2, expected a "
            "number in [0, 2)");
}
