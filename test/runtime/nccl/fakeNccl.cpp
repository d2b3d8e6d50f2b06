//===- fakeNccl.cpp - an NCCL for machines without GPUs -------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built as libnccl.so.2, for ranks that are threads of one process, on streams
// of the fake driver. As with the real one, a communicator is ready when all
// ranks have come; a rank's first operation goes on behind its function's back
// for a while; a group of operations ends when all of them have their other
// side, and never where sizes differ or a rank is missing, until it is aborted.
// $FAKE_NCCL makes it another library:
//
//     old      version 2.10
//     refuse   communicators cannot be made
//     lost     the third group of operations of each communicator fails, as is
//              seen later
//
//===----------------------------------------------------------------------===//

#include "runtime/nccl/Nccl.h"
#include "test/runtime/cuda/fakeStreams.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>

using namespace mm01;
using namespace mm01::nccl;

namespace {

constexpr ReturnCode systemError = 2, invalidUsage = 5, remoteError = 6;

bool isMode(const char *mode) {
  const char *value = std::getenv("FAKE_NCCL");
  return value && std::strcmp(value, mode) == 0;
}

/// What a send puts down for its receiver.
struct Parcel {
  const void *from;
  size_t bytes;
  bool taken = false;
};

/// The ranks of one id.
struct World {
  int size = 0;
  int come = 0;
  std::map<std::pair<int, int>, std::deque<std::shared_ptr<Parcel>>> parcels;
};

struct FakeComm {
  std::shared_ptr<World> world;
  int rank = 0;
  std::atomic<bool> aborted = false, lost = false;
  /// Answers that the first operation is still going on.
  int delays = 0;
  int groups = 0;
};

struct Operation {
  bool sends = false;
  int peer = 0;
  void *data = nullptr;
  size_t bytes = 0;
};

/// Guards the worlds; taken after the driver's lock where both are.
std::mutex worldMutex;
std::map<int64_t, std::shared_ptr<World>> worlds;
std::atomic<int64_t> ids = 0;

/// Operations of each communicator since ncclGroupStart, by this thread.
struct Grouped {
  cuda::Stream stream = nullptr;
  std::vector<Operation> operations;
};
thread_local int depth = 0;
thread_local std::map<FakeComm *, Grouped> grouped;
/// Communicators that work still refers to live on.
std::map<FakeComm *, std::shared_ptr<FakeComm>> comms;

void append(cuda::Stream stream, fake::Work work) {
  using Append = void (*)(cuda::Stream, fake::Work *);
  static const auto found = reinterpret_cast<Append>(
      dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), "fakeStreamAppend"));
  found(stream, &work);
}

/// A group under way.
struct Group {
  std::shared_ptr<FakeComm> comm;
  std::vector<Operation> operations;
  std::vector<std::shared_ptr<Parcel>> sent;
  bool begun = false;

  bool run() {
    std::lock_guard lock(worldMutex);
    if (comm->aborted)
      return true;
    auto &parcels = comm->world->parcels;
    if (!begun)
      for (const Operation &each : operations)
        if (each.sends) {
          sent.push_back(std::make_shared<Parcel>(each.data, each.bytes));
          parcels[{comm->rank, each.peer}].push_back(sent.back());
        }
    begun = true;
    std::erase_if(operations, [&](const Operation &each) {
      if (each.sends)
        return true;
      auto &coming = parcels[{each.peer, comm->rank}];
      if (coming.empty() || coming.front()->bytes != each.bytes)
        return false;
      std::memmove(each.data, coming.front()->from, each.bytes);
      coming.front()->taken = true;
      coming.pop_front();
      return true;
    });
    if (!operations.empty() || comm->lost)
      return false;
    for (const auto &parcel : sent)
      if (!parcel->taken)
        return false;
    return true;
  }
};

ReturnCode add(Comm handle, cuda::Stream stream,
               std::vector<Operation> operations) {
  auto *comm = reinterpret_cast<FakeComm *>(handle);
  if (depth == 0 || comm->aborted)
    return invalidUsage;
  Grouped &group = grouped[comm];
  group.stream = stream;
  for (Operation &each : operations)
    group.operations.push_back(each);
  return 0;
}

std::shared_ptr<FakeComm> shared(FakeComm *comm) {
  std::lock_guard lock(worldMutex);
  return comms.at(comm);
}

} // namespace

