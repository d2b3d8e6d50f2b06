//===- SampleKernels.cpp - kernels that choose tokens ---------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No order of a row is made: which tokens stay is said by the lowest logit that
// stays and by how many of those equal to it do, and both are found by
// halving, with sums over the row. A row is cut into parts, so that one row
// keeps many workgroups busy.
//
//     %tokens, %problems = mm01.sample %logits, … into %t, %p
//   ->
//     %maxima = scf.forall (%n, %part)                 "sample_maximum"
//     %state, %sums = scf.forall (%n)                  "sample_start"
//     scf.for %round = 0 to %count_rounds              11, or 0 without top-k
//       %above = scf.forall (%n, %part)                "sample_count"
//       %state = scf.forall (%n)                       "sample_narrow"
//     scf.for %once = 0 to %shares                     1, or 0 without top-p
//       "sample_sums", "sample_share"
//     scf.for %round = 0 to %share_rounds
//       "sample_weigh", "sample_narrow_share"
//     scf.for %once = 0 to %drawn                      0 where greedy
//       "sample_sums"
//     %tokens, %problems = scf.forall (%n)             "sample_pick"
//
// SampleWriter.h has the arithmetic. Test:
// test/passes/tiling/form-kernels-sampling.mlir, and against the interpreter
// test/codegen/differential.
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/Patterns.h"
#include "passes/tiling/SampleWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mm01;

namespace {

/// Tokens that a part of a row has, and that one group of a part has.
constexpr int64_t kPart = 4096;
constexpr int64_t kGroup = 64;
static_assert(kPart == kGroup * kGroup);

/// A round splits the range of keys in which the threshold lies by this many
/// thresholds, into one more intervals: 32 bits are 11 rounds of 3.
constexpr int64_t kThresholds = 7;
constexpr int64_t kRounds = 11;

/// What is known of a row, in i64.
enum State : int64_t {
  Peak,   // key of the highest logit
  Low,    // the lowest key that stays is in [Low, High)
  High,   //
  Above,  // tokens, or their weight, of keys from High on
  Wanted, // tokens, or weight, that shall stay
  Kept,   // how many tokens with the key Low stay, the lowest ids
  kStates
};

struct SampleKernel : OpRewritePattern<SampleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SampleOp op,
                                PatternRewriter &rewriter) const override;
};

/// Writes all kernels of one op.
class SampleKernels {
public:
  SampleKernels(PatternRewriter &rewriter, SampleOp op)
      : w(rewriter, op.getLoc()), op(op), logits(op.getLogits()),
        vocabulary(op.getLogits().getType().getDimSize(1)),
        parts(llvm::divideCeil(vocabulary, kPart)),
        rows(w.dim(op.getLogits(), 0)) {}

  ValueRange write();

private:
  Value makeTensor(ArrayRef<int64_t> extents, Type type) {
    Indices sizes{w.extent(logits, 0)};
    for (int64_t extent : extents)
      sizes.push_back(w.getIndexAttr(extent));
    return tensor::EmptyOp::create(w, sizes, type);
  }

  /// What a workgroup writes of row n, or of part p of it.
  Written row(Value value, ArrayRef<Value> at);
  /// A row [width] of `out`, of these numbers.
  Written setRow(ArrayRef<Value> numbers, Value out, ArrayRef<Value> at);

  Value get(Value state, Value n, State column) {
    return w.extract(state, {n, w.index(column)});
  }
  Value getKey(Value state, Value n, State column) {
    return w.toI32(get(state, n, column));
  }

  /// Goes through the logits of part p of row n.
  using ElementBody = function_ref<Values(Value logit, ValueRange carried)>;
  Values overPart(Value n, Value p, ValueRange init, ElementBody body);
  Values sumOverParts(Value sums, Value n, int64_t width);

  Value findMaxima();
  Values start(Value maxima);
  Value sumThresholds(Value state, Value sums, bool weighs);
  Value narrow(Value state, Value sums, bool weighs);
  Value sumKept(Value state, Value sums);
  Value share(Value state, Value sums);
  ValueRange pick(Value state, Value sums);

  /// The thresholds of a round, as i64, from 1 on.
  Values thresholds(Value low, Value high);
  Weighing weighing(Value state, Value n) {
    return w.weighing(getKey(state, n, Peak), op.getTemperature());
  }

