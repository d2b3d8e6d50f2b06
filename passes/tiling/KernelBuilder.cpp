//===- KernelBuilder.cpp - writes kernels as scf.forall on tensors --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mm01;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Value KernelBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value KernelBuilder::f32(double value) {
  return arith::ConstantOp::create(*this, getF32FloatAttr(value));
}

Value KernelBuilder::add(Value a, Value b) {
  return arith::AddIOp::create(*this, a, b);
}

Value KernelBuilder::sub(Value a, Value b) {
  return arith::SubIOp::create(*this, a, b);
}

Value KernelBuilder::mul(Value a, Value b) {
  return arith::MulIOp::create(*this, a, b);
}

Value KernelBuilder::divide(Value a, Value b) {
  return arith::DivUIOp::create(*this, a, b);
}

Value KernelBuilder::remainder(Value a, Value b) {
  return arith::RemUIOp::create(*this, a, b);
}

Value KernelBuilder::ceilDivide(Value a, Value b) {
  return arith::CeilDivUIOp::create(*this, a, b);
}

Value KernelBuilder::minimum(Value a, Value b) {
  return arith::MinSIOp::create(*this, a, b);
}

Value KernelBuilder::maximum(Value a, Value b) {
  return arith::MaxSIOp::create(*this, a, b);
}

Value KernelBuilder::lessOrEqual(Value a, Value b) {
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::sle, a, b);
}

Value KernelBuilder::equal(Value a, Value b) {
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::eq, a, b);
}

Value KernelBuilder::toIndex(Value i32) {
  return arith::IndexCastOp::create(*this, getIndexType(), i32);
}

Value KernelBuilder::toI32(Value index) {
  return arith::IndexCastOp::create(*this, getI32Type(), index);
}

Value KernelBuilder::widen(Value x) {
  if (isa<IntegerType>(x.getType()))
    return arith::SIToFPOp::create(*this, getF32Type(), x);
  return narrow(x, getF32Type());
}

Value KernelBuilder::narrow(Value x, Type type) {
  unsigned from = x.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtFOp::create(*this, type, x);
  if (from > to)
    return arith::TruncFOp::create(*this, type, x);
  if (x.getType() != type && from < 32) // f16 and bf16
    return narrow(narrow(x, getF32Type()), type);
  return x;
}

Value KernelBuilder::addf(Value a, Value b) {
  return arith::AddFOp::create(*this, a, b, arith::FastMathFlags::contract);
}

Value KernelBuilder::subf(Value a, Value b) {
  return arith::SubFOp::create(*this, a, b, arith::FastMathFlags::contract);
}

Value KernelBuilder::mulf(Value a, Value b) {
  return arith::MulFOp::create(*this, a, b, arith::FastMathFlags::contract);
}

Value KernelBuilder::divf(Value a, Value b) {
  return arith::DivFOp::create(*this, a, b);
}

Value KernelBuilder::exp(Value x) { return math::ExpOp::create(*this, x); }

Value KernelBuilder::accumulate(Value a, Value b) {
  return arith::AddFOp::create(*this, a, b,
                               arith::FastMathFlags::contract |
                                   arith::FastMathFlags::reassoc);
}

//===----------------------------------------------------------------------===//
// Ragged batches
//===----------------------------------------------------------------------===//

Value KernelBuilder::raggedSize(Value ragged, RaggedExtent extent) {
  return RaggedSizeOp::create(*this, getIndexType(), ragged, extent);
}

Value KernelBuilder::raggedGet(Value ragged, RaggedField field,
                               ValueRange indices) {
  return RaggedGetOp::create(*this, getIndexType(), ragged, field, indices);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Value KernelBuilder::dim(Value tensor, int64_t i) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(i))
    return index(type.getDimSize(i));
  return tensor::DimOp::create(*this, tensor, i);
}

OpFoldResult KernelBuilder::extent(Value tensor, int64_t i) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(i))
    return getIndexAttr(type.getDimSize(i));
  return dim(tensor, i);
}

Value KernelBuilder::empty(ArrayRef<int64_t> shape, Type element) {
  return tensor::EmptyOp::create(*this, shape, element);
}

Value KernelBuilder::fill(Value scalar, Value out) {
  return linalg::FillOp::create(*this, scalar, out).getResult(0);
}

Value KernelBuilder::extract(Value tensor, ValueRange indices) {
  return tensor::ExtractOp::create(*this, tensor, indices);
}

Value KernelBuilder::insert(Value scalar, Value tensor, ValueRange indices) {
  return tensor::InsertOp::create(*this, scalar, tensor, indices);
}

static Indices unitStrides(Builder &b, size_t rank) {
  return Indices(rank, b.getIndexAttr(1));
}

