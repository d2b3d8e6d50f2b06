//===- NcclCommunicator.cpp - ranks with one GPU each ---------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/nccl/NcclCommunicator.h"

#include "runtime/nccl/Link.h"
#include "runtime/nccl/Moves.h"
#include "runtime/ranks/Agreement.h"

#include <algorithm>
#include <thread>

using namespace mm01;
using namespace mm01::nccl;

/// A collective between start and wait.
struct NcclCommunicator::Collective {
  /// Behind the work of the device that it needs, and behind itself; null: it
  /// moves nothing.
  cuda::Event before = nullptr, done = nullptr;
  bool handedOn = false;
  DeviceBuffer staging;
  /// What this rank tells the others, and what all do.
  std::vector<int64_t> own, all;
  Pending told;
};

static bool isMessage(const Transfer &transfer) {
  return transfer.kind == TransferKind::Send ||
         transfer.kind == TransferKind::Receive;
}

//===----------------------------------------------------------------------===//
// Start and end
//===----------------------------------------------------------------------===//

NcclCommunicator::NcclCommunicator(const Nccl &nccl, CudaDevice &device,
                                   std::unique_ptr<Communicator> host,
                                   std::chrono::milliseconds limit)
    : Communicator(host->group(), host->rank(), host->size()), nccl(nccl),
      device(device), limit(limit), host(std::move(host)) {}

Result<std::unique_ptr<Communicator>>
NcclCommunicator::create(std::unique_ptr<Communicator> host, CudaDevice &device,
                         std::chrono::milliseconds limit) {
  auto refuse = [&](const Status &why) {
    host->abandon(Status::error("group ", host->group(), ": rank ",
                                host->rank(), ": ", why.message()));
    return host->state();
  };
  Result<const Nccl *> nccl = Nccl::open();
  if (nccl.failed())
    return refuse(nccl.status());
  std::unique_ptr<NcclCommunicator> made(
      new NcclCommunicator(**nccl, device, std::move(host), limit));
  if (Status status = made->connect(); status.failed()) {
    host = std::move(made->host);
    return refuse(status);
  }
  return std::unique_ptr<Communicator>(std::move(made));
}

Status NcclCommunicator::connect() {
  for (auto *wire : {&headers, &answers}) {
    auto made = host->split(group(), 0, rank());
    MM01_RETURN_IF_FAILED(made);
    *wire = *std::move(made);
  }
  UniqueId id{};
  if (rank() == 0)
    MM01_RETURN_IF_FAILED(
        nccl.check(nccl.ncclGetUniqueId(&id), "ncclGetUniqueId"));
  MM01_RETURN_IF_FAILED(
      host->run(broadcast({id.bytes, ElementType::I8, sizeof(id.bytes)}, 0)));
  auto made = Channel::create(nccl, device, id, size(), rank());
  MM01_RETURN_IF_FAILED(made);
  channel = *std::move(made);
  Result<bool> connected =
      driveUntil([&]() -> Result<bool> { return channel->isDriven(); });
  MM01_RETURN_IF_FAILED(connected);
  if (!*connected)
    return Status::error("NCCL did not connect the ranks within ",
                         limit.count(), " ms");
  return {};
}

NcclCommunicator::~NcclCommunicator() {
  if (!host) // it never came to be
    return;
  const bool idle =
      state().ok() && collectives.empty() && messages.empty() && channel;
  // Those that wait for this rank hear first that it has left.
  host.reset();
  headers.reset();
  answers.reset();
  if (idle) {
    channel->close();
    for (auto &[key, link] : links)
      link->close();
  } else {
    abortAll();
  }
  channel.reset();
  links.clear();
  if (device.enter().failed())
    return;
  for (auto &[number, collective] : collectives)
    for (cuda::Event event : {collective->before, collective->done})
      freeEvents.push_back(event);
  for (auto &[number, message] : messages)
    for (cuda::Event event : {message->before, message->done})
      freeEvents.push_back(event);
  for (cuda::Event event : freeEvents)
    if (event)
      device.getDriver().cuEventDestroy(event);
}

