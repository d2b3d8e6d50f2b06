//===- fakeStreams.cpp - streams and events of a GPU that is none ---------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/cuda/fakeStreams.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>

using namespace mm01;
using namespace mm01::cuda;
using namespace mm01::fake;

std::recursive_mutex fake::mutex;

namespace {

std::condition_variable_any changed;
std::vector<StreamPointer> streams;
std::vector<EventPointer> events;
/// The GPU's clock: how many pieces of work it has done.
int64_t piecesDone = 0;

bool isLate() {
  const char *mode = std::getenv("FAKE_CUDA");
  return mode && std::strcmp(mode, "late") == 0;
}

template <typename Object, typename Handle>
std::shared_ptr<Object> find(const std::vector<std::shared_ptr<Object>> &all,
                             Handle handle) {
  for (const auto &object : all)
    if (reinterpret_cast<Handle>(object.get()) == handle)
      return object;
  std::abort(); // a handle that was destroyed, or never made
}

template <typename Object, typename Handle>
void erase(std::vector<std::shared_ptr<Object>> &all, Handle handle) {
  std::erase(all, find(all, handle));
}

} // namespace

StreamPointer fake::of(Stream stream) { return find(streams, stream); }
EventPointer fake::of(Event event) { return find(events, event); }

Stream fake::makeStream(Context context) {
  streams.push_back(std::make_shared<FakeStream>());
  streams.back()->context = context;
  streams.back()->number = static_cast<int>(
      std::ranges::count(streams, context, [](const StreamPointer &stream) {
        return stream->context;
      }));
  return reinterpret_cast<Stream>(streams.back().get());
}

Event fake::makeEvent() {
  events.push_back(std::make_shared<FakeEvent>());
  return reinterpret_cast<Event>(events.back().get());
}

void fake::destroy(Stream stream) { erase(streams, stream); }
void fake::destroy(Event event) { erase(events, event); }

void fake::append(FakeStream &stream, Work work) {
  stream.queue.push_back(std::move(work));
  if (!isLate())
    progress();
}

void fake::perform(Stream handle, std::function<void()> work) {
  StreamPointer stream = of(handle);
  if (!stream->capture)
    return append(*stream, [work = std::move(work)] {
      ++piecesDone;
      work();
      return true;
    });
  stream->capture->pieces[stream.get()].push_back({std::move(work)});
}

void fake::record(EventPointer event, Stream handle) {
  StreamPointer stream = of(handle);
  event->capture = stream->capture;
  const uint64_t number = ++event->recorded;
  if (event->capture) {
    event->stream = stream.get();
    event->pieces = event->capture->pieces[stream.get()].size();
    return;
  }
  append(*stream, [event, number] {
    event->reached = std::max(event->reached, number);
    event->moment = piecesDone;
    return true;
  });
}

void fake::waitFor(Stream handle, const EventPointer &event) {
  StreamPointer stream = of(handle);
  if (event->capture) {
    // A wait for captured work takes the stream into the capture.
    if (!stream->capture)
      stream->capture = event->capture;
    event->capture->pieces[stream.get()].push_back(
        {{}, event->stream, event->pieces});
    return;
  }
  const uint64_t number = event->recorded;
  append(*stream, [event, number] { return event->reached >= number; });
}

namespace {

/// Puts pieces of a captured stream into the order in which they are done.
class Ordering {
public:
  explicit Ordering(FakeGraph &graph) : graph(graph) {}

  void run(FakeStream *stream, size_t count) {
    for (size_t &next = done[stream]; next < count;) {
      FakeGraph::Piece &piece = graph.pieces[stream][next++];
      if (piece.work)
        graph.work.push_back(piece.work);
      else
        run(piece.other, piece.count);
    }
  }

private:
  FakeGraph &graph;
  std::map<FakeStream *, size_t> done;
};

} // namespace

std::shared_ptr<FakeGraph> fake::endCapture(Stream handle) {
  std::shared_ptr<FakeGraph> graph = of(handle)->capture;
  for (const StreamPointer &stream : streams)
    if (stream->capture == graph)
      stream->capture = nullptr;
  Ordering(*graph).run(graph->origin, graph->pieces[graph->origin].size());
  return graph;
}

bool fake::isJoined(const FakeGraph &graph) {
  size_t all = 0;
  for (const auto &[stream, pieces] : graph.pieces)
    all += std::ranges::count_if(
        pieces, [](const FakeGraph::Piece &piece) { return bool(piece.work); });
  return all == graph.work.size();
}

bool fake::isReached(const FakeEvent &event) {
  return event.reached >= event.recorded;
}

void fake::progress() {
  // Work may add work: a stream is looked up again after each piece.
  static bool busy = false;
  if (busy)
    return;
  busy = true;
  bool any = false;
  for (bool again = true; again;) {
    again = false;
    for (const StreamPointer &stream : std::vector(streams))
      while (!stream->queue.empty() && stream->queue.front()()) {
        stream->queue.pop_front();
        any = again = true;
      }
  }
  busy = false;
  if (any)
    changed.notify_all();
}

void fake::waitUntil(const std::function<bool()> &done) {
  progress();
  while (!done()) {
    // What a piece waits for need not be work of a stream.
    changed.wait_for(mutex, std::chrono::milliseconds(1));
    progress();
  }
}

void fake::waitForAll(Context context) {
  waitUntil([&] {
    return std::ranges::all_of(streams, [&](const StreamPointer &stream) {
      return stream->context != context || stream->queue.empty();
    });
  });
}

/// For the other fake libraries, which find it in the driver's.
extern "C" void fakeStreamAppend(Stream stream, Work *work) {
  std::lock_guard lock(fake::mutex);
  append(*of(stream), std::move(*work));
}
