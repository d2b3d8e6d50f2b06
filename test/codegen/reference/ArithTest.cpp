//===- ArithTest.cpp - scalars: arith, math, affine -----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/codegen/reference/Support.h"

#include <cmath>
#include <limits>

using namespace mm01::reference;

namespace {

class ArithTest : public ReferenceTest {
protected:
  /// Runs `%r = <op>` on %a and %b of one type.
  InterpreterValue apply(const std::string &op, const std::string &operand,
                         const std::string &result, InterpreterValue a,
                         InterpreterValue b) {
    parse("func.func @f(%a: " + operand + ", %b: " + operand + ") -> " +
          result + " {\n  %r = " + op + "\n  return %r : " + result + "\n}");
    Values results = run({a, b});
    return results.empty() ? index(0) : results[0];
  }

  int64_t integer(const std::string &op, const std::string &type, int64_t a,
                  int64_t b) {
    return std::get<Scalar>(
               apply(op + " %a, %b : " + type, type, type, index(a), index(b)))
        .i;
  }

  int64_t compare(const std::string &op, const std::string &type,
                  InterpreterValue a, InterpreterValue b) {
    return std::get<Scalar>(apply(op + ", %a, %b : " + type, type, "i1", a, b))
        .i;
  }

  double real(const std::string &op, double a, double b = 0) {
    return std::get<Scalar>(
               apply(op + " : f32", "f32", "f32", number(a), number(b)))
        .f;
  }
};

} // namespace

TEST_F(ArithTest, IntegersWrapToTheirWidth) {
  EXPECT_EQ(integer("arith.addi", "i8", 127, 1), -128);
  EXPECT_EQ(integer("arith.muli", "i32", 65536, 65536), 0);
  EXPECT_EQ(integer("arith.subi", "index", 3, 5), -2);
  EXPECT_EQ(integer("arith.addi", "i1", 1, 1), 0);
}

TEST_F(ArithTest, DivisionsRoundAsTheirNamesSay) {
  EXPECT_EQ(integer("arith.divsi", "i32", -7, 2), -3);
  EXPECT_EQ(integer("arith.remsi", "i32", -7, 2), -1);
  EXPECT_EQ(integer("arith.floordivsi", "i32", -7, 2), -4);
  EXPECT_EQ(integer("arith.ceildivsi", "i32", -7, 2), -3);
  EXPECT_EQ(integer("arith.ceildivsi", "i32", 7, 2), 4);
  EXPECT_EQ(integer("arith.ceildivui", "index", 7, 2), 4);
  EXPECT_EQ(integer("arith.divui", "i8", -1, 2), 127);
  EXPECT_EQ(integer("arith.remui", "i8", -1, 16), 15);
}

TEST_F(ArithTest, SignedAndUnsigned) {
  EXPECT_EQ(integer("arith.maxsi", "i8", -1, 1), 1);
  EXPECT_EQ(integer("arith.maxui", "i8", -1, 1), -1);
  EXPECT_EQ(integer("arith.shrsi", "i8", -8, 1), -4);
  EXPECT_EQ(integer("arith.shrui", "i8", -8, 1), 124);
  EXPECT_EQ(integer("arith.shli", "i8", 1, 7), -128);
  EXPECT_EQ(integer("arith.xori", "i1", 1, 1), 0);
  EXPECT_EQ(compare("arith.cmpi slt", "i8", index(-1), index(1)), 1);
  EXPECT_EQ(compare("arith.cmpi ult", "i8", index(-1), index(1)), 0);
}

TEST_F(ArithTest, FloatsAreComputedInDouble) {
  EXPECT_EQ(real("arith.addf %a, %b", 1, 1e-12), 1 + 1e-12);
  EXPECT_EQ(real("arith.divf %a, %b", 1, 3), 1.0 / 3);
  EXPECT_EQ(real("arith.negf %a", 2), -2);
  EXPECT_EQ(real("arith.maximumf %a, %b", 1, 2), 2);
  EXPECT_TRUE(std::isnan(real("arith.maximumf %a, %b", 1, NAN)));
  EXPECT_EQ(real("arith.maxnumf %a, %b", 1, NAN), 1);
  EXPECT_EQ(compare("arith.cmpf olt", "f32", number(1), number(NAN)), 0);
  EXPECT_EQ(compare("arith.cmpf une", "f32", number(1), number(NAN)), 1);
}

