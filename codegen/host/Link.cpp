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
    return createStringError(error, "cannot make a temporary folder: " +
                                        error.message());
  scope_exit cleanUp([&] {
    // What cannot be removed is the system's to clear.
    consumeError(errorCodeToError(sys::fs::remove_directories(folder)));
  });
  SmallString<128> input = folder, output = folder;
  sys::path::append(input, "program.o");
  sys::path::append(output, "program.so");
  if (Error error = writeAtomically(input, object))
    return error;

  // No build identifier and no paths: equal modules make equal bytes. What the
  // C library has is all that a program may ask for.
  std::vector<const char *> arguments = {"ld.lld",
                                         "-shared",
                                         "--build-id=none",
                                         "--hash-style=gnu",
                                         "-z",
                                         "noexecstack",
                                         "-z",
                                         "relro",
                                         "-z",
                                         "defs",
                                         "--no-mmap-output-file",
                                         "--threads=1",
                                         "-L/lib/x86_64-linux-gnu",
                                         "-L/usr/lib/x86_64-linux-gnu",
                                         "-L/lib64",
                                         "-L/usr/lib64",
                                         "--as-needed",
                                         input.c_str(),
                                         "-l:libm.so.6",
                                         "-l:libc.so.6",
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

/// Writes all of `content`, or says why not.
static std::error_code writeTo(int file, StringRef content) {
  raw_fd_ostream stream(file, /*shouldClose=*/false);
  stream << content;
  stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  return error;
}

Error mm01::writeAtomically(StringRef path, StringRef content) {
  auto result = [&](std::error_code error) -> Error {
    if (!error)
      return Error::success();
    return createStringError(error,
                             path + ": cannot write: " + error.message());
  };
  // Of a link, the target is replaced.
  SmallString<128> target = path;
  if (sys::fs::exists(path))
    if (std::error_code error = sys::fs::real_path(path, target))
      return result(error);
  auto temporary = sys::fs::TempFile::create(
      target + ".%%%%%%%%.tmp", sys::fs::all_read | sys::fs::owner_write);
  if (!temporary)
    return result(errorToErrorCode(temporary.takeError()));
  if (std::error_code error = writeTo(temporary->FD, content)) {
    consumeError(temporary->discard());
    return result(error);
  }
  if (Error error = temporary->keep(target)) {
    std::error_code code = errorToErrorCode(std::move(error));
    consumeError(temporary->discard());
    return result(code);
  }
  return Error::success();
}