extern "C" {

const char *ncclGetErrorString(ReturnCode code) {
  return code == remoteError ? "a rank was lost" : "it is fake";
}
ReturnCode ncclGetVersion(int *version) {
  *version = isMode("old") ? 21003 : 22705;
  return 0;
}
ReturnCode ncclGetUniqueId(UniqueId *id) {
  const int64_t number = ++ids;
  std::memset(id, 0, sizeof(*id));
  std::memcpy(id->bytes, &number, sizeof(number));
  return 0;
}
ReturnCode ncclCommInitRankConfig(Comm *made, int size, UniqueId id, int rank,
                                  Config *config) {
  if (isMode("refuse"))
    return systemError;
  if (config->magic != 0xcafebeef || config->blocking != 0)
    return invalidUsage;
  int64_t number = 0;
  std::memcpy(&number, id.bytes, sizeof(number));
  std::lock_guard lock(worldMutex);
  std::shared_ptr<World> &world = worlds[number];
  if (!world)
    world = std::make_shared<World>();
  world->size = size;
  ++world->come;
  auto comm = std::make_shared<FakeComm>();
  comm->world = world;
  comm->rank = rank;
  comms[comm.get()] = comm;
  *made = reinterpret_cast<Comm>(comm.get());
  return inProgress;
}
ReturnCode ncclCommGetAsyncError(Comm handle, ReturnCode *code) {
  auto *comm = reinterpret_cast<FakeComm *>(handle);
  std::lock_guard lock(worldMutex);
  const bool connected = comm->world->come == comm->world->size;
  if (comm->delays > 0)
    --comm->delays;
  *code = comm->lost                       ? remoteError
          : !connected || comm->delays > 0 ? inProgress
                                           : 0;
  return 0;
}
ReturnCode ncclCommFinalize(Comm) { return 0; }
ReturnCode ncclCommDestroy(Comm handle) {
  std::lock_guard lock(worldMutex);
  comms.erase(reinterpret_cast<FakeComm *>(handle));
  return 0;
}
ReturnCode ncclCommAbort(Comm handle) {
  auto *comm = reinterpret_cast<FakeComm *>(handle);
  std::lock_guard lock(worldMutex);
  comm->aborted = true;
  // Its memory may be gone before the others hear of it.
  for (auto &[way, parcels] : comm->world->parcels)
    if (way.first == comm->rank)
      parcels.clear();
  comms.erase(comm);
  return 0;
}
ReturnCode ncclGroupStart() {
  ++depth;
  return 0;
}
ReturnCode ncclGroupEnd() {
  if (--depth > 0)
    return 0;
  bool goesOn = false;
  for (auto &[comm, group] : grouped) {
    if (comm->groups++ == 0) {
      comm->delays = 3;
      goesOn = true;
    }
    if (isMode("lost") && comm->groups == 3)
      comm->lost = true;
    auto work = std::make_shared<Group>();
    work->comm = shared(comm);
    work->operations = std::move(group.operations);
    append(group.stream, [work] { return work->run(); });
  }
  grouped.clear();
  return goesOn ? inProgress : 0;
}
ReturnCode ncclSend(const void *from, size_t bytes, int type, int peer,
                    Comm comm, cuda::Stream stream) {
  if (type != byteType)
    return invalidUsage;
  return add(comm, stream, {{true, peer, const_cast<void *>(from), bytes}});
}
ReturnCode ncclRecv(void *to, size_t bytes, int type, int peer, Comm comm,
                    cuda::Stream stream) {
  if (type != byteType)
    return invalidUsage;
  return add(comm, stream, {{false, peer, to, bytes}});
}
ReturnCode ncclAllGather(const void *from, void *to, size_t bytes, int type,
                         Comm handle, cuda::Stream stream) {
  if (type != byteType)
    return invalidUsage;
  std::vector<Operation> operations;
  const int size = reinterpret_cast<FakeComm *>(handle)->world->size;
  for (int other = 0; other < size; ++other) {
    operations.push_back({true, other, const_cast<void *>(from), bytes});
    operations.push_back(
        {false, other, static_cast<char *>(to) + other * bytes, bytes});
  }
  return add(handle, stream, std::move(operations));
}
ReturnCode ncclBroadcast(const void *from, void *to, size_t bytes, int type,
                         int root, Comm handle, cuda::Stream stream) {
  if (type != byteType)
    return invalidUsage;
  auto *comm = reinterpret_cast<FakeComm *>(handle);
  std::vector<Operation> operations;
  if (comm->rank != root)
    operations.push_back({false, root, to, bytes});
  else
    for (int other = 0; other < comm->world->size; ++other)
      if (other != root)
        operations.push_back({true, other, const_cast<void *>(from), bytes});
  return add(handle, stream, std::move(operations));
}
}
