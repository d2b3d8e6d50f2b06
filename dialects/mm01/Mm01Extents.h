//===- Mm01Extents.h - what an entry says of its arguments' extents -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_DIALECTS_MM01_MM01EXTENTS_H
#define MM01_DIALECTS_MM01_MM01EXTENTS_H

#include "mlir/IR/Types.h"

#include <optional>

namespace mm01 {

/// The argument attribute of `--mm01-relate-extents`: an array with an element
/// for each extent of the argument, a string where it is equal to every extent
/// of that name, a whole number where it must be that, `unit` where it may be
/// any.
inline constexpr llvm::StringLiteral kExtentsAttr = "mm01.extents";

/// The argument attribute of `--mm01-relate-caches`: an array of dictionaries,
/// each a way in which the cache is addressed: `batch`, the number of a ragged
/// argument; `rows`, "slots" or "pages" of it, rows of the cache's dimension 1;
/// `layer`, the number of an index argument, or `layers`, how many there must
/// be, or neither.
inline constexpr llvm::StringLiteral kCacheUsesAttr = "mm01.cache_uses";

/// How many extents an argument of this type has: the dimensions of a tensor or
/// a buffer; T, N and P of a ragged batch, in the order of RaggedExtent; an
/// index is its own one extent. Nothing for other types.
std::optional<int64_t> countExtents(mlir::Type type);

} // namespace mm01

#endif // MM01_DIALECTS_MM01_MM01EXTENTS_H
