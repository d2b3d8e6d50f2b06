//===- SoftmaxKernels.cpp - kernels of softmax attention and its cache ----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/KernelBuilder.h"
#include "passes/tiling/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <limits>

using namespace mlir;
using namespace mm01;

namespace {

/// One workgroup a token: its row of k and v goes to the row of its position.
struct CacheUpdateKernel : OpRewritePattern<CacheUpdateOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CacheUpdateOp op,
                                PatternRewriter &rewriter) const override {
    KernelBuilder b(rewriter, op.getLoc());
    Value ragged = op.getRagged();
    Value pageSize = b.dim(op.getKeys(), 2);
    OpFoldResult one = b.getIndexAttr(1), zero = b.getIndexAttr(0);
    Indices sizes{one, one, one, b.extent(op.getKeys(), 3),
                  b.extent(op.getKeys(), 4)};

    auto kernel = [&](ValueRange ids, ValueRange outs) {
      Value t = ids[0];
      Value n = b.raggedGet(ragged, RaggedField::token_sequence, t);
      Value position = b.raggedGet(ragged, RaggedField::token_position, t);
      Value page = b.raggedGet(ragged, RaggedField::page_table,
                               {n, b.divide(position, pageSize)});
      Indices at{op.getLayer(), page, b.remainder(position, pageSize), zero,
                 zero};
      SmallVector<Written> written;
      for (auto [source, out] :
           {std::pair(op.getK(), outs[0]), std::pair(op.getV(), outs[1])})
        written.push_back(
            {b.copy(b.row(source, t), b.slice(out, at, sizes, 2)), at, sizes});
      return written;
    };
    rewriter.replaceOp(op, b.kernel("cache_update", b.dim(op.getK(), 0),
                                    {op.getKeys(), op.getValues()}, kernel));
    return success();
  }
};

/// Query rows that one workgroup multiplies with a page of keys.
constexpr int64_t kQueryRows = 64;

/// One workgroup for a tile of tokens and a key head with its group of G query
/// heads. The tokens of one sequence in the tile make up to kQueryRows rows,
/// row t · G + g for token t and head g of the group, which go through one page
/// of keys after another with a running maximum m, a running sum l and a
/// running output o a row (the online softmax, arXiv 1805.02867, in blocks as
/// in arXiv 2205.14135):
///
///     s = scale · q Kᵀ;  m' = max(m, max_j s_j);  c = exp(m - m')
///     p_j = j visible ? exp(s_j - m') : 0
///     l = c l + Σ p_j;  o = c o + p V;  m = m'
///     out = o / l
///
/// Both products are matrix products for the BLAS, but for the two cases whose
/// extents are known: a full tile of rows with a full page, which is too small
/// for a library, and a single token, whose rows are too few. They are products
/// in registers, the first of a single token dot products with the keys as they
/// lie.
class AttentionWriter {
public:
  AttentionWriter(KernelBuilder &b, SoftmaxAttentionOp op)
      : b(b), op(op), ragged(op.getRagged()),
        pageSize(cast<ShapedType>(op.getKeys().getType()).getDimSize(2)),
        width(cast<ShapedType>(op.getQ().getType()).getDimSize(2)),
        group(cast<ShapedType>(op.getQ().getType()).getDimSize(1) /
              cast<ShapedType>(op.getKeys().getType()).getDimSize(3)),
        rows(std::max(kQueryRows, group)) {}

  ValueRange write() {
    Value tokens = b.dim(op.getQ(), 0);
    Value sequences = b.raggedSize(ragged, RaggedExtent::sequences);
    // A batch of single tokens is split finer: its sequences share nothing.
    Value single = b.lessOrEqual(tokens, sequences);
    Value tile = b.select(
        single, b.getIndexType(), [&] { return b.index(1); },
        [&] { return b.index(rows / group); });
    Value keyHeads = b.dim(op.getKeys(), 3);
    return b.kernel("softmax_attention", {b.ceilDivide(tokens, tile), keyHeads},
                    op.getOut(), [&](ValueRange ids, ValueRange outs) {
                      Value first = b.mul(ids[0], tile);
                      Value count = b.minimum(tile, b.sub(tokens, first));
                      Indices at{first, b.mul(ids[1], b.index(group)), zero()};
                      Indices sizes{count, number(group), number(width)};
                      Value done = sequencesOf(first, count, ids[1],
                                               b.slice(outs[0], at, sizes, 3));
                      return SmallVector<Written>{{done, at, sizes}};
                    });
  }

private:
  /// What a row carries from page to page: [R], [R] and [R, d].
  struct Running {
    Value maxima, totals, out;
  };

