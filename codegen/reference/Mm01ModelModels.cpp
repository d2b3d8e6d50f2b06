//===- Mm01ModelModels.cpp - reference of weights and ragged batches ------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Models.h"

using namespace llvm;
using namespace mlir;

namespace mm01::reference {

static Error weightPart(WeightPartOp op, Frame &frame) {
  const Weight &weight = frame.weight(op.getWeight());
  int64_t part = frame.integer(op.getPart());
  if (Error error = checkIndex(op, "the part", part, weight.type().getParts()))
    return error;
  return frame.set(op.getResult(), weight.readPart(part));
}

static Error weightScales(WeightScalesOp op, Frame &frame) {
  const Weight &weight = frame.weight(op.getWeight());
  int64_t part = frame.integer(op.getPart());
  if (Error error = checkIndex(op, "the part", part, weight.type().getParts()))
    return error;
  return frame.set(op.getResult(), weight.readScales(part));
}

static Error raggedSize(RaggedSizeOp op, Frame &frame) {
  const Ragged &ragged = frame.ragged(op.getRagged());
  switch (op.getExtent()) {
  case RaggedExtent::tokens:
    return frame.setInteger(op.getResult(), ragged.tokens());
  case RaggedExtent::sequences:
    return frame.setInteger(op.getResult(), ragged.sequences());
  case RaggedExtent::pages:
    return frame.setInteger(op.getResult(), ragged.pages());
  case RaggedExtent::several:
    return frame.setInteger(op.getResult(), ragged.several());
  }
  llvm_unreachable("every extent is listed");
}

static Error raggedGet(RaggedGetOp op, Frame &frame) {
  const Ragged &ragged = frame.ragged(op.getRagged());
  ArrayRef<int64_t> elements = ragged.field(op.getField());
  int64_t at = frame.integer(op.getIndices()[0]);
  if (op.getField() == RaggedField::page_table) {
    int64_t page = frame.integer(op.getIndices()[1]);
    if (Error error = checkIndex(op, "the sequence", at, ragged.sequences()))
      return error;
    if (Error error = checkIndex(op, "the page", page, ragged.pages()))
      return error;
    return frame.setInteger(op.getResult(), ragged.page(at, page));
  }
  if (Error error = checkIndex(op, "the index", at, elements.size()))
    return error;
  return frame.setInteger(op.getResult(), elements[at]);
}

void attachMm01ModelModels(MLIRContext &context) {
  attach<WeightPartOp, weightPart>(context);
  attach<WeightScalesOp, weightScales>(context);
  attach<RaggedSizeOp, raggedSize>(context);
  attach<RaggedGetOp, raggedGet>(context);
}

void registerMm01Models(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, Mm01Dialect *) {
    attachMm01AttentionModels(*context);
    attachMm01DenseModels(*context);
    attachMm01ModelModels(*context);
    attachMm01MoeModels(*context);
    attachMm01SamplingModels(*context);
  });
}

} // namespace mm01::reference
