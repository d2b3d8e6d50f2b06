//===- Program.cpp - a compiled program, checked and loaded --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Program.h"

#include "runtime/core/SealedFile.h"

#include <dlfcn.h>
#include <utility>

using namespace mm01;

namespace {

bool machineHas(std::string_view isa) {
  __builtin_cpu_init();
  if (isa == "x86-64-v2")
    return __builtin_cpu_supports("x86-64-v2");
  if (isa == "x86-64-v3")
    return __builtin_cpu_supports("x86-64-v3");
  if (isa == "x86-64-v4")
    return __builtin_cpu_supports("x86-64-v4");
  return isa == "x86-64";
}

std::string_view machineIsa() {
  for (std::string_view isa : {"x86-64-v4", "x86-64-v3", "x86-64-v2"})
    if (machineHas(isa))
      return isa;
  return "x86-64";
}

} // namespace

Program::Program(Program &&other) noexcept
    : programPath(std::move(other.programPath)),
      content(std::move(other.content)),
      handle(std::exchange(other.handle, nullptr)),
      functions(std::move(other.functions)) {}

Program &Program::operator=(Program &&other) noexcept {
  std::swap(programPath, other.programPath);
  std::swap(content, other.content);
  std::swap(handle, other.handle);
  std::swap(functions, other.functions);
  return *this;
}

Program::~Program() {
  if (handle)
    dlclose(handle);
}

Result<Manifest> Program::readManifest(const std::string &path) {
  Result<std::string> text = readSealedManifest(path);
  MM01_RETURN_IF_FAILED(text);
  return parseManifest(*text, path);
}

Result<Program> Program::open(const std::string &path) {
  Result<Manifest> manifest = readManifest(path);
  MM01_RETURN_IF_FAILED(manifest);
  if (!machineHas(manifest->isa))
    return Status::error(path, ": needs a processor of level ", manifest->isa,
                         ", found ", machineIsa());

  Program program;
  program.programPath = path;
  program.content = *std::move(manifest);
  // A name without a slash would be looked for in the library path.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  program.handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!program.handle)
    return Status::error(path, ": cannot be loaded: ", dlerror());
  for (const EntrySpec &entry : program.content.entries) {
    auto find = [&](const std::string &name) {
      return dlsym(program.handle, name.c_str());
    };
    void *code = find("mm01_entry_" + entry.name);
    void *arena = find("mm01_arena_" + entry.name);
    if (!code || !arena)
      return Status::error(path, ": expected the symbol mm01_",
                           code ? "arena_" : "entry_", entry.name,
                           " that the manifest promises, found none");
    program.functions.push_back({reinterpret_cast<mm01_entry>(code),
                                 reinterpret_cast<mm01_arena_size>(arena)});
  }
  return program;
}

mm01_entry Program::entryFunction(size_t index) const {
  return functions[index].entry;
}

mm01_arena_size Program::arenaFunction(size_t index) const {
  return functions[index].arena;
}
