//===- Json.h - the rules that JSON from a user has to keep ---------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_FRONTEND_SAFETENSORS_JSON_H
#define MM01_FRONTEND_SAFETENSORS_JSON_H

#include "frontend/safetensors/Status.h"

#include <string_view>

namespace mm01 {

/// Checks that `text` is one JSON value in UTF-8, at most 64 levels deep, and
/// that no object has a key twice. JSON libraries keep one of two equal keys
/// without a word, and some recurse: after this check it is safe to hand the
/// text to any of them. `where` begins the message.
Status checkJson(std::string_view where, std::string_view text);

} // namespace mm01

#endif // MM01_FRONTEND_SAFETENSORS_JSON_H
