//===- GraphBuilder.h - writes ops of the graph phase -----------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Short names for what layers are made of, so that a layer reads like its
// formula. Temporaries are `tensor.empty` with T rows; elementwise arithmetic
// is a linalg.generic that overwrites its last operand, in float32 at least.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_MODELS_MINIMAX01_TEXT01_GRAPHBUILDER_H
#define MM01_MODELS_MINIMAX01_TEXT01_GRAPHBUILDER_H

#include "dialects/mm01/Mm01Dialect.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mm01::text01 {

class GraphBuilder : public mlir::ImplicitLocOpBuilder {
public:
  /// `activation` is the element type of hidden states.
  GraphBuilder(mlir::Location loc, mlir::Type activation)
      : ImplicitLocOpBuilder(loc, loc.getContext()), activation(activation) {}

  mlir::Type getActivation() const { return activation; }

  /// T, the number of tokens.
  mlir::Value tokens(mlir::Value ragged);

  /// tensor<?x(inner)x(element, or the activation type)> with `rows` rows.
  mlir::Value empty(mlir::Value rows, llvm::ArrayRef<int64_t> inner,
                    mlir::Type element = {});

  /// x [T, K] times the transpose of weight [N, K], into `out` or a temporary.
  mlir::Value linear(mlir::Value x, mlir::Value weight, mlir::Value out);
  mlir::Value rmsNorm(mlir::Value x, mlir::Value weight, double eps,
                      mlir::Value out);

  /// [T, heads·width] as [T, heads, width], and back.
  mlir::Value splitHeads(mlir::Value x, mlir::Value rows, int64_t heads);
  mlir::Value mergeHeads(mlir::Value x);
  /// Features [first, first + width) of each head.
  mlir::Value features(mlir::Value x, mlir::Value rows, int64_t first,
                       int64_t width);

  /// x -> silu(x) = x / (1 + exp(-x))
  mlir::Value silu(mlir::Value x);
  /// gate, x -> silu(gate) · x
  mlir::Value siluTimes(mlir::Value gate, mlir::Value x);
  /// gate, x -> sigmoid(gate) · x
  mlir::Value sigmoidTimes(mlir::Value gate, mlir::Value x);
  /// y, r -> alpha · r + beta · y
  mlir::Value residual(mlir::Value y, mlir::Value r, double alpha, double beta);

  /// Logits [T, E] with -infinity where e is none of routes[layer, t, :], the k
  /// experts of token t: mm01.route then takes these, in its order, and divides
  /// their shares by the sum of them alone.
  mlir::Value keepChosen(mlir::Value logits, mlir::Value routes,
                         mlir::Value layer, int64_t k);

private:
  using ScalarBody =
      llvm::function_ref<mlir::Value(mlir::Value out, mlir::ValueRange inputs)>;
  /// Overwrites each element of `out` by what the body makes of it and of the
  /// elements of `inputs` at the same place.
  mlir::Value update(mlir::Value out, mlir::ValueRange inputs, ScalarBody body);
  mlir::Value scalar(double value);
  /// 1 + exp(-x)
  mlir::Value onePlusExpMinus(mlir::Value x);

  mlir::Type activation;
};

} // namespace mm01::text01

#endif // MM01_MODELS_MINIMAX01_TEXT01_GRAPHBUILDER_H