  /// A place in a row: the entry in which the drawn weight lies, the rest of
  /// that weight, and how many tokens of the lowest key were before.
  struct Place {
    Value entry, rest, before;
  };
  Place find(Value count, Place from, Value kept, Value unit,
             function_ref<std::pair<Value, Value>(Value)> load);
  /// The same in a table [kGroup, 2] of weights and of tokens of the lowest
  /// key, whose rows `body` makes.
  Place findInTable(Place from, Value kept, Value unit,
                    function_ref<std::pair<Value, Value>(Value)> body);

  SampleWriter w;
  SampleOp op;
  Value logits;
  int64_t vocabulary, parts;
  Value rows;
};

} // namespace

Written SampleKernels::row(Value value, ArrayRef<Value> at) {
  Written written{value, Indices(at), Indices(at.size(), w.getIndexAttr(1))};
  written.offsets.push_back(w.getIndexAttr(0));
  written.sizes.push_back(w.extent(value, 0));
  return written;
}

Written SampleKernels::setRow(ArrayRef<Value> numbers, Value out,
                              ArrayRef<Value> at) {
  int64_t width = static_cast<int64_t>(numbers.size());
  Indices offsets(at), sizes(at.size(), w.getIndexAttr(1));
  offsets.push_back(w.getIndexAttr(0));
  sizes.push_back(w.getIndexAttr(width));
  Value made = w.slice(out, offsets, sizes, 1);
  for (auto [i, number] : llvm::enumerate(numbers))
    made = w.insert(number, made, w.index(static_cast<int64_t>(i)));
  return row(made, at);
}

Values SampleKernels::overPart(Value n, Value p, ValueRange init,
                               ElementBody body) {
  Value first = w.mul(p, w.index(kPart));
  auto over = [&](int64_t length) {
    Value part = w.slice(logits, {n, first},
                         {w.getIndexAttr(1), w.getIndexAttr(length)}, 1);
    return w.loop(w.index(0), w.index(length), init,
                  [&](Value i, ValueRange carried) {
                    return body(w.extract(part, i), carried);
                  });
  };
  // Of known length both, so that threads read neighbours at once.
  int64_t full = vocabulary / kPart, rest = vocabulary % kPart;
  if (rest == 0)
    return over(kPart);
  if (full == 0)
    return over(rest);
  Value isFull = w.compare(arith::CmpIPredicate::slt, p, w.index(full));
  return w.branch(
      isFull, init.getTypes(), [&] { return over(kPart); },
      [&] { return over(rest); });
}

/// [N, P], the highest key of each part.
Value SampleKernels::findMaxima() {
  auto kernel = [&](ValueRange ids, ValueRange outs) {
    Value lowest = w.i32(std::numeric_limits<int32_t>::min());
    Value highest =
        overPart(ids[0], ids[1], lowest, [&](Value logit, ValueRange carried) {
          return Values{w.maximum(carried[0], w.key(logit))};
        })[0];
    // A row of one element.
    Indices at{ids[0], ids[1]}, one(2, w.getIndexAttr(1));
    Value made = w.insert(highest, w.slice(outs[0], at, one, 1), w.index(0));
    return SmallVector<Written>{{made, at, one}};
  };
  return w.kernel("sample_maximum", {rows, w.index(parts)},
                  makeTensor({parts}, w.getI32Type()), kernel)[0];
}

/// The state of each row before any round, and [N, P, 2] of which a greedy
/// choice is made: no weights, and a token for each part that has one of the
/// highest logit.
Values SampleKernels::start(Value maxima) {
  Type i64 = w.getI64Type();
  auto kernel = [&](ValueRange ids, ValueRange outs) {
    Value n = ids[0];
    Value peak = w.loop(
        w.index(0), w.index(parts), w.i32(std::numeric_limits<int32_t>::min()),
        [&](Value p, ValueRange carried) {
          return Values{w.maximum(carried[0], w.extract(maxima, {n, p}))};
        })[0];
    // One token stays: where it is asked for, and where logits are no numbers.
    Value pinned =
        w.either(w.negate(w.isDrawn(op.getTemperature(), op.getTopK())),
                 w.either(w.equal(peak, w.i32(kInfinityKey)),
                          w.equal(peak, w.i32(-kInfinityKey))));
    Value wide = w.toI64(peak), one = w.i64(1);
    Values state(kStates);
    state[Peak] = wide;
    state[Low] = w.choose(pinned, wide, w.i64(-kInfinityKey));
    state[High] = w.add(wide, one);
    state[Above] = w.i64(0);
    state[Wanted] = w.choose(pinned, one, op.getTopK());
    state[Kept] = w.choose(pinned, one, w.i64(vocabulary));
    Indices at{n, w.getIndexAttr(0), w.getIndexAttr(0)};
    Indices sizes{w.getIndexAttr(1), w.getIndexAttr(parts), w.getIndexAttr(2)};
    Value sums = w.slice(outs[1], at, sizes, 2);
    constexpr auto parallel = utils::IteratorType::parallel;
    Value filled = w.generic(w.row(maxima, n), sums, {{0}, {0, 1}},
                             {parallel, parallel}, [&](ValueRange elements) {
                               Value column = linalg::IndexOp::create(w, 1);
                               Value counts =
                                   w.both(w.equal(column, w.index(1)),
                                          w.equal(elements[0], peak));
                               return w.choose(counts, one, w.i64(0));
                             });
    return SmallVector<Written>{setRow(state, outs[0], n), {filled, at, sizes}};
  };
  return Values(w.kernel(
      "sample_start", rows,
      {makeTensor({kStates}, i64), makeTensor({parts, 2}, i64)}, kernel));
}

