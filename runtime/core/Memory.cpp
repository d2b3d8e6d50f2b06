//===- Memory.cpp - aligned memory, and how much there is ----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Memory.h"

#include "runtime/abi/program.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace mm01;

namespace {

/// The number that a file of /sys consists of, or -1: "max", or no such file.
int64_t readNumber(const std::string &path) {
  std::ifstream file(path);
  int64_t number = -1;
  return file >> number && number >= 0 ? number : -1;
}

/// MemAvailable of /proc/meminfo in bytes, or -1.
int64_t availableOnMachine() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  int64_t kibibytes = 0;
  while (file >> key >> kibibytes) {
    if (key == "MemAvailable:")
      return kibibytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return -1;
}

/// What one control group leaves, or -1. The page cache that the group could
/// give back counts as used, so this errs on the safe side by that much;
/// inactive file pages are therefore taken off.
int64_t availableInGroup(const std::string &folder, const char *limitFile,
                         const char *usageFile, const char *inactiveKey) {
  int64_t limit = readNumber(folder + limitFile);
  int64_t usage = readNumber(folder + usageFile);
  if (limit < 0 || usage < 0)
    return -1;
  std::ifstream statistics(folder + "memory.stat");
  std::string key;
  int64_t value = 0;
  while (statistics >> key >> value)
    if (key == inactiveKey)
      usage -= std::min(usage, value);
  return std::max<int64_t>(0, limit - usage);
}

/// The smallest limit on the way from this process' control group to the root.
int64_t availableInGroups() {
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  int64_t least = -1;
  auto consider = [&](int64_t bytes) {
    if (bytes >= 0 && (least < 0 || bytes < least))
      least = bytes;
  };
  while (std::getline(groups, line)) {
    bool second = line.starts_with("0::");
    size_t memory = line.find(":memory:");
    if (!second && memory == std::string::npos)
      continue;
    std::string path = second ? line.substr(3) : line.substr(memory + 8);
    std::string root = second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    while (true) {
      std::string folder = root + path + (path.ends_with('/') ? "" : "/");
      consider(second ? availableInGroup(folder, "memory.max", "memory.current",
                                         "inactive_file")
                      : availableInGroup(folder, "memory.limit_in_bytes",
                                         "memory.usage_in_bytes",
                                         "total_inactive_file"));
      size_t slash = path.find_last_of('/');
      if (path.size() <= 1 || slash == std::string::npos)
        break;
      path.resize(std::max<size_t>(slash, 1));
    }
  }
  return least;
}

/// Large memory consists of huge pages where the system has them, but for what
/// does not fill one: weights of hundreds of megabytes are read in every step,
/// and the processor's tables of small pages hold a few megabytes only.
void *allocate(int64_t bytes) {
  constexpr size_t hugePage = size_t(2) << 20;
  size_t wanted = static_cast<size_t>(bytes);
  bool large = wanted >= 4 * hugePage;
  size_t alignment = large ? hugePage : MM01_ALIGNMENT;
  void *memory = std::aligned_alloc(alignment, (wanted + alignment - 1) /
                                                   alignment * alignment);
  // Where the system refuses, small pages do.
  if (memory && large)
    ::madvise(memory, wanted / hugePage * hugePage, MADV_HUGEPAGE);
  return memory;
}

} // namespace

int64_t mm01::availableMemory() {
  int64_t machine = availableOnMachine();
  int64_t group = availableInGroups();
  if (machine < 0)
    machine = std::numeric_limits<int64_t>::max();
  return group < 0 ? machine : std::min(machine, group);
}

int64_t mm01::residentMemory() {
  // Pages: of the address space, then of what is resident.
  std::ifstream file("/proc/self/statm");
  int64_t whole = 0, resident = 0;
  file >> whole >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

AlignedBuffer::AlignedBuffer(AlignedBuffer &&other) noexcept
    : memory(std::exchange(other.memory, nullptr)),
      held(std::exchange(other.held, 0)) {}

AlignedBuffer &AlignedBuffer::operator=(AlignedBuffer &&other) noexcept {
  std::swap(memory, other.memory);
  std::swap(held, other.held);
  return *this;
}

AlignedBuffer::~AlignedBuffer() { std::free(memory); }

Result<void *> mm01::allocateAligned(int64_t bytes, const char *purpose) {
  // The system grants more than it has and kills the process that uses it, so
  // large requests are compared first; small ones are not worth the reading.
  constexpr int64_t worthAsking = int64_t(64) << 20;
  bool fits = bytes >= 0 && bytes <= std::numeric_limits<int64_t>::max() / 2;
  if (fits && bytes >= worthAsking)
    fits = bytes <= availableMemory();
  void *memory = fits ? allocate(bytes) : nullptr;
  if (!memory)
    return Status::error("not enough memory for ", purpose, ": expected ",
                         bytes, " bytes, found ", availableMemory());
  return memory;
}

Status AlignedBuffer::reserve(int64_t bytes, const char *purpose) {
  if (bytes <= held)
    return {};
  std::free(memory);
  memory = nullptr;
  held = 0;
  Result<void *> made = allocateAligned(bytes, purpose);
  MM01_RETURN_IF_FAILED(made);
  memory = *made;
  held = bytes;
  return {};
}