Value KernelBuilder::slice(Value tensor, ArrayRef<OpFoldResult> offsets,
                           ArrayRef<OpFoldResult> sizes, int64_t rank) {
  Indices strides = unitStrides(*this, offsets.size());
  auto type = tensor::ExtractSliceOp::inferCanonicalRankReducedResultType(
      rank, cast<RankedTensorType>(tensor.getType()), sizes);
  return tensor::ExtractSliceOp::create(*this, cast<RankedTensorType>(type),
                                        tensor, offsets, sizes, strides);
}

Value KernelBuilder::insertSlice(Value value, Value tensor,
                                 ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes) {
  return tensor::InsertSliceOp::create(*this, value, tensor, offsets, sizes,
                                       unitStrides(*this, offsets.size()));
}

/// Offsets and sizes of rows [first, first + count) of a tensor.
static std::pair<Indices, Indices> rowRange(KernelBuilder &b, Value tensor,
                                            OpFoldResult first,
                                            OpFoldResult count) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  Indices offsets(rank, b.getIndexAttr(0)), sizes;
  offsets[0] = first;
  sizes.push_back(count);
  for (int64_t i = 1; i < rank; ++i)
    sizes.push_back(b.extent(tensor, i));
  return {offsets, sizes};
}

Value KernelBuilder::row(Value tensor, Value i) {
  auto [offsets, sizes] = rowRange(*this, tensor, i, getIndexAttr(1));
  return slice(tensor, offsets, sizes, sizes.size() - 1);
}

Value KernelBuilder::insertRow(Value value, Value tensor, Value i) {
  auto [offsets, sizes] = rowRange(*this, tensor, i, getIndexAttr(1));
  return insertSlice(value, tensor, offsets, sizes);
}

