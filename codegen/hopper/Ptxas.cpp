//===- Ptxas.cpp - machine code from PTX ----------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/hopper/Ptxas.h"
#include "codegen/hopper/Ptx.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace llvm;

//===----------------------------------------------------------------------===//
// Finding it
//===----------------------------------------------------------------------===//

static std::optional<std::string> ifExecutable(const Twine &path) {
  if (sys::fs::can_execute(path))
    return path.str();
  return std::nullopt;
}

/// Looks in the packages of each Python below a prefix, "/usr/local".
static std::optional<std::string> findInPrefix(StringRef prefix) {
  std::error_code error;
  SmallString<128> library(prefix);
  sys::path::append(library, "lib");
  for (sys::fs::directory_iterator it(library, error), end; it != end && !error;
       it.increment(error)) {
    if (!sys::path::filename(it->path()).starts_with("python3"))
      continue;
    for (StringRef packages : {"site-packages", "dist-packages"})
      for (StringRef place :
           {"nvidia/cu13/bin/ptxas", "nvidia/cuda_nvcc/bin/ptxas"})
        if (auto found =
                ifExecutable(it->path() + "/" + packages + "/" + place))
          return found;
  }
  return std::nullopt;
}

std::optional<std::string> mm01::findPtxas() {
  if (const char *home = std::getenv("CUDA_HOME"); home && *home)
    if (auto found = ifExecutable(Twine(home) + "/bin/ptxas"))
      return found;
  if (auto found = sys::findProgramByName("ptxas"))
    return *found;
  SmallVector<std::string> prefixes;
  if (const char *environment = std::getenv("VIRTUAL_ENV"))
    prefixes.push_back(environment);
  if (const char *home = std::getenv("HOME"))
    prefixes.push_back(std::string(home) + "/.local");
  prefixes.append({"/usr/local", "/usr"});
  for (const std::string &prefix : prefixes)
    if (auto found = findInPrefix(prefix))
      return found;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Running it
//===----------------------------------------------------------------------===//

Error mm01::checkReport(StringRef report, StringRef kernel) {
  Regex bytes("([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, "
              "([0-9]+) bytes spill loads");
  Regex note("C75[0-9][0-9]");
  SmallVector<StringRef> lines, found;
  report.split(lines, '\n');
  for (StringRef line : lines) {
    auto refuse = [&](const Twine &what) {
      return createStringError("kernel " + kernel + ": " + what);
    };
    if (note.match(line))
      return refuse("the assembler notes '" + line.trim() +
                    "', expected a kernel without such notes");
    if (!bytes.match(line, &found))
      continue;
    if (found[2] != "0" || found[3] != "0")
      return refuse("registers are spilled: " + found[2] +
                    " bytes stored and " + found[3] + " loaded, expected none");
    if (found[1] != "0")
      return refuse(found[1] + " bytes of local memory, expected none");
  }
  return Error::success();
}

/// The first line that says what is wrong.
static StringRef firstComplaint(StringRef report) {
  SmallVector<StringRef> lines;
  report.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines)
    if (line.contains_insensitive("error") || line.contains("fatal"))
      return line.trim();
  return lines.empty() ? "it says nothing" : lines.front().trim();
}

static Error writeFile(StringRef path, StringRef content) {
  std::error_code error;
  raw_fd_ostream stream(path, error);
  if (!error) {
    stream << content;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  return error ? createStringError(error, "cannot write " + path + ": " +
                                              error.message())
               : Error::success();
}

Expected<std::string> mm01::assemble(StringRef ptxas, StringRef ptx,
                                     StringRef kernel) {
  SmallString<128> folder;
  if (std::error_code error = sys::fs::createUniqueDirectory("mm01", folder))
    return createStringError(error, "cannot make a temporary folder: " +
                                        error.message());
  scope_exit cleanUp([&] {
    // What cannot be removed is the system's to clear.
    consumeError(errorCodeToError(sys::fs::remove_directories(folder)));
  });
  auto inside = [&](StringRef name) { return (folder + "/" + name).str(); };
  std::string input = inside("kernel.ptx"), output = inside("kernel.cubin"),
              report = inside("report");
  if (Error error = writeFile(input, ptx))
    return error;
  std::string arch = ("-arch=" + kHopperChip).str();
  std::string message;
  int code = sys::ExecuteAndWait(
      ptxas, {ptxas, arch, "-O3", "-v", input, "-o", output}, std::nullopt,
      {std::nullopt, StringRef(report), StringRef(report)}, 0, 0, &message);
  auto said = MemoryBuffer::getFile(report);
  StringRef text = said ? (*said)->getBuffer() : StringRef(message);
  if (code != 0)
    return createStringError("kernel " + kernel + ": " + ptxas +
                             " refuses it: " + firstComplaint(text));
  if (Error error = checkReport(text, kernel))
    return error;
  auto cubin = MemoryBuffer::getFile(output);
  if (!cubin)
    return createStringError(
        cubin.getError(), "kernel " + kernel + ": cannot read what " + ptxas +
                              " wrote: " + cubin.getError().message());
  return (*cubin)->getBuffer().str();
}
