//===- SharedLibrary.h - a library of CUDA's, found at run time -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CUDA_SHAREDLIBRARY_H
#define MM01_RUNTIME_CUDA_SHAREDLIBRARY_H

#include <initializer_list>
#include <type_traits>

namespace mm01::cuda {

/// A library that stays open, and a table of its functions that is being
/// filled.
class SharedLibrary {
public:
  /// The first of these names that opens: on the loader's path, then in these
  /// folders ("lib64") of $CUDA_HOME, then of /usr/local/cuda. False where
  /// there is none.
  SharedLibrary(std::initializer_list<const char *> names,
                std::initializer_list<const char *> folders);
  explicit operator bool() const { return handle; }

  /// Sets `function` to that of this name, or to null.
  template <typename Function>
  void resolve(const char *name, Function *&function) {
    function = reinterpret_cast<Function *>(find(name));
  }
  /// The first name that resolve() did not find, or null.
  const char *missing() const { return firstMissing; }

private:
  void *find(const char *name);

  void *handle = nullptr;
  const char *firstMissing = nullptr;
};

} // namespace mm01::cuda

#endif // MM01_RUNTIME_CUDA_SHAREDLIBRARY_H
