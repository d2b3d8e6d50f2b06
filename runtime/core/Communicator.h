//===- Communicator.h - what the ranks of a group say to each other -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The collectives of the mm01 dialect (dialects/mm01/Mm01CollectiveOps.td) as
// the runtime offers them: a transfer is a value, started and waited for.
//
//   communicator.run(allReduce(Elements::of(x), Room::of(y), Reduction::Sum));
//
//   Result<Pending> pending = communicator.start(broadcast(room, 0));
//   …                                    // neither buffer is touched meanwhile
//   Status status = communicator.wait(*pending);
//
// Order. All ranks of a group start the same collectives in the same order.
// They may wait in any order, each on its own. Two ranks exchange messages in
// the order of their sends and receives, independent of the collectives.
//
// Memory. Buffers are dense and lie where the implementation computes: `in` may
// be read and `out` written from start() until wait() returns. `out` may be the
// same memory as `in` in an all-reduce; otherwise they do not overlap. A
// collective along another dimension than the first is packed by its caller.
//
// Failure. What one rank does wrong fails on every rank of the group, by one
// line that names the group, the rank and the transfer: arguments that are no
// transfer (start), ranks that disagree (wait), a rank that gave up or stays
// away longer than the group's time limit (wait). No rank waits for ever. The
// group is of no use after its first failure and repeats it.
//
// Test: test/runtime/conformance, every implementation against one suite
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_COMMUNICATOR_H
#define MM01_RUNTIME_CORE_COMMUNICATOR_H

#include "runtime/core/Manifest.h"

#include <concepts>
#include <map>
#include <memory>
#include <span>

namespace mm01 {

/// How elements of several ranks become one. Sums of floats are made in
/// float32, in the order of the ranks, and rounded once; a NaN wins a maximum.
enum class Reduction { Sum, Max };

/// The element type of a C++ type that has one. bf16 and f16 have none: their
/// buffers are made with the type's name.
template <typename T> constexpr ElementType elementTypeOf() {
  static_assert(std::same_as<T, float> || std::same_as<T, int8_t> ||
                std::same_as<T, int32_t> || std::same_as<T, int64_t>);
  if constexpr (std::same_as<T, float>)
    return ElementType::F32;
  else if constexpr (std::same_as<T, int8_t>)
    return ElementType::I8;
  else if constexpr (std::same_as<T, int32_t>)
    return ElementType::I32;
  else
    return ElementType::I64;
}

/// Elements that are read. No elements need no memory.
struct Elements {
  const void *data = nullptr;
  ElementType type = ElementType::F32;
  int64_t count = 0;

  template <typename T> static Elements of(std::span<const T> elements) {
    return {elements.data(), elementTypeOf<T>(),
            static_cast<int64_t>(elements.size())};
  }
};

/// Elements that are written.
struct Room {
  void *data = nullptr;
  ElementType type = ElementType::F32;
  int64_t count = 0;

  template <typename T> static Room of(std::span<T> elements) {
    return {elements.data(), elementTypeOf<T>(),
            static_cast<int64_t>(elements.size())};
  }
};

enum class TransferKind {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Broadcast,
  Barrier,
  Send,
  Receive
};

/// "all_reduce"
std::string_view transferName(TransferKind kind);

/// One collective or message, made by the functions below.
struct Transfer {
  TransferKind kind = TransferKind::Barrier;
  Elements in;
  Room out;
  Reduction reduction = Reduction::Sum;
  /// The root of a broadcast, the other side of a message.
  int peer = 0;
  /// Elements that go to and come from each rank; empty: all alike.
  std::vector<int64_t> send, receive;
  /// What messages call it where it is a part of something else; empty: its
  /// kind.
  std::string part;
};

/// What messages call it.
std::string_view nameOf(const Transfer &transfer);

/// out = in of rank 0 ∘ in of rank 1 ∘ …, of one number of elements on all
/// ranks. Types: f32, bf16, i32, i64.
Transfer allReduce(Elements in, Room out, Reduction reduction);
/// out = in of rank 0, then of rank 1, …; rank r gives counts[r] elements, or
/// all ranks as many.
Transfer allGather(Elements in, Room out, std::vector<int64_t> counts = {});
/// The reduction of all in; rank r gets elements counts[0] + … + counts[r-1]
/// and the counts[r] - 1 that follow, or the r-th of equal parts.
Transfer reduceScatter(Elements in, Room out, Reduction reduction,
                       std::vector<int64_t> counts = {});
/// in is send[0] elements for rank 0, then send[1] for rank 1, …; out is
/// receive[0] from rank 0, …. Both counts, or neither and all parts alike.
Transfer allToAll(Elements in, Room out, std::vector<int64_t> send = {},
                  std::vector<int64_t> receive = {});
/// data of every rank = data of rank `root`.
Transfer broadcast(Room data, int root);
/// Done when every rank has started it.
Transfer barrier();
/// One message. A send may be done before the other side receives, or only
/// then: a rank that waits for it relies on neither.
Transfer send(Elements in, int to);
Transfer receive(Room out, int from);

/// A transfer that was started.
struct Pending {
  int64_t number = 0;
};

/// One rank's end of a process group. Each rank has its own, used from one
/// thread at a time.
class Communicator {
public:
  virtual ~Communicator() = default;
  Communicator(const Communicator &) = delete;
  Communicator &operator=(const Communicator &) = delete;

  /// The name of the group, for messages: "ep".
  const std::string &group() const { return groupName; }
  int rank() const { return ownRank; }
  int size() const { return groupSize; }

  /// Starts a transfer. Without counts, `out` of an all_gather has size() times
  /// the elements of `in`, and `in` of a reduce_scatter those of `out`. Refuses
  /// a rank that is none, counts that do not add up to the buffers, two element
  /// types, memory that is null, and a reduction of another type than those of
  /// allReduce(); the group has failed then.
  Result<Pending> start(Transfer transfer);
  /// Returns when the transfer is done. Refuses one that was waited for.
  Status wait(Pending pending);
  /// Starts and waits.
  Status run(Transfer transfer);
  /// Whether wait() would return at once, with success or not. Never waits.
  bool isDone(Pending pending);
  /// Why the group is of no use any more, as far as is known here; success
  /// while it is of use.
  virtual Status state() const = 0;

  /// A collective: ranks of equal `color` (at least 0) become a group, numbered
  /// by rising `key`, then by rank. The new group outlives this one.
  virtual Result<std::unique_ptr<Communicator>> split(const std::string &group,
                                                      int color, int key) = 0;

  /// Gives up: transfers of the group fail on all ranks with this reason, those
  /// that wait now included. The destructor does so when others still wait.
  virtual void abandon(const Status &why) = 0;

protected:
  Communicator(std::string group, int rank, int size)
      : groupName(std::move(group)), ownRank(rank), groupSize(size) {}

  /// Fails, here and on all ranks, for a split's color below 0.
  Status checkColor(int color);

  /// Starts transfer `number`, which is checked and has its counts.
  virtual Status post(int64_t number, const Transfer &transfer) = 0;
  virtual Status finish(int64_t number, const Transfer &transfer) = 0;
  virtual bool isFinished(int64_t number, const Transfer &transfer) = 0;

private:
  /// Refuses what cannot be a transfer, and gives it its counts.
  Status check(Transfer &transfer) const;
  /// Gives up because of what was asked of this rank.
  Status refuse(std::string_view operation, const Status &why);

  std::string groupName;
  int ownRank;
  int groupSize;
  int64_t next = 0;
  std::map<int64_t, Transfer> started;
};

} // namespace mm01

#endif // MM01_RUNTIME_CORE_COMMUNICATOR_H