Values SampleKernels::thresholds(Value low, Value high) {
  int64_t intervals = kThresholds + 1;
  Value length = w.add(w.sub(high, low), w.i64(intervals - 1));
  Value step = arith::DivUIOp::create(w, length, w.i64(intervals));
  Values made;
  for (int64_t i = 1; i <= kThresholds; ++i)
    made.push_back(w.add(low, w.mul(step, w.i64(i))));
  return made;
}

/// [N, P, 7]: the tokens of each part, or their weight, whose keys are not
/// below each threshold.
Value SampleKernels::sumThresholds(Value state, Value sums, bool weighs) {
  Type type = weighs ? w.getI64Type() : w.getI32Type();
  Value none = weighs ? w.i64(0) : w.i32(0);
  auto kernel = [&](ValueRange ids, ValueRange outs) {
    Value n = ids[0];
    Value low = get(state, n, Low), high = get(state, n, High);
    Values keys;
    for (Value threshold : thresholds(low, high))
      keys.push_back(w.toI32(threshold));
    Weighing weighing = this->weighing(state, n);
    Values nothing(kThresholds, none);
    auto body = [&](Value logit, ValueRange carried) {
      Value key = w.key(logit);
      Value each = weighs ? w.weight(logit, key, weighing) : w.i32(1);
      Values next;
      for (auto [threshold, sum] : llvm::zip_equal(keys, carried))
        next.push_back(
            w.add(sum, w.choose(w.lessOrEqual(threshold, key), each, none)));
      return next;
    };
    // Where the threshold is known, no token is above those of the round.
    Value open =
        w.compare(arith::CmpIPredicate::sgt, w.sub(high, low), w.i64(1));
    Values found = w.branch(
        open, SmallVector<Type>(kThresholds, type),
        [&] { return overPart(n, ids[1], nothing, body); },
        [&] { return nothing; });
    for (Value &sum : found)
      sum = w.toI64(sum);
    return SmallVector<Written>{setRow(found, outs[0], {n, ids[1]})};
  };
  return w.kernel(weighs ? "sample_weigh" : "sample_count",
                  {rows, w.index(parts)}, sums, kernel)[0];
}

Values SampleKernels::sumOverParts(Value sums, Value n, int64_t width) {
  return w.loop(w.index(0), w.index(parts), Values(width, w.i64(0)),
                [&](Value p, ValueRange carried) {
                  Values next;
                  for (auto [j, sum] : llvm::enumerate(carried))
                    next.push_back(
                        w.add(sum, w.extract(sums, {n, p, w.index(j)})));
                  return next;
                });
}

/// The interval of the round in which the threshold lies: as much as is wanted
/// has keys from Low on, and less has keys from High on.
Value SampleKernels::narrow(Value state, Value sums, bool weighs) {
  auto kernel = [&](ValueRange ids, ValueRange outs) {
    Value n = ids[0];
    Values totals = sumOverParts(sums, n, kThresholds);
    Value oldLow = get(outs[0], n, Low), oldHigh = get(outs[0], n, High);
    Value wanted = get(outs[0], n, Wanted);
    Values keys = thresholds(oldLow, oldHigh);
    Value low = oldLow, high = oldHigh, above = get(outs[0], n, Above);
    for (auto [key, total] : llvm::zip_equal(keys, totals))
      low = w.choose(w.lessOrEqual(wanted, total), key, low);
    for (size_t i = keys.size(); i-- > 0;) {
      Value closer =
          w.both(w.compare(arith::CmpIPredicate::slt, totals[i], wanted),
                 w.compare(arith::CmpIPredicate::slt, keys[i], oldHigh));
      high = w.choose(closer, keys[i], high);
      above = w.choose(closer, totals[i], above);
    }
    Value kept = w.sub(wanted, above);
    if (weighs) {
      Weighing weighing = this->weighing(outs[0], n);
      Value unit = w.maximum(w.weightOfKey(w.toI32(low), weighing), w.i64(1));
      kept =
          arith::DivUIOp::create(w, w.add(kept, w.sub(unit, w.i64(1))), unit);
    }
    return SmallVector<Written>{setRow(
        {get(outs[0], n, Peak), low, high, above, wanted, kept}, outs[0], n)};
  };
  return w.kernel(weighs ? "sample_narrow_share" : "sample_narrow", rows, state,
                  kernel)[0];
}

