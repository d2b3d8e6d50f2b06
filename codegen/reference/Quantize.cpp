//===- Quantize.cpp - int8 weights of the reference -----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written from the contract, not from the runtime's code, so that a comparison
// of the two says something. Scales and quotients are those of float32.
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Quantize.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace mlir;

namespace mm01::reference {

Expected<Weight> quantize(const Weight &weight) {
  std::vector<int8_t> elements;
  std::vector<float> scales;
  std::vector<double> row(weight.columns());
  for (int64_t part = 0; part < weight.type().getParts(); ++part)
    for (int64_t r = 0; r < weight.rows(); ++r) {
      weight.readRow(part, r, row);
      float greatest = 0;
      for (double element : row) {
        if (!std::isfinite(element))
          return createStringError("row " + Twine(r) + " of part " +
                                   Twine(part) +
                                   " holds an infinity or a NaN, expected "
                                   "numbers to make int8 of");
        greatest = std::max(greatest, std::fabs(static_cast<float>(element)));
      }
      float scale = greatest / 127.0f;
      scales.push_back(scale);
      for (double element : row) {
        float quotient = scale == 0 ? 0 : static_cast<float>(element) / scale;
        elements.push_back(static_cast<int8_t>(
            std::clamp(std::nearbyint(quotient), -127.0f, 127.0f)));
      }
    }
  return Weight::quantized(weight.type().getShape(), weight.type().getContext(),
                           std::move(elements), std::move(scales));
}

} // namespace mm01::reference