  OpFoldResult zero() { return b.getIndexAttr(0); }
  OpFoldResult number(int64_t value) { return b.getIndexAttr(value); }
  Value position(Value t) {
    return b.raggedGet(ragged, RaggedField::token_position, t);
  }

  /// Goes through the sequences that have tokens in [first, first + count).
  Value sequencesOf(Value first, Value count, Value keyHead, Value out) {
    auto sequence = [&](Value t) {
      return b.raggedGet(ragged, RaggedField::token_sequence, t);
    };
    Value end = b.add(first, count);
    Value last = sequence(b.sub(end, b.index(1)));
    return b.loop(
        sequence(first), b.add(last, b.index(1)), out,
        [&](Value n, ValueRange carried) {
          Value begin = b.maximum(
              first, b.raggedGet(ragged, RaggedField::seq_offsets, n));
          Value after = b.raggedGet(ragged, RaggedField::seq_offsets,
                                    b.add(n, b.index(1)));
          // A token of padding is none of its sequence's.
          Value here =
              b.maximum(b.sub(b.minimum(end, after), begin), b.index(0));
          return Values{oneSequence(n, begin, here, b.sub(begin, first),
                                    keyHead, carried[0])};
        })[0];
  }

  /// Writes rows [local, local + count) of the tile `out`, which are tokens
  /// [begin, begin + count) of sequence n.
  Value oneSequence(Value n, Value begin, Value count, Value local,
                    Value keyHead, Value out) {
    Value one = b.index(1);
    auto write = [&](Value tokens, bool isSingle) {
      Value q = queries(begin, tokens, keyHead, isSingle);
      Running done = allPages(n, q, position(begin), tokens, keyHead, isSingle);
      return results(done, tokens, local, out);
    };
    return b.select(
        b.equal(count, one), out.getType(), [&] { return write(one, true); },
        [&] { return write(count, false); });
  }

  Value lowest() { return b.f32(-std::numeric_limits<float>::infinity()); }

  /// What the rows of q, `count` tokens from a position on, carry behind the
  /// last page.
  Running allPages(Value n, Value q, Value firstPosition, Value count,
                   Value keyHead, bool isSingle) {
    int64_t most = isSingle ? group : rows;
    Value visible = b.add(firstPosition, count);
    Value maxima = b.fill(lowest(), b.empty({most}, b.getF32Type()));
    Value totals = b.fill(b.f32(0), b.empty({most}, b.getF32Type()));
    Value sums = isSingle ? b.empty({group, width}, b.getF32Type())
                          : scratchRows(width, b.dim(q, 0));
    Value size = b.index(pageSize);
    Values done =
        b.loop(b.index(0), b.ceilDivide(visible, size),
               {maxima, totals, b.fill(b.f32(0), sums)},
               [&](Value i, ValueRange carried) {
                 Value start = b.mul(i, size);
                 Value keysHere = b.minimum(size, b.sub(visible, start));
                 Value page =
                     b.raggedGet(ragged, RaggedField::page_table, {n, i});
                 Indices at{op.getLayer(), page, zero(), keyHead, zero()};
                 Indices sizes{number(1), number(1), keysHere, number(1),
                               number(width)};
                 Value keys = b.slice(op.getKeys(), at, sizes, 2);
                 Value values = b.slice(op.getValues(), at, sizes, 2);
                 Running now{carried[0], carried[1], carried[2]};
                 Value ahead = b.sub(firstPosition, start);
                 Running next = isSingle ? pageOfSingle(q, keys, values, now)
                                         : onePage(q, keys, values, ahead, now);
                 return Values{next.maxima, next.totals, next.out};
               });
    return {done[0], done[1], done[2]};
  }

  /// [rows, columns] of scratch, of which `used` rows are wanted.
  Value scratchRows(int64_t columns, Value used) {
    return b.rows(b.empty({rows, columns}, b.getF32Type()), b.index(0), used);
  }

  /// Runs `body` for each token and head of the group with the row's number.
  Value forEachRow(Value count, Value init,
                   function_ref<Value(Value t, Value g, Value r, Value)> body) {
    return b.loop(b.index(0), count, init, [&](Value t, ValueRange outer) {
      return b.loop(b.index(0), b.index(group), outer,
                    [&](Value g, ValueRange inner) {
                      Value r = b.add(b.mul(t, b.index(group)), g);
                      return Values{body(t, g, r, inner[0])};
                    });
    })[0];
  }

