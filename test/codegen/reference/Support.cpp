//===- Support.cpp - running snippets of MLIR in tests --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/codegen/reference/Support.h"

#include "codegen/reference/Quantize.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace llvm;
using namespace mlir;

namespace mm01::reference {

ReferenceTest::ReferenceTest() : context(MLIRContext::Threading::DISABLED) {
  DialectRegistry registry;
  registerReferenceModels(registry);
  context.appendDialectRegistry(registry);
}

void ReferenceTest::parse(StringRef text) {
  module = parseSourceString<ModuleOp>(text, &context, "test.mlir");
  ASSERT_TRUE(module) << text.str();
}

Values ReferenceTest::run(Values arguments, const Options &options) {
  auto results = interpret(*module, "f", std::move(arguments), options);
  if (results)
    return *results;
  ADD_FAILURE() << toString(results.takeError());
  return {};
}

std::string ReferenceTest::refusal(Values arguments) {
  auto results = interpret(*module, "f", std::move(arguments));
  return results ? "" : toString(results.takeError());
}

Type ReferenceTest::type(StringRef text) { return parseType(text, &context); }

InterpreterValue ReferenceTest::floats(ArrayRef<int64_t> shape,
                                       ArrayRef<double> elements,
                                       StringRef elementType) {
  return Tensor::floats(shape, type(elementType), elements);
}

InterpreterValue ReferenceTest::integers(ArrayRef<int64_t> shape,
                                         ArrayRef<int64_t> elements,
                                         StringRef elementType) {
  return Tensor::integers(shape, type(elementType), elements);
}

InterpreterValue ReferenceTest::weight(StringRef text,
                                       ArrayRef<double> elements) {
  auto weightType = cast<WeightType>(type(text));
  if (!weightType.isQuantized())
    return Weight::floats(weightType, elements);
  auto wide = WeightType::get(&context, weightType.getShape(), type("f32"));
  return cantFail(quantize(Weight::floats(wide, elements)));
}

InterpreterValue ReferenceTest::index(int64_t number) {
  Scalar scalar;
  scalar.i = number;
  return scalar;
}

InterpreterValue ReferenceTest::number(double number) {
  Scalar scalar;
  scalar.f = number;
  return scalar;
}

InterpreterValue ReferenceTest::ragged(ArrayRef<int64_t> lengths,
                                       std::vector<int64_t> past,
                                       std::vector<int64_t> slot,
                                       std::vector<int64_t> pageTable) {
  std::vector<int64_t> offsets = {0};
  for (int64_t length : lengths)
    offsets.push_back(offsets.back() + length);
  return cantFail(Ragged::create(std::move(offsets), std::move(past),
                                 std::move(slot), std::move(pageTable)));
}

std::vector<double> floatElements(const InterpreterValue &value) {
  if (const auto *scalar = std::get_if<Scalar>(&value))
    return {scalar->f};
  const Tensor &tensor = std::get<Tensor>(value);
  std::vector<double> elements;
  for (int64_t i = 0; i < tensor.elements(); ++i)
    elements.push_back(tensor.data()[i].f);
  return elements;
}

std::vector<int64_t> integerElements(const InterpreterValue &value) {
  if (const auto *scalar = std::get_if<Scalar>(&value))
    return {scalar->i};
  const Tensor &tensor = std::get<Tensor>(value);
  std::vector<int64_t> elements;
  for (int64_t i = 0; i < tensor.elements(); ++i)
    elements.push_back(tensor.data()[i].i);
  return elements;
}

std::vector<int64_t> shapeOf(const InterpreterValue &value) {
  return std::get<Tensor>(value).shape().vec();
}

void expectNear(const InterpreterValue &value,
                const std::vector<double> &expected) {
  std::vector<double> found = floatElements(value);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-12) << "element " << i;
}

} // namespace mm01::reference
