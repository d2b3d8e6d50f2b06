//===- StorageTest.cpp - element types: widening and rounding -------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/codegen/reference/Support.h"

#include "codegen/reference/Widen.h"

#include <cmath>
#include <limits>

using namespace mm01::reference;
using mm01::safetensors::ElementType;

namespace {

class StorageTest : public ReferenceTest {};

double widenOne(uint32_t bits, ElementType type) {
  double wide = 0;
  widen(reinterpret_cast<const std::byte *>(&bits), type, 0, wide);
  return wide;
}

} // namespace

TEST_F(StorageTest, WidenIsExact) {
  EXPECT_EQ(widenOne(0x3f80, ElementType::BF16), 1.0);
  EXPECT_EQ(widenOne(0xc040, ElementType::BF16), -3.0);
  EXPECT_EQ(widenOne(0x0001, ElementType::BF16), std::ldexp(1, -133));
  EXPECT_EQ(widenOne(0x3c00, ElementType::F16), 1.0);
  EXPECT_EQ(widenOne(0xc500, ElementType::F16), -5.0);
  EXPECT_EQ(widenOne(0x0001, ElementType::F16), std::ldexp(1, -24));
  EXPECT_EQ(widenOne(0x7bff, ElementType::F16), 65504.0);
  EXPECT_TRUE(std::isinf(widenOne(0x7c00, ElementType::F16)));
  EXPECT_TRUE(std::isnan(widenOne(0x7c01, ElementType::F16)));
  EXPECT_EQ(widenOne(0x3f800001, ElementType::F32), 1 + std::ldexp(1, -23));
}

TEST_F(StorageTest, RoundToNearestEven) {
  mlir::Type bf16 = type("bf16"), f16 = type("f16"), f32 = type("f32");
  double step = std::ldexp(1, -7); // of bf16 from 1 on
  EXPECT_EQ(roundToType(1 + step / 2, bf16), 1);
  EXPECT_EQ(roundToType(1 + 3 * step / 2, bf16), 1 + 2 * step);
  EXPECT_EQ(roundToType(-(1 + 0.51 * step), bf16), -(1 + step));
  EXPECT_EQ(roundToType(2 - step / 4, bf16), 2);
  EXPECT_EQ(roundToType(65519, f16), 65504);
  EXPECT_TRUE(std::isinf(roundToType(65520, f16)));
  EXPECT_EQ(roundToType(std::ldexp(1, -24) * 1.4, f16), std::ldexp(1, -24));
  EXPECT_EQ(roundToType(std::ldexp(1, -26), f16), 0);
  EXPECT_EQ(roundToType(0.1, f32), double(0.1f));
  EXPECT_EQ(roundToType(1e-42, f32), double(1e-42f));
  EXPECT_EQ(roundToType(0.1, type("f64")), 0.1);
  EXPECT_TRUE(std::isnan(roundToType(NAN, bf16)));
}

// By default a bf16 tensor holds what was computed; rounding storage rounds the
// result of each op, and the casts between scalars.
TEST_F(StorageTest, RoundStorage) {
  parse(R"(
    #id = affine_map<(i) -> (i)>
    func.func @f(%x: tensor<?xf32>, %o: tensor<?xbf16>) -> (tensor<?xbf16>, tensor<?xf32>) {
      %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%x : tensor<?xf32>) outs(%o : tensor<?xbf16>) {
      ^bb0(%a: f32, %b: bf16):
        %r = arith.truncf %a : f32 to bf16
        linalg.yield %r : bf16
      } -> tensor<?xbf16>
      %z = arith.extf %y : tensor<?xbf16> to tensor<?xf32>
      %w = arith.addf %z, %x : tensor<?xf32>
      return %y, %w : tensor<?xbf16>, tensor<?xf32>
    })");
  InterpreterValue x = floats({1}, {1.001}), o = floats({1}, {0}, "bf16");
  expectNear(run({x, o})[0], {1.001});
  expectNear(run({x, o})[1], {2.002});
  Values rounded = run({x, o}, {.roundStorage = true});
  ASSERT_EQ(rounded.size(), 2u);
  expectNear(rounded[0], {1});
  EXPECT_EQ(floatElements(rounded[1])[0], double(float(1 + 1.001)));
}

// A weight is read part by part and row by row.
TEST_F(StorageTest, Weights) {
  InterpreterValue value = weight("!mm01.weight<2x2x3xbf16>",
                                  {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const Weight &w = std::get<Weight>(value);
  EXPECT_EQ(w.rows(), 2);
  EXPECT_EQ(w.columns(), 3);
  std::vector<double> row(3);
  w.readRow(1, 1, row);
  EXPECT_EQ(row, (std::vector<double>{10, 11, 12}));
  EXPECT_EQ(shapeOf(w.readPart(1)), (std::vector<int64_t>{2, 3}));
  expectNear(w.readPart(1), {7, 8, 9, 10, 11, 12});
}
