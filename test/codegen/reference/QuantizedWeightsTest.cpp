//===- QuantizedWeightsTest.cpp - int8 weights of the reference -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/codegen/reference/Support.h"

#include "codegen/reference/Quantize.h"

#include <cmath>
#include <limits>

using namespace mm01::reference;
using llvm::toString;

namespace {

class QuantizedWeightsTest : public ReferenceTest {
protected:
  llvm::Expected<Weight> quantizeFloats(llvm::StringRef text,
                                        llvm::ArrayRef<double> elements) {
    return quantize(std::get<Weight>(weight(text, elements)));
  }
};

} // namespace

// The cases of test/runtime/QuantizeTest.cpp: both follow the contract.
TEST_F(QuantizedWeightsTest, Elements) {
  Weight w = cantFail(quantizeFloats("!mm01.weight<2x4xf32>",
                                     {127, 0.5, 1.5, -2.5, 2, -1, 0.01, 0}));
  EXPECT_EQ(w.type(), type("!mm01.weight<2x4xi8>"));
  EXPECT_EQ(integerElements(w.readPart(0)),
            (std::vector<int64_t>{127, 0, 2, -2, 127, -64, 1, 0}));
  expectNear(w.readScales(0), {1, 2.0f / 127});

  double unit = std::ldexp(1, -149);
  Weight least =
      cantFail(quantizeFloats("!mm01.weight<2x2xf32>",
                              {190 * unit, -189 * unit, 63 * unit, -1 * unit}));
  EXPECT_EQ(integerElements(least.readPart(0)),
            (std::vector<int64_t>{127, -127, 0, 0}));
  EXPECT_EQ(floatElements(least.readScales(0)), (std::vector<double>{unit, 0}));
}

// Parts have rows of their own; a row is read as what it stands for.
TEST_F(QuantizedWeightsTest, Parts) {
  Weight w = cantFail(
      quantizeFloats("!mm01.weight<2x1x2xbf16>", {127, 63.6, -254, 2.1}));
  EXPECT_EQ(w.rows(), 1);
  EXPECT_EQ(integerElements(w.readPart(1)), (std::vector<int64_t>{-127, 1}));
  EXPECT_EQ(floatElements(w.readScales(1)), (std::vector<double>{2}));
  std::vector<double> row(2);
  w.readRow(0, 0, row);
  EXPECT_EQ(row, (std::vector<double>{127, 64}));
  w.readRow(1, 0, row);
  EXPECT_EQ(row, (std::vector<double>{-254, 2}));
}

TEST_F(QuantizedWeightsTest, RefusesWhatIsNotFinite) {
  for (double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    auto w = quantizeFloats("!mm01.weight<2x2x1xf32>", {1, 2, 3, bad});
    ASSERT_FALSE(w);
    EXPECT_EQ(toString(w.takeError()),
              "row 1 of part 1 holds an infinity or a NaN, expected numbers to "
              "make int8 of");
  }
}

// Ops see the products of elements and scales; weight_part and weight_scales
// see both by themselves.
TEST_F(QuantizedWeightsTest, Ops) {
  parse(R"(
    func.func @f(%x: tensor<?x2xf32>, %w: !mm01.weight<2x2xi8>, %o: tensor<?x2xf32>, %c: index)
        -> (tensor<?x2xf32>, tensor<2x2xi8>, tensor<2xf32>) {
      %y = mm01.linear %x, %w into %o : tensor<?x2xf32>, !mm01.weight<2x2xi8> into tensor<?x2xf32>
      %p = mm01.weight_part %w[%c] : !mm01.weight<2x2xi8> -> tensor<2x2xi8>
      %s = mm01.weight_scales %w[%c] : !mm01.weight<2x2xi8> -> tensor<2xf32>
      return %y, %p, %s : tensor<?x2xf32>, tensor<2x2xi8>, tensor<2xf32>
    })");
  InterpreterValue w = weight("!mm01.weight<2x2xi8>", {127, 63.6, -254, 2.1});
  Values results =
      run({floats({1, 2}, {1, 10}), w, floats({1, 2}, {0, 0}), index(0)});
  ASSERT_EQ(results.size(), 3u);
  expectNear(results[0], {127 + 640, -254 + 20});
  EXPECT_EQ(integerElements(results[1]),
            (std::vector<int64_t>{127, 64, -127, 1}));
  expectNear(results[2], {1, 2});
  EXPECT_NE(
      refusal({floats({1, 2}, {1, 10}), w, floats({1, 2}, {0, 0}), index(1)})
          .find("the part is 1, expected a number in [0, 1)"),
      std::string::npos);
}