/// [N, P, 2]: of each part, the weight of tokens above the lowest key that
/// stays, and how many tokens have this key.
Value SampleKernels::sumKept(Value state, Value sums) {
  auto kernel = [&](ValueRange ids, ValueRange outs) {
    Value n = ids[0];
    Weighing weighing = this->weighing(state, n);
    Value low = getKey(state, n, Low);
    Values found = overPart(
        n, ids[1], {w.i64(0), w.i64(0)}, [&](Value logit, ValueRange carried) {
          auto [weight, ties] = w.stay(logit, low, weighing);
          return Values{w.add(carried[0], weight), w.add(carried[1], ties)};
        });
    return SmallVector<Written>{setRow(found, outs[0], {n, ids[1]})};
  };
  return w.kernel("sample_sums", {rows, w.index(parts)}, sums, kernel)[0];
}

/// What top-p wants, of the tokens that top-k left.
Value SampleKernels::share(Value state, Value sums) {
  auto kernel = [&](ValueRange ids, ValueRange outs) {
    Value n = ids[0];
    Values totals = sumOverParts(sums, n, 2);
    Weighing weighing = this->weighing(outs[0], n);
    Value low = get(outs[0], n, Low), kept = get(outs[0], n, Kept);
    Value peak = get(outs[0], n, Peak);
    Value unit = w.weightOfKey(w.toI32(low), weighing);
    Value all = w.add(totals[0], w.mul(unit, w.minimum(kept, totals[1])));
    Value wanted = w.shareOf(op.getTopP(), all);
    return SmallVector<Written>{
        setRow({peak, low, w.add(peak, w.i64(1)), w.i64(0), wanted, kept},
               outs[0], n)};
  };
  return w.kernel("sample_share", rows, state, kernel)[0];
}

SampleKernels::Place
SampleKernels::find(Value count, Place from, Value kept, Value unit,
                    function_ref<std::pair<Value, Value>(Value)> load) {
  Value zero = w.i64(0);
  Values init{zero, from.before, w.index(0), zero, from.before};
  Values found =
      w.loop(w.index(0), count, init, [&](Value i, ValueRange carried) {
        Value sum = carried[0], before = carried[1];
        auto [weight, ties] = load(i);
        Value after = w.add(before, ties);
        Value stay = w.sub(w.minimum(kept, after), w.minimum(kept, before));
        Value next = w.add(sum, w.add(weight, w.mul(unit, stay)));
        Value here =
            w.both(w.lessOrEqual(sum, from.rest),
                   w.compare(arith::CmpIPredicate::slt, from.rest, next));
        return Values{next, after, w.choose(here, i, carried[2]),
                      w.choose(here, sum, carried[3]),
                      w.choose(here, before, carried[4])};
      });
  return {found[2], w.sub(from.rest, found[3]), found[4]};
}

SampleKernels::Place
SampleKernels::findInTable(Place from, Value kept, Value unit,
                           function_ref<std::pair<Value, Value>(Value)> body) {
  Value table =
      w.forAll(w.getIndexAttr(kGroup), w.empty({kGroup, 2}, w.getI64Type()),
               [&](Value i, Value out) {
                 auto [weight, ties] = body(i);
                 return setRow({weight, ties}, out, i);
               });
  return find(w.index(kGroup), from, kept, unit, [&](Value i) {
    return std::pair(w.extract(table, {i, w.index(0)}),
                     w.extract(table, {i, w.index(1)}));
  });
}

