//===- MlirFile.cpp - reads a module from a file --------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/common/MlirFile.h"

#include "tools/common/Diagnostics.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <algorithm>

using namespace mlir;
using namespace mm01;

/// Levels of brackets that a file may have. The parser takes about 3 KiB of
/// stack for each, of the 8 MiB that a process usually has.
static constexpr int maxNesting = 256;

/// The line on which brackets are nested deeper than maxNesting, or 0. Brackets
/// in strings and comments count too; they are few.
static int lineNestedTooDeep(StringRef text) {
  int depth = 0, line = 1;
  char before = 0;
  for (char c : text) {
    if (c == '\n')
      ++line;
    if (StringRef("([{<").contains(c) && ++depth > maxNesting)
      return line;
    // The arrow "->" closes nothing.
    if (StringRef(")]}").contains(c) || (c == '>' && before != '-'))
      depth = std::max(0, depth - 1);
    before = c;
  }
  return 0;
}

Result<OwningOpRef<ModuleOp>> mm01::readMlirFile(MLIRContext &context,
                                                 const std::string &path) {
  // Reading a pipe could wait for ever.
  llvm::sys::fs::file_status kind;
  if (!llvm::sys::fs::status(path, kind) &&
      kind.type() == llvm::sys::fs::file_type::fifo_file)
    return Status::error(path, ": is a pipe, expected a regular file");
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return Status::error(path, ": cannot read: ", buffer.getError().message());
  return parseMlirText(context, std::move(*buffer));
}

Result<OwningOpRef<ModuleOp>>
mm01::parseMlirText(MLIRContext &context,
                    std::unique_ptr<llvm::MemoryBuffer> buffer) {
  std::string name = buffer->getBufferIdentifier().str();
  if (buffer->getBuffer().starts_with("ML\xefR"))
    return Status::error(name, ": is MLIR bytecode, expected text");
  if (int line = lineNestedTooDeep(buffer->getBuffer()))
    return Status::error(name, ":", line, ": nested deeper than ", maxNesting,
                         " levels, which no program is");
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), {});
  FirstError errors(context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return errors.status();
  return module;
}