  /// The scaled queries, one a row.
  Value queries(Value begin, Value count, Value keyHead, bool isSingle) {
    Value scale = b.f32(op.getScale().convertToDouble());
    Value firstHead = b.mul(keyHead, b.index(group));
    Value all;
    if (isSingle) {
      all = b.empty({group, width}, b.getF32Type());
    } else {
      // The bound lets the scratch of the worker be planned.
      Value used = b.minimum(b.index(rows), b.mul(count, b.index(group)));
      all = scratchRows(width, used);
    }
    return forEachRow(count, all, [&](Value t, Value g, Value r, Value rows) {
      Value q =
          b.slice(op.getQ(), {b.add(begin, t), b.add(firstHead, g), zero()},
                  {number(1), number(1), number(width)}, 1);
      Value row = b.elementwise({q}, b.row(rows, r), [&](ValueRange a) {
        return b.mulf(b.widen(a[0]), scale);
      });
      return b.insertRow(row, rows, r);
    });
  }

  /// A page of keys in float32.
  Value widenPage(Value page) {
    if (getElementTypeOrSelf(page.getType()).isF32())
      return page;
    Value wide = b.empty({pageSize, width}, b.getF32Type());
    return b.copy(page, b.rows(wide, b.index(0), b.dim(page, 0)));
  }

  /// The values of a page, transposed: [d, keys]. Of a full one, which all but
  /// a sequence's last are, the extents are known.
  Value transposePage(Value page) {
    Value all = b.empty({width, pageSize}, b.getF32Type());
    Value keys = b.dim(page, 0);
    auto columns = [&](Value matrix, OpFoldResult count) {
      return b.slice(matrix, {zero(), zero()}, {number(width), count}, 2);
    };
    Value full = b.select(
        b.equal(keys, b.index(pageSize)), all.getType(),
        [&] {
          Value rows = b.slice(page, {zero(), zero()},
                               {number(pageSize), number(width)}, 2);
          return b.transpose(rows, all);
        },
        [&] {
          Value part = b.transpose(page, columns(all, b.extent(page, 0)));
          return b.insertSlice(part, all, {zero(), zero()},
                               {number(width), b.extent(page, 0)});
        });
    return columns(full, b.extent(page, 0));
  }

  /// `ahead` is the first row's position less that of the page's first key.
  Running onePage(Value q, Value keys, Value values, Value ahead,
                  Running running) {
    auto any = [&] {
      Value buffer =
          b.slice(scratchRows(pageSize, b.dim(q, 0)), {zero(), zero()},
                  {b.extent(q, 0), b.extent(keys, 0)}, 2);
      Value scores =
          b.multiplyInto(q, widenPage(keys), b.fill(b.f32(0), buffer));
      Values done = allRows(scores, ahead, running);
      Value out = b.multiplyInto(done[0], transposePage(values), done[3]);
      return Values{done[1], done[2], out};
    };
    Values now{running.maxima, running.totals, running.out};
    if (rows % group != 0 || rows % 8 != 0 || pageSize % 16 != 0 ||
        width % 16 != 0 || !getElementTypeOrSelf(keys.getType()).isF32())
      return toRunning(any());
    Value isFull =
        arith::AndIOp::create(b, b.equal(b.dim(q, 0), b.index(rows)),
                              b.equal(b.dim(keys, 0), b.index(pageSize)));
    return toRunning(b.branch(
        isFull, ValueRange(now).getTypes(),
        [&] { return fullPage(q, keys, values, ahead, running); }, any));
  }

  static Running toRunning(const Values &values) {
    return {values[0], values[1], values[2]};
  }

  /// The same for `rows` rows and a page of `pageSize` keys, in registers.
  Values fullPage(Value q, Value keys, Value values, Value ahead,
                  const Running &running) {
    Indices origin{zero(), zero()};
    auto known = [&](Value matrix, int64_t count) {
      return b.slice(matrix, origin, {number(count), number(width)}, 2);
    };
    auto empty = [&](int64_t count, int64_t columns) {
      return b.empty({count, columns}, b.getF32Type());
    };
    Value turned = b.transpose(known(keys, pageSize), empty(width, pageSize));
    Value scores = multiply(known(q, rows), turned,
                            b.fill(b.f32(0), empty(rows, pageSize)));
    Values done =
        allRows(scores, ahead,
                {running.maxima, running.totals, known(running.out, rows)});
    Value out = multiply(done[0], known(values, pageSize), done[3]);
    return {
        done[1], done[2],
        b.insertSlice(out, running.out, origin, {number(rows), number(width)})};
  }

  /// out + x y in registers.
  Value multiply(Value x, Value y, Value out) {
    return linalg::MatmulOp::create(b, TypeRange{out.getType()},
                                    ValueRange{x, y}, ValueRange{out})
        .getResult(0);
  }

  /// Turns the scores of all rows into shares; with what the rows carry.
  Values allRows(Value scores, Value ahead, const Running &running) {
    Value count = b.dim(scores, 1);
    return b.loop(b.index(0), b.dim(scores, 0),
                  {scores, running.maxima, running.totals, running.out},
                  [&](Value r, ValueRange carried) {
                    Value token = b.divide(r, b.index(group));
                    Value seen = b.add(b.add(ahead, token), b.index(1));
                    Value visible =
                        b.maximum(b.index(0), b.minimum(count, seen));
                    return oneRow(r, visible, carried);
                  });
  }

