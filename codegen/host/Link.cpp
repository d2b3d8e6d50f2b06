//===- Link.cpp - links and seals a program -------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/host/Link.h"
#include "runtime/abi/program.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <cstddef>
#include <cstring>

LLD_HAS_DRIVER(elf)

using namespace llvm;

/// The first line of what a tool said, to be part of one line.
static StringRef firstLine(StringRef text) {
  return text.trim().split('\n').first;
}

Expected<std::vector<char>> mm01::linkShared(StringRef object) {
  SmallString<128> folder;
  if (std::error_code error = sys::fs::createUniqueDirectory("mm01", folder))
    return createStringError(error, "cannot make a temporary folder in " +
                                        Twine(folder) + ": " + error.message());
  scope_exit cleanUp([&] { (void)sys::fs::remove_directories(folder); });
  SmallString<128> input = folder, output = folder;
  sys::path::append(input, "program.o");
  sys::path::append(output, "program.so");
  if (Error error = writeAtomically(input, object))
    return error;

  // No build identifier and no paths: equal modules make equal bytes. Where no
  // libm is found under this name the symbols stay open, and the runtime, which
  // uses libm itself, has them.
  std::vector<const char *> arguments = {"ld.lld",
                                         "-shared",
                                         "--build-id=none",
                                         "--hash-style=gnu",
                                         "-z",
                                         "noexecstack",
                                         "-z",
                                         "relro",
                                         "--no-mmap-output-file",
                                         "--threads=1",
                                         "-L/lib/x86_64-linux-gnu",
                                         "-L/usr/lib/x86_64-linux-gnu",
                                         "-L/lib64",
                                         "-L/usr/lib64",
                                         "--as-needed",
                                         input.c_str(),
                                         "-l:libm.so.6",
                                         "-o",
                                         output.c_str()};
  std::string said;
  raw_string_ostream stream(said);
  lld::Result result =
      lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return createStringError("cannot link the program: " + firstLine(said));
  auto file = MemoryBuffer::getFile(output);
  if (!file)
    return createStringError(file.getError(),
                             "cannot read the linked program: " +
                                 file.getError().message());
  return std::vector<char>((*file)->getBufferStart(), (*file)->getBufferEnd());
}

Error mm01::seal(std::vector<char> &file) {
  StringRef bytes(file.data(), file.size());
  auto elf = object::ELFFile<object::ELF64LE>::create(bytes);
  if (!elf)
    return elf.takeError();
  auto sections = elf->sections();
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    auto name = elf->getSectionName(section);
    if (!name)
      return name.takeError();
    if (*name != MM01_SEAL_SECTION || section.sh_size != sizeof(mm01_seal))
      continue;
    char *place = file.data() + section.sh_offset;
    mm01_seal value;
    std::memcpy(value.magic, MM01_SEAL_MAGIC, sizeof value.magic);
    value.abi = MM01_ABI_VERSION;
    value.file_bytes = file.size();
    value.xxh3 = 0;
    std::memcpy(place, &value, sizeof value);
    value.xxh3 = xxh3_64bits(
        ArrayRef(reinterpret_cast<const uint8_t *>(file.data()), file.size()));
    std::memcpy(place, &value, sizeof value);
    return Error::success();
  }
  return createStringError("linked program has no section " MM01_SEAL_SECTION);
}

Error mm01::writeAtomically(StringRef path, StringRef content) {
  auto refuse = [&](std::error_code error) {
    return createStringError(error,
                             path + ": cannot write: " + error.message());
  };
  SmallString<128> model = path;
  model += ".%%%%%%%%.tmp";
  auto temporary = sys::fs::TempFile::create(model, sys::fs::all_read |
                                                        sys::fs::owner_write);
  if (!temporary)
    return refuse(errorToErrorCode(temporary.takeError()));
  std::error_code failed;
  {
    raw_fd_ostream stream(temporary->FD, /*shouldClose=*/false);
    stream << content;
    stream.flush();
    failed = stream.error();
    stream.clear_error();
  }
  if (failed) {
    consumeError(temporary->discard());
    return refuse(failed);
  }
  if (Error error = temporary->keep(path)) {
    std::error_code code = errorToErrorCode(std::move(error));
    consumeError(temporary->discard());
    return refuse(code);
  }
  return Error::success();
}
