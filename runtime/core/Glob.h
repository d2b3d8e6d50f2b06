//===- Glob.h - patterns of tensor names ---------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_GLOB_H
#define MM01_RUNTIME_CORE_GLOB_H

#include <string_view>

namespace mm01 {

/// Whether the whole of `text` matches `pattern`, in which `*` stands for any
/// number of characters and every other character for itself.
inline bool matchesGlob(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0;
  // Where to go on after a mismatch: behind the last star, which then takes one
  // character more.
  size_t star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*')
    ++p;
  return p == pattern.size();
}

} // namespace mm01

#endif // MM01_RUNTIME_CORE_GLOB_H