TEST_F(ArithTest, Math) {
  EXPECT_EQ(real("math.exp %a", 1), std::exp(1.0));
  EXPECT_EQ(real("math.log %a", 2), std::log(2.0));
  EXPECT_EQ(real("math.rsqrt %a", 16), 0.25);
  EXPECT_EQ(real("math.tanh %a", 0.5), std::tanh(0.5));
  EXPECT_EQ(real("math.absf %a", -2), 2);
  EXPECT_EQ(real("math.powf %a, %b", 2, 10), 1024);
  EXPECT_EQ(real("math.fma %a, %b, %a", 3, 5), 18);
  EXPECT_EQ(real("math.roundeven %a", 2.5), 2);
  EXPECT_EQ(real("math.round %a", 2.5), 3);
}

TEST_F(ArithTest, Casts) {
  auto cast = [&](const std::string &op, const std::string &from,
                  const std::string &to, InterpreterValue a) {
    return std::get<Scalar>(
        apply("arith." + op + " %a : " + from + " to " + to, from, to, a, a));
  };
  EXPECT_EQ(cast("extsi", "i1", "i32", index(1)).i, -1);
  EXPECT_EQ(cast("extui", "i1", "i32", index(1)).i, 1);
  EXPECT_EQ(cast("extui", "i8", "i32", index(-1)).i, 255);
  EXPECT_EQ(cast("trunci", "i32", "i8", index(300)).i, 44);
  EXPECT_EQ(cast("sitofp", "i32", "f32", index(-3)).f, -3);
  EXPECT_EQ(cast("uitofp", "i8", "f32", index(-1)).f, 255);
  EXPECT_EQ(cast("fptosi", "f32", "i32", number(-2.9)).i, -2);
  EXPECT_EQ(cast("index_cast", "i32", "index", index(-3)).i, -3);
  // Exact unless storage is rounded.
  EXPECT_EQ(cast("truncf", "f32", "bf16", number(1.001)).f, 1.001);
}

// On tensors the same ops work element by element; a select may have one
// condition for all.
TEST_F(ArithTest, Tensors) {
  parse(
      R"(func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: i1) -> (tensor<?xf32>, tensor<?xf32>, tensor<2xi64>) {
    %sum = arith.addf %a, %b : tensor<?xf32>
    %less = arith.cmpf olt, %a, %b : tensor<?xf32>
    %least = arith.select %less, %a, %b : tensor<?xi1>, tensor<?xf32>
    %r = arith.select %c, %sum, %b : tensor<?xf32>
    %k = arith.constant dense<[4, -5]> : tensor<2xi64>
    return %r, %least, %k : tensor<?xf32>, tensor<?xf32>, tensor<2xi64>
  })");
  Values results = run({floats({2}, {1, 5}), floats({2}, {3, 4}), index(1)});
  ASSERT_EQ(results.size(), 3u);
  expectNear(results[0], {4, 9});
  expectNear(results[1], {1, 4});
  EXPECT_EQ(integerElements(results[2]), (std::vector<int64_t>{4, -5}));
  EXPECT_EQ(refusal({floats({2}, {1, 5}), floats({1}, {3}), index(1)}),
            "test.mlir:2:12: 'arith.addf' an operand has the shape [2], "
            "expected [1]");
}

TEST_F(ArithTest, AffineIndices) {
  parse(R"(func.func @f(%a: index, %b: index) -> (index, index, index) {
    %0 = affine.apply affine_map<(i)[s] -> (i * 16 + s floordiv 4)>(%a)[%b]
    %1 = affine.min affine_map<(i)[s] -> (32, s - i)>(%a)[%b]
    %2 = affine.max affine_map<(i)[s] -> (32, s - i)>(%a)[%b]
    return %0, %1, %2 : index, index, index
  })");
  Values results = run({index(3), index(21)});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(std::get<Scalar>(results[0]).i, 53);
  EXPECT_EQ(std::get<Scalar>(results[1]).i, 18);
  EXPECT_EQ(std::get<Scalar>(results[2]).i, 32);
}

TEST_F(ArithTest, Refusals) {
  parse(R"(func.func @f(%a: index, %b: index) -> index {
    %r = arith.divsi %a, %b : index
    %s = arith.shli %r, %r : index
    return %s : index
  })");
  EXPECT_EQ(refusal({index(1), index(0)}),
            "test.mlir:2:10: 'arith.divsi' divides by 0");
  EXPECT_EQ(refusal({index(std::numeric_limits<int64_t>::min()), index(-1)}),
            "test.mlir:2:10: 'arith.divsi' overflows");
  EXPECT_EQ(refusal({index(64), index(1)}),
            "test.mlir:3:10: 'arith.shli' shifts by 64, expected less than 64");
}
