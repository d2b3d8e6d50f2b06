//===- Quantize.h - rows of floats as int8 and a scale --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/contract.md, "int8 parameters", for each row w in float32:
//
//     scale = max_k |w[k]| / 127
//     q[k]  = w[k] / scale, to the nearest whole number, ties to even, and at
//             most 127 in size; 0 where the scale is 0
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_QUANTIZE_H
#define MM01_RUNTIME_CORE_QUANTIZE_H

#include "runtime/abi/program.h"
#include "runtime/core/Manifest.h"

namespace mm01 {

/// Quantises `rows` rows of `columns` elements at `from`, dense, of a `type`
/// that is f32, f16 or bf16: elements to `to`, one scale a row to `scales`.
/// Gives the first row that holds an infinity or a NaN, which has no int8 form;
/// nothing when all rows are done.
std::optional<int64_t> quantizeRows(ElementType type, const void *from,
                                    int64_t rows, int64_t columns, int8_t *to,
                                    float *scales);

/// Where the scales of a weight of so many int8 elements lie, counted in bytes
/// from its first: a GPU program finds them behind the elements
/// (runtime/abi/program.h).
inline int64_t scalesPlace(int64_t elements) {
  return (elements + MM01_ALIGNMENT - 1) / MM01_ALIGNMENT * MM01_ALIGNMENT;
}

} // namespace mm01

#endif // MM01_RUNTIME_CORE_QUANTIZE_H
