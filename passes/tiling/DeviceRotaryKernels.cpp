//===- DeviceRotaryKernels.cpp - the rotary embedding as a GPU does it ----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup has a few tokens. For each, cosines and sines are made side by
// side, in float64, and kept in the block's memory; then all heads are rotated
// element by element:
//
//     c[i], s[i]    = cos a_i, sin a_i                      for i < half
//     out[h, i]     = x[h, i] c[i] - x[h, i + half] s[i]
//     out[h, half+i] = x[h, i + half] c[i] + x[h, i] s[i]
//     out[h, f]     = x[h, f]                               for f >= 2 · half
//
// The kernel of RotaryKernels.cpp goes through frequencies and heads one by
// one, which would be one thread's work here.
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/KernelBuilder.h"
#include "passes/tiling/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mm01;

namespace {

/// Tokens of a workgroup.
constexpr int64_t kTokens = 4;
constexpr utils::IteratorType parallel = utils::IteratorType::parallel;

class RotaryWriter {
public:
  RotaryWriter(KernelBuilder &b, RotaryOp op)
      : b(b), op(op), half(static_cast<int64_t>(op.getRotaryDim()) / 2),
        type(getElementTypeOrSelf(op.getOut().getType())) {}

  ValueRange write() {
    SmallVector<double> values;
    for (int64_t i = 0; i < half; ++i)
      values.push_back(
          std::pow(op.getTheta().convertToDouble(), -double(i) / half));
    Value table;
    if (half)
      table = arith::ConstantOp::create(
          b,
          DenseElementsAttr::get(RankedTensorType::get({half}, b.getF64Type()),
                                 ArrayRef(values)));
    return b.rowKernel("rotary", kTokens, op.getOut(),
                       [&](Value t, Value local, ValueRange tiles) {
                         Value x = b.row(op.getX(), t);
                         Value out = b.row(tiles[0], local);
                         if (half)
                           out = rotate(t, x, out, table);
                         return Values{
                             b.insertRow(pass(x, out), tiles[0], local)};
                       });
  }

private:
  OpFoldResult number(int64_t value) { return b.getIndexAttr(value); }

  /// Features [first, first + count) of all heads.
  std::pair<Indices, Indices> features(Value x, OpFoldResult first,
                                       OpFoldResult count) {
    return {{number(0), first}, {b.extent(x, 0), count}};
  }

  /// The features from 2 · half on are those of x.
  Value pass(Value x, Value out) {
    OpFoldResult rest = number(0);
    if (auto size = cast<ShapedType>(x.getType()).getDimSize(1);
        !ShapedType::isDynamic(size)) {
      if (size == 2 * half)
        return out;
      rest = number(size - 2 * half);
    } else {
      rest = b.sub(b.dim(x, 1), b.index(2 * half));
    }
    auto [offsets, sizes] = features(x, number(2 * half), rest);
    Value same =
        b.copy(b.slice(x, offsets, sizes, 2), b.slice(out, offsets, sizes, 2));
    return b.insertSlice(same, out, offsets, sizes);
  }

  /// cos or sin of the angles of token t, in float32.
  template <typename Op> Value circle(Value position, Value table) {
    return b.elementwise(
        table, b.empty({half}, b.getF32Type()), [&](ValueRange a) {
          Value angle = arith::MulFOp::create(b, position, a[0]);
          return b.narrow(Op::create(b, angle), b.getF32Type());
        });
  }

  Value rotate(Value t, Value x, Value out, Value table) {
    Value at = b.raggedGet(op.getRagged(), RaggedField::token_position, t);
    Value position = arith::SIToFPOp::create(
        b, b.getF64Type(), arith::IndexCastOp::create(b, b.getI64Type(), at));
    Value cosines = circle<math::CosOp>(position, table);
    Value sines = circle<math::SinOp>(position, table);
    auto [lowAt, sizes] = features(x, number(0), number(half));
    auto [highAt, same] = features(x, number(half), number(half));
    Value low = b.slice(x, lowAt, sizes, 2),
          high = b.slice(x, highAt, sizes, 2);
    auto turn = [&](Value place, function_ref<Value(ValueRange)> body) {
      return b.generic({low, high, cosines, sines}, place,
                       {{0, 1}, {0, 1}, {1}, {1}, {0, 1}}, {parallel, parallel},
                       [&](ValueRange a) {
                         Values wide{b.widen(a[0]), b.widen(a[1]), a[2], a[3]};
                         return b.narrow(body(wide), type);
                       });
    };
    Value first = turn(b.slice(out, lowAt, sizes, 2), [&](ValueRange a) {
      return b.subf(b.mulf(a[0], a[2]), b.mulf(a[1], a[3]));
    });
    out = b.insertSlice(first, out, lowAt, sizes);
    Value second = turn(b.slice(out, highAt, sizes, 2), [&](ValueRange a) {
      return b.addf(b.mulf(a[1], a[2]), b.mulf(a[0], a[3]));
    });
    return b.insertSlice(second, out, highAt, sizes);
  }

  KernelBuilder &b;
  RotaryOp op;
  int64_t half;
  Type type;
};

struct DeviceRotary : OpRewritePattern<RotaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RotaryOp op,
                                PatternRewriter &rewriter) const override {
    KernelBuilder b(rewriter, op.getLoc());
    rewriter.replaceOp(op, RotaryWriter(b, op).write());
    return success();
  }
};

} // namespace

void mm01::populateDeviceRotaryPatterns(RewritePatternSet &patterns) {
  patterns.add<DeviceRotary>(patterns.getContext());
}