Value KernelBuilder::rows(Value tensor, OpFoldResult first,
                          OpFoldResult count) {
  auto [offsets, sizes] = rowRange(*this, tensor, first, count);
  return slice(tensor, offsets, sizes, sizes.size());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Values KernelBuilder::loop(Value from, Value to, ValueRange init,
                           LoopBody body) {
  auto loop = scf::ForOp::create(
      *this, from, to, index(1), init,
      [&](OpBuilder &nested, Location, Value i, ValueRange carried) {
        InsertionGuard guard(*this);
        restoreInsertionPoint(nested.saveInsertionPoint());
        scf::YieldOp::create(*this, body(i, carried));
      });
  return Values(loop.getResults());
}

Values KernelBuilder::branch(Value condition, TypeRange types, Branch then,
                             Branch otherwise) {
  auto branch = scf::IfOp::create(*this, types, condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(*this, then());
  setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(*this, otherwise());
  return Values(branch.getResults());
}

Value KernelBuilder::select(Value condition, Type type, Choice then,
                            Choice otherwise) {
  return branch(
      condition, type, [&] { return Values{then()}; },
      [&] { return Values{otherwise()}; })[0];
}

Values KernelBuilder::sums(Value count, int64_t terms,
                           function_ref<Values(Value)> body) {
  Values zeros(terms, f32(0));
  return loop(index(0), count, zeros, [&](Value i, ValueRange totals) {
    Values next;
    for (auto [total, term] : llvm::zip_equal(totals, body(i)))
      next.push_back(accumulate(total, term));
    return next;
  });
}

Value KernelBuilder::sum(Value count, function_ref<Value(Value)> body) {
  return sums(count, 1, [&](Value i) { return Values{body(i)}; })[0];
}

Value KernelBuilder::generic(ValueRange inputs, Value out,
                             ArrayRef<SmallVector<unsigned>> maps,
                             ArrayRef<utils::IteratorType> iterators,
                             ScalarBody body) {
  SmallVector<AffineMap> affine;
  for (ArrayRef<unsigned> dims : maps) {
    SmallVector<AffineExpr> results;
    for (unsigned d : dims)
      results.push_back(getAffineDimExpr(d));
    affine.push_back(
        AffineMap::get(iterators.size(), 0, results, getContext()));
  }
  return linalg::GenericOp::create(
             *this, TypeRange{out.getType()}, inputs, out, affine, iterators,
             [&](OpBuilder &nested, Location, ValueRange arguments) {
               InsertionGuard guard(*this);
               restoreInsertionPoint(nested.saveInsertionPoint());
               linalg::YieldOp::create(*this, body(arguments));
             })
      .getResult(0);
}

Value KernelBuilder::elementwise(ValueRange inputs, Value out,
                                 ScalarBody body) {
  int64_t rank = cast<RankedTensorType>(out.getType()).getRank();
  SmallVector<unsigned> identity(rank);
  for (int64_t i = 0; i < rank; ++i)
    identity[i] = i;
  SmallVector<SmallVector<unsigned>> maps(inputs.size() + 1, identity);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return generic(inputs, out, maps, iterators, body);
}

Value KernelBuilder::transpose(Value x, Value out) {
  constexpr utils::IteratorType parallel = utils::IteratorType::parallel;
  return generic({x}, out, {{1, 0}, {0, 1}}, {parallel, parallel},
                 [&](ValueRange a) { return widen(a[0]); });
}

Value KernelBuilder::multiplyInto(Value a, Value b, Value out) {
  return linalg::MatmulTransposeBOp::create(*this, getLoc(), out.getType(),
                                            ValueRange{a, b}, out)
      .getResult(0);
}

Value KernelBuilder::copy(Value x, Value out) {
  Type type = getElementTypeOrSelf(out.getType());
  return elementwise(x, out, [&](ValueRange a) { return narrow(a[0], type); });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

ValueRange KernelBuilder::kernel(StringRef name, ValueRange grid,
                                 ValueRange outs, KernelBody body) {
  // The mapping says that iterations are workgroups: a loop without one is
  // inlined where it has a single iteration.
  static constexpr gpu::MappingId ids[] = {
      gpu::MappingId::DimX, gpu::MappingId::DimY, gpu::MappingId::DimZ};
  SmallVector<Attribute> mapping;
  for (size_t i = 0; i < grid.size(); ++i)
    mapping.push_back(gpu::GPUBlockMappingAttr::get(getContext(), ids[i]));
  auto forall = scf::ForallOp::create(
      *this, getAsOpFoldResult(grid), outs, getArrayAttr(mapping),
      [&](OpBuilder &nested, Location, ValueRange arguments) {
        InsertionGuard guard(*this);
        restoreInsertionPoint(nested.saveInsertionPoint());
        ValueRange shared = arguments.drop_front(grid.size());
        SmallVector<Written> written =
            body(arguments.take_front(grid.size()), shared);
        auto parallel = scf::InParallelOp::create(*this);
        setInsertionPointToStart(parallel.getBody());
        for (auto [what, out] : llvm::zip_equal(written, shared))
          tensor::ParallelInsertSliceOp::create(
              *this, what.value, out, what.offsets, what.sizes,
              unitStrides(*this, what.offsets.size()));
      });
  forall->setAttr(kKernelAttr, getStringAttr(name));
  return forall.getResults();
}

Value KernelBuilder::forAll(OpFoldResult count, Value out, Piece body,
                            ArrayAttr mapping) {
  auto loop = scf::ForallOp::create(
      *this, Indices{count}, out,
      mapping ? std::optional(mapping) : std::nullopt,
      [&](OpBuilder &nested, Location, ValueRange arguments) {
        InsertionGuard guard(*this);
        restoreInsertionPoint(nested.saveInsertionPoint());
        Written written = body(arguments[0], arguments[1]);
        auto parallel = scf::InParallelOp::create(*this);
        setInsertionPointToStart(parallel.getBody());
        tensor::ParallelInsertSliceOp::create(
            *this, written.value, arguments[1], written.offsets, written.sizes,
            unitStrides(*this, written.offsets.size()));
      });
  return loop.getResult(0);
}

Value KernelBuilder::forWarps(Value count, Value out, Piece body) {
  return forAll(count, out, body,
                getArrayAttr(gpu::GPUWarpMappingAttr::get(
                    getContext(), gpu::MappingId::LinearDim0)));
}

ValueRange KernelBuilder::rowKernel(StringRef name, int64_t tile,
                                    ValueRange outs, RowBody body) {
  Value count = dim(outs[0], 0);
  if (inKernel(getInsertionBlock()->getParentOp()))
    return loop(index(0), count, outs,
                [&](Value row, ValueRange carried) {
                  return body(row, row, carried);
                })[0]
        .getDefiningOp()
        ->getResults();
  Value grid = ceilDivide(count, index(tile));
  return kernel(name, grid, outs, [&](ValueRange ids, ValueRange shared) {
    Value first = mul(ids[0], index(tile));
    Value here = minimum(index(tile), sub(count, first));
    Values tiles;
    for (Value out : shared)
      tiles.push_back(rows(out, first, here));
    Values done =
        loop(index(0), here, tiles, [&](Value local, ValueRange carried) {
          return body(add(first, local), local, carried);
        });
    SmallVector<Written> written;
    for (auto [value, out] : llvm::zip_equal(done, shared)) {
      auto [offsets, sizes] = rowRange(*this, out, first, here);
      written.push_back({value, offsets, sizes});
    }
    return written;
  });
}

bool mm01::inKernel(Operation *op) {
  for (; op; op = op->getParentOp())
    if (op->hasAttr(kKernelAttr))
      return true;
  return false;
}

std::string mm01::kernelName(Operation *op) {
  StringRef own = op->getName().stripDialect();
  if (!isa<linalg::GenericOp>(op))
    return own.str();
  Operation *last =
      cast<linalg::LinalgOp>(op).getBlock()->getTerminator()->getPrevNode();
  return last ? "generic_" + last->getName().stripDialect().str() : own.str();
}

int64_t mm01::rowsPerWorkgroup(int64_t width) {
  return std::clamp<int64_t>(16384 / std::max<int64_t>(width, 1), 1, 64);
}
