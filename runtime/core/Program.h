//===- Program.h - a compiled program, checked and loaded ----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_PROGRAM_H
#define MM01_RUNTIME_CORE_PROGRAM_H

#include "runtime/abi/program.h"
#include "runtime/core/Manifest.h"

#include <memory>

namespace mm01 {

/// A program that passed every check and is loaded. Nothing of the file runs
/// before its extents, its seal (ABI version, size, checksum), its manifest and
/// the machine's instruction set have been compared. Whether there is a device
/// for its target, who opens one finds out.
class Program {
public:
  /// The manifest of a program without loading it: all checks of open() but
  /// that of this machine.
  static Result<Manifest> readManifest(const std::string &path);

  /// Checks and loads the program at `path`.
  static Result<Program> open(const std::string &path);

  Program(Program &&) noexcept;
  Program &operator=(Program &&) noexcept;
  ~Program();

  const std::string &path() const { return programPath; }
  const Manifest &manifest() const { return content; }
  const EntrySpec &entry(size_t index) const { return content.entries[index]; }

  /// The code of entry `index`, in the order of the manifest.
  mm01_entry entryFunction(size_t index) const;
  mm01_arena_size arenaFunction(size_t index) const;

private:
  Program() = default;

  struct Functions {
    mm01_entry entry;
    mm01_arena_size arena;
  };
  std::string programPath;
  Manifest content;
  void *handle = nullptr;
  std::vector<Functions> functions;
};

} // namespace mm01

#endif // MM01_RUNTIME_CORE_PROGRAM_H