  /// The same for a single token, which sees all keys of the page.
  Running pageOfSingle(Value q, Value keys, Value values,
                       const Running &running) {
    Value count = b.dim(keys, 0);
    // What is not scored has no share.
    Value none = b.fill(lowest(), b.empty({group, pageSize}, b.getF32Type()));
    Value scores =
        b.loop(b.index(0), count, none, [&](Value j, ValueRange carried) {
          Value row = carried[0];
          Values dots = b.sums(b.index(width), group, [&](Value k) {
            Value key = b.widen(b.extract(keys, {j, k}));
            Values products;
            for (int64_t g = 0; g < group; ++g)
              products.push_back(b.mulf(b.extract(q, {b.index(g), k}), key));
            return products;
          });
          for (auto [g, dot] : llvm::enumerate(dots))
            row = b.insert(dot, row, {b.index(g), j});
          return Values{row};
        })[0];
    Values done = b.loop(b.index(0), b.index(group),
                         {scores, running.maxima, running.totals, running.out},
                         [&](Value r, ValueRange carried) {
                           return oneRow(r, b.index(pageSize), carried);
                         });
    Value shares = b.slice(done[0], {zero(), zero()},
                           {number(group), b.extent(keys, 0)}, 2);
    return {done[1], done[2], multiply(shares, widenPage(values), done[3])};
  }

  /// Turns row r of the scores into shares of its first `visible` keys, and
  /// updates the row's maximum, sum and output.
  Values oneRow(Value r, Value visible, ValueRange carried) {
    Value row = b.row(carried[0], r);
    Value before = b.extract(carried[1], r);
    Value maximum =
        b.loop(b.index(0), visible, before, [&](Value j, ValueRange largest) {
          return Values{
              arith::MaximumFOp::create(b, largest[0], b.extract(row, j))};
        })[0];
    Value correction = b.exp(b.subf(before, maximum));
    Indices origin{zero()};
    Value seen = b.elementwise(
        {}, b.slice(row, origin, {visible}, 1),
        [&](ValueRange a) { return b.exp(b.subf(a[0], maximum)); });
    Value sum = b.sum(visible, [&](Value j) { return b.extract(seen, j); });
    row = b.insertSlice(seen, row, origin, {visible});
    Value hidden = b.sub(b.dim(row, 0), visible);
    Value none = b.fill(b.f32(0), b.slice(row, {visible}, {hidden}, 1));
    row = b.insertSlice(none, row, {visible}, {hidden});

    Value total = b.addf(b.mulf(b.extract(carried[2], r), correction), sum);
    Value out = b.elementwise({}, b.row(carried[3], r), [&](ValueRange a) {
      return b.mulf(a[0], correction);
    });
    return {b.insertRow(row, carried[0], r), b.insert(maximum, carried[1], r),
            b.insert(total, carried[2], r), b.insertRow(out, carried[3], r)};
  }

  Value results(Running running, Value count, Value local, Value out) {
    Type type = getElementTypeOrSelf(out.getType());
    return forEachRow(count, out, [&](Value t, Value g, Value r, Value tile) {
      Value inverse = b.divf(b.f32(1), b.extract(running.totals, r));
      Indices at{b.add(local, t), g, zero()};
      Indices sizes{number(1), number(1), number(width)};
      Value row = b.elementwise(
          {b.row(running.out, r)}, b.slice(tile, at, sizes, 1),
          [&](ValueRange a) { return b.narrow(b.mulf(a[0], inverse), type); });
      return b.insertSlice(row, tile, at, sizes);
    });
  }

  KernelBuilder &b;
  SoftmaxAttentionOp op;
  Value ragged;
  int64_t pageSize, width, group, rows;
};

struct SoftmaxAttentionKernel : OpRewritePattern<SoftmaxAttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SoftmaxAttentionOp op,
                                PatternRewriter &rewriter) const override {
    auto q = cast<ShapedType>(op.getQ().getType());
    auto keys = cast<ShapedType>(op.getKeys().getType());
    if (q.isDynamicDim(1) || q.isDynamicDim(2) || keys.isDynamicDim(3))
      return rewriter.notifyMatchFailure(op, "heads and head size are dynamic");
    KernelBuilder b(rewriter, op.getLoc());
    rewriter.replaceOp(op, AttentionWriter(b, op).write());
    return success();
  }
};

} // namespace

void mm01::populateSoftmaxKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<CacheUpdateKernel, SoftmaxAttentionKernel>(
      patterns.getContext());
}