Result<std::unique_ptr<Communicator>>
NcclCommunicator::split(const std::string &group, int color, int key) {
  MM01_RETURN_IF_FAILED(checkColor(color));
  auto part = host->split(group, color, key);
  MM01_RETURN_IF_FAILED(part);
  return create(*std::move(part), device, limit);
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

void NcclCommunicator::abortAll() {
  if (channel)
    channel->abort();
  for (auto &[key, link] : links)
    link->abort();
}

void NcclCommunicator::abandon(const Status &why) {
  // The first reason stays, and is that of all three.
  host->abandon(why);
  for (auto *wire : {&headers, &answers})
    if (*wire)
      (*wire)->abandon(host->state());
  abortAll();
}

Status NcclCommunicator::fail(const Transfer &transfer, const Status &why) {
  const bool isNamed = why.message().starts_with("group ");
  abandon(isNamed ? why
                  : Status::error("group ", group(), ": ", nameOf(transfer),
                                  ": rank ", rank(), ": ", why.message()));
  return state();
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

Status NcclCommunicator::drive() {
  MM01_RETURN_IF_FAILED(state());
  if (channel)
    MM01_RETURN_IF_FAILED(channel->drive());
  for (auto &[key, link] : links)
    MM01_RETURN_IF_FAILED(link->drive());
  return {};
}

bool NcclCommunicator::isDriven() const {
  return channel->isDriven() &&
         std::ranges::all_of(
             links, [](const auto &entry) { return entry.second->isDriven(); });
}

Result<bool>
NcclCommunicator::driveUntil(const std::function<Result<bool>()> &done) {
  const auto begin = std::chrono::steady_clock::now();
  for (int64_t turn = 0;; ++turn) {
    MM01_RETURN_IF_FAILED(drive());
    Result<bool> isDone = done();
    MM01_RETURN_IF_FAILED(isDone);
    if (*isDone)
      return true;
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (waited > limit)
      return false;
    // Short waits are those of a step, in which every microsecond counts.
    if (waited < std::chrono::milliseconds(2))
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

Result<bool> NcclCommunicator::hasPassed(cuda::Event event) {
  MM01_RETURN_IF_FAILED(device.enter());
  const cuda::ResultCode code = device.getDriver().cuEventQuery(event);
  if (code == cuda::notReady)
    return false;
  MM01_RETURN_IF_FAILED(device.getDriver().check(code, cuda::workFailed));
  return true;
}

Status NcclCommunicator::waitFor(cuda::Event event, const bool &isRecorded) {
  Result<bool> passed = driveUntil([&]() -> Result<bool> {
    return isRecorded ? hasPassed(event) : Result<bool>(false);
  });
  MM01_RETURN_IF_FAILED(passed);
  if (*passed)
    return {};
  return Status::error("waited ", limit.count(),
                       " ms for the GPUs, which have not done it");
}

Result<cuda::Event> NcclCommunicator::takeEvent() {
  MM01_RETURN_IF_FAILED(device.enter());
  cuda::Event event = nullptr;
  if (freeEvents.empty()) {
    MM01_RETURN_IF_FAILED(device.getDriver().check(
        device.getDriver().cuEventCreate(&event, 0), "cuEventCreate"));
    return event;
  }
  event = freeEvents.back();
  freeEvents.pop_back();
  return event;
}

Result<cuda::Event> NcclCommunicator::markDevice() {
  Result<cuda::Event> event = takeEvent();
  MM01_RETURN_IF_FAILED(event);
  MM01_RETURN_IF_FAILED(device.getDriver().check(
      device.getDriver().cuEventRecord(*event, device.getStream()),
      "cuEventRecord"));
  return event;
}

Result<DeviceBuffer> NcclCommunicator::takeStaging(int64_t bytes) {
  DeviceBuffer buffer;
  auto fits = [&](const DeviceBuffer &free) {
    return free.capacity() >= bytes;
  };
  if (auto found = std::ranges::find_if(freeStaging, fits);
      found != freeStaging.end()) {
    buffer = std::move(*found);
    freeStaging.erase(found);
  }
  MM01_RETURN_IF_FAILED(buffer.reserve(device, bytes, "parts of a reduction"));
  return buffer;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

Status NcclCommunicator::post(int64_t number, const Transfer &transfer) {
  MM01_RETURN_IF_FAILED(state());
  Status status = isMessage(transfer) ? startMessage(number, transfer)
                                      : startCollective(number, transfer);
  if (status.ok())
    status = drive();
  return status.ok() ? status : fail(transfer, status);
}

Status NcclCommunicator::finish(int64_t number, const Transfer &transfer) {
  Status status;
  auto giveBack = [&](cuda::Event event) {
    if (event)
      freeEvents.push_back(event);
  };
  if (isMessage(transfer)) {
    const std::shared_ptr<Message> message =
        std::move(messages.extract(number).mapped());
    status = finishMessage(*message, linkOf(transfer));
    giveBack(message->before);
    giveBack(message->done);
  } else {
    const std::unique_ptr<Collective> collective =
        std::move(collectives.extract(number).mapped());
    status = finishCollective(*collective, transfer);
    giveBack(collective->before);
    giveBack(collective->done);
    if (collective->staging.data())
      freeStaging.push_back(std::move(collective->staging));
    // What was not handed on refers to it.
    if (status.failed())
      return fail(transfer, status);
  }
  return status.ok() ? status : fail(transfer, status);
}

bool NcclCommunicator::isFinished(int64_t number, const Transfer &transfer) {
  if (Status status = drive(); status.failed()) {
    (void)fail(transfer, status);
    return true;
  }
  cuda::Event done = nullptr;
  if (isMessage(transfer)) {
    const Message &message = *messages.at(number);
    if (!message.handedOn)
      return false;
    done = message.done;
  } else {
    const Collective &collective = *collectives.at(number);
    if (!host->isDone(collective.told) ||
        (collective.done && !collective.handedOn))
      return false;
    done = collective.done;
  }
  if (!done)
    return true;
  Result<bool> passed = hasPassed(done);
  return passed.failed() || *passed;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// What a rank tells the others: kind, type, elements, reduction, root, and the
/// counts to and from each rank.
static std::vector<int64_t> describe(const Transfer &transfer, int size) {
  std::vector<int64_t> words = {int64_t(transfer.kind),
                                int64_t(transfer.in.type), transfer.in.count,
                                int64_t(transfer.reduction), transfer.peer};
  for (const auto *counts : {&transfer.send, &transfer.receive}) {
    std::vector<int64_t> filled = *counts;
    filled.resize(size);
    words.insert(words.end(), filled.begin(), filled.end());
  }
  return words;
}

static Transfer understand(std::span<const int64_t> words, int size) {
  Transfer transfer;
  transfer.kind = TransferKind(words[0]);
  transfer.in.type = ElementType(words[1]);
  transfer.in.count = words[2];
  transfer.reduction = Reduction(words[3]);
  transfer.peer = int(words[4]);
  auto counts = words.subspan(5);
  transfer.send.assign(counts.begin(), counts.begin() + size);
  transfer.receive.assign(counts.begin() + size, counts.end());
  return transfer;
}

Status NcclCommunicator::startCollective(int64_t number,
                                         const Transfer &transfer) {
  auto &collective = *(collectives[number] = std::make_unique<Collective>());
  collective.own = describe(transfer, size());
  collective.all.resize(collective.own.size() * size());
  Transfer tell = allGather(Elements::of<int64_t>(collective.own),
                            Room::of<int64_t>(collective.all));
  tell.part = nameOf(transfer);
  Result<Pending> told = host->start(std::move(tell));
  MM01_RETURN_IF_FAILED(told);
  collective.told = *told;
  if (transfer.kind == TransferKind::Barrier)
    return {};

  Moves moves(nccl, device, *channel, rank(), size());
  if (int64_t bytes = moves.stagingBytes(transfer); bytes > 0) {
    Result<DeviceBuffer> staging = takeStaging(bytes);
    MM01_RETURN_IF_FAILED(staging);
    collective.staging = *std::move(staging);
  }
  Result<cuda::Event> before = markDevice(), done = takeEvent();
  MM01_RETURN_IF_FAILED(before);
  collective.before = *before;
  MM01_RETURN_IF_FAILED(done);
  collective.done = *done;
  const cuda::Driver &driver = device.getDriver();
  channel->put([&driver, event = *before](cuda::Stream stream) {
    return driver.check(driver.cuStreamWaitEvent(stream, event, 0),
                        "cuStreamWaitEvent");
  });
  moves.put(transfer, static_cast<char *>(collective.staging.data()));
  channel->put([&driver, &collective](cuda::Stream stream) {
    collective.handedOn = true;
    return driver.check(driver.cuEventRecord(collective.done, stream),
                        "cuEventRecord");
  });
  return {};
}

Status NcclCommunicator::compare(const Collective &collective) const {
  std::vector<Transfer> given;
  for (int other = 0; other < size(); ++other)
    given.push_back(understand(
        std::span(collective.all)
            .subspan(other * collective.own.size(), collective.own.size()),
        size()));
  std::vector<const Transfer *> all;
  for (const Transfer &each : given)
    all.push_back(&each);
  const std::string why = disagreement(all);
  return why.empty() ? Status() : Status::error("group ", group(), ": ", why);
}

Status NcclCommunicator::finishCollective(Collective &collective,
                                          const Transfer &transfer) {
  // While other transfers may need this rank, it does not sleep on the host.
  MM01_RETURN_IF_FAILED(driveUntil([&]() -> Result<bool> {
    return host->isDone(collective.told) || isDriven();
  }));
  MM01_RETURN_IF_FAILED(host->wait(collective.told));
  MM01_RETURN_IF_FAILED(compare(collective));
  return collective.done ? waitFor(collective.done, collective.handedOn)
                         : Status();
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

Link &NcclCommunicator::linkOf(const Transfer &message) {
  const bool sends = message.kind == TransferKind::Send;
  std::unique_ptr<Link> &link = links[{sends, message.peer}];
  if (!link)
    link = std::make_unique<Link>(Link::Wires{nccl, device, *headers, *answers},
                                  sends, message.peer);
  return *link;
}

Status NcclCommunicator::startMessage(int64_t number,
                                      const Transfer &transfer) {
  auto message = std::make_shared<Message>();
  messages[number] = message;
  message->transfer = transfer;
  Result<cuda::Event> before = markDevice(), done = takeEvent();
  MM01_RETURN_IF_FAILED(before);
  message->before = *before;
  MM01_RETURN_IF_FAILED(done);
  message->done = *done;
  return linkOf(transfer).start(message);
}

Status NcclCommunicator::finishMessage(Message &message, Link &link) {
  MM01_RETURN_IF_FAILED(
      driveUntil([&]() -> Result<bool> { return link.hasMet(message); }));
  MM01_RETURN_IF_FAILED(link.meet(message));
  return waitFor(message.done, message.handedOn);
}