/// The token in whose interval of all weight the draw lies: its part, its group
/// in the part, and its place in the group.
ValueRange SampleKernels::pick(Value state, Value sums) {
  auto kernel = [&](ValueRange ids, ValueRange outs) {
    Value n = ids[0];
    Weighing weighing = this->weighing(state, n);
    Value low = getKey(state, n, Low), kept = get(state, n, Kept);
    Value unit = w.weightOfKey(low, weighing);
    Values totals = sumOverParts(sums, n, 2);
    Value all = w.add(totals[0], w.mul(unit, w.minimum(kept, totals[1])));
    Value drawn = w.fractionOf(w.extract(op.getDraws(), n), all);

    Place place{w.index(0), drawn, w.i64(0)};
    place = find(w.index(parts), place, kept, unit, [&](Value p) {
      return std::pair(w.extract(sums, {n, p, w.index(0)}),
                       w.extract(sums, {n, p, w.index(1)}));
    });
    Value end = w.index(vocabulary);
    Value first = w.mul(place.entry, w.index(kPart));
    auto stay = [&](Value v) {
      return w.stay(w.extract(logits, {n, v}), low, weighing);
    };
    place = findInTable(place, kept, unit, [&](Value group) {
      Value begin = w.minimum(w.add(first, w.mul(group, w.index(kGroup))), end);
      Value stop = w.minimum(w.add(begin, w.index(kGroup)), end);
      Values sum = w.loop(
          begin, stop, {w.i64(0), w.i64(0)}, [&](Value v, ValueRange carried) {
            auto [weight, ties] = stay(v);
            return Values{w.add(carried[0], weight), w.add(carried[1], ties)};
          });
      return std::pair(sum[0], sum[1]);
    });
    first = w.add(first, w.mul(place.entry, w.index(kGroup)));
    place = findInTable(place, kept, unit, [&](Value i) {
      Value v = w.add(first, i);
      Value isToken = w.compare(arith::CmpIPredicate::slt, v, end);
      auto [weight, ties] = stay(w.minimum(v, w.index(vocabulary - 1)));
      return std::pair(w.choose(isToken, weight, w.i64(0)),
                       w.choose(isToken, ties, w.i64(0)));
    });

    Value token = w.add(first, place.entry);
    Value problem = w.problem(w.extract(logits, {n, token}));
    auto set = [&](Value number, Value out) -> Written {
      Indices at{n}, one{w.getIndexAttr(1)};
      return {w.insert(number, w.slice(out, at, one, 1), w.index(0)), at, one};
    };
    return SmallVector<Written>{set(w.toI32(token), outs[0]),
                                set(problem, outs[1])};
  };
  return w.kernel("sample_pick", rows, {op.getTokens(), op.getProblems()},
                  kernel);
}

ValueRange SampleKernels::write() {
  Value maxima = findMaxima();
  Values started = start(maxima);
  Value state = started[0], kept = started[1];
  Value thresholds = makeTensor({parts, kThresholds}, w.getI64Type());

  Value drawn = w.isDrawn(op.getTemperature(), op.getTopK());
  Value counts = w.both(
      drawn,
      w.both(w.compare(arith::CmpIPredicate::sgt, op.getTopK(), w.i64(1)),
             w.compare(arith::CmpIPredicate::slt, op.getTopK(),
                       w.i64(vocabulary))));
  Value shares = w.both(drawn, w.isBelowOne(op.getTopP()));
  auto repeat = [&](Value condition, int64_t times, Value &sums,
                    function_ref<void()> body) {
    Value end = w.choose(condition, w.index(times), w.index(0));
    Values done =
        w.loop(w.index(0), end, {state, sums}, [&](Value, ValueRange carried) {
          Value outerState = state, outerSums = sums;
          state = carried[0];
          sums = carried[1];
          body();
          Values made{state, sums};
          state = outerState;
          sums = outerSums;
          return made;
        });
    state = done[0];
    sums = done[1];
  };
  repeat(counts, kRounds, thresholds, [&] {
    thresholds = sumThresholds(state, thresholds, /*weighs=*/false);
    state = narrow(state, thresholds, /*weighs=*/false);
  });
  repeat(shares, 1, kept, [&] {
    kept = sumKept(state, kept);
    state = share(state, kept);
  });
  repeat(shares, kRounds, thresholds, [&] {
    thresholds = sumThresholds(state, thresholds, /*weighs=*/true);
    state = narrow(state, thresholds, /*weighs=*/true);
  });
  repeat(drawn, 1, kept, [&] { kept = sumKept(state, kept); });
  return pick(state, kept);
}

/// mm01.sample   ==>   the kernels above, and loops of the host around them
LogicalResult SampleKernel::matchAndRewrite(SampleOp op,
                                            PatternRewriter &rewriter) const {
  rewriter.replaceOp(op, SampleKernels(rewriter, op).write());
  return success();
}

void mm01::populateSampleKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<SampleKernel>(patterns.getContext());
}
