//===- fakeStreams.h - streams and events of a GPU that is none -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the fake driver's streams hold, and when it is done. A stream is a queue
// of pieces of work; a piece says that it is done, or is asked again later:
// that is how a stream waits for an event, and a fake collective for the other
// ranks. Whoever adds work or waits does all that can be done, of all streams.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TEST_RUNTIME_CUDA_FAKESTREAMS_H
#define MM01_TEST_RUNTIME_CUDA_FAKESTREAMS_H

#include "runtime/cuda/DriverTypes.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace mm01::fake {

inline constexpr cuda::ResultCode captureUnsupported = 900,
                                  captureInvalidated = 901,
                                  captureUnjoined = 904;

/// Held by every function of the driver.
extern std::recursive_mutex mutex;

/// A piece of work: true when it is done, false to be asked again.
using Work = std::function<bool()>;

struct FakeStream;

/// What was put on a stream while it was captured, and on those that waited for
/// it.
struct FakeGraph {
  /// A piece of work, or a wait for the first pieces of another stream.
  struct Piece {
    std::function<void()> work;
    FakeStream *other = nullptr;
    size_t count = 0;
  };
  FakeStream *origin = nullptr;
  std::map<FakeStream *, std::vector<Piece>> pieces;
  bool broken = false;
  /// All work, once the capture has ended: that of the origin as soon as it can
  /// be done, that of other streams when it is waited for and not before.
  std::vector<std::function<void()>> work;
};

struct FakeStream {
  cuda::Context context = nullptr;
  /// From 1 on, of the context.
  int number = 0;
  std::deque<Work> queue;
  std::shared_ptr<FakeGraph> capture;
};

struct FakeEvent {
  /// How often it was recorded, and the last of these that was reached.
  uint64_t recorded = 0, reached = 0;
  /// Of the clock, when it was reached.
  int64_t moment = 0;
  /// Where it was recorded, if that was a capture: behind so many pieces.
  std::shared_ptr<FakeGraph> capture;
  FakeStream *stream = nullptr;
  size_t pieces = 0;
};

using StreamPointer = std::shared_ptr<FakeStream>;
using EventPointer = std::shared_ptr<FakeEvent>;

/// The object of a handle. Handles own their object until they are destroyed.
StreamPointer of(cuda::Stream stream);
EventPointer of(cuda::Event event);
cuda::Stream makeStream(cuda::Context context);
cuda::Event makeEvent();
void destroy(cuda::Stream stream);
void destroy(cuda::Event event);

/// Puts work behind what the stream holds: done at once if nothing is before
/// it, unless $FAKE_CUDA is "late", which leaves it until somebody waits. A
/// captured stream gives it to the graph.
void perform(cuda::Stream stream, std::function<void()> work);
/// The same for work that may have to be asked again; never captured.
void append(FakeStream &stream, Work work);

void record(EventPointer event, cuda::Stream stream);
void waitFor(cuda::Stream stream, const EventPointer &event);
/// Takes all streams out of the capture that this stream began. Its `work` is
/// all there is unless the stream has not waited for another's.
std::shared_ptr<FakeGraph> endCapture(cuda::Stream stream);
bool isJoined(const FakeGraph &graph);
/// Whether the event's last record was reached.
bool isReached(const FakeEvent &event);

/// Does what can be done.
void progress();
/// Waits until `done`, with the lock released in between.
void waitUntil(const std::function<bool()> &done);
/// Waits for all streams of a context.
void waitForAll(cuda::Context context);

} // namespace mm01::fake

#endif // MM01_TEST_RUNTIME_CUDA_FAKESTREAMS_H
