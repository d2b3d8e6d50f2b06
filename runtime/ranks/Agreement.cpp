//===- Agreement.cpp - whether ranks started one and the same transfer ----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/Agreement.h"

using namespace mm01;

/// What a rank has started that rank 0 has not: nothing, or "what is found,
/// what is expected".
static std::string difference(const Transfer &first, const Transfer &found) {
  auto differs = [](std::string_view what, const auto &a, const auto &b) {
    return concat(" has ", what, " ", b, ", expected ", a, " as rank 0 has");
  };
  if (found.kind != first.kind)
    return concat(" started ", transferName(found.kind), ", expected ",
                  transferName(first.kind), " as rank 0 did");
  if (found.in.type != first.in.type)
    return differs("type", elementName(first.in.type),
                   elementName(found.in.type));
  const bool reduces = found.kind == TransferKind::AllReduce ||
                       found.kind == TransferKind::ReduceScatter;
  if (reduces && found.reduction != first.reduction)
    return concat(" has another reduction, expected that of rank 0");
  if (found.kind == TransferKind::Broadcast && found.peer != first.peer)
    return differs("root", first.peer, found.peer);
  const bool alike = reduces || found.kind == TransferKind::Broadcast;
  if (alike && found.in.count != first.in.count)
    return differs("elements", first.in.count, found.in.count);
  if (found.kind == TransferKind::AllGather && found.receive != first.receive)
    return concat(" has other counts, expected those of rank 0");
  if (found.kind == TransferKind::ReduceScatter && found.send != first.send)
    return concat(" has other counts, expected those of rank 0");
  return "";
}

std::string mm01::disagreement(std::span<const Transfer *const> given) {
  const int size = static_cast<int>(given.size());
  for (int rank = 0; rank < size; ++rank) {
    const std::string why = difference(*given[0], *given[rank]);
    if (!why.empty())
      return concat(nameOf(*given[rank]), ": rank ", rank, why);
  }
  if (given[0]->kind != TransferKind::AllToAll)
    return "";
  for (int from = 0; from < size; ++from)
    for (int to = 0; to < size; ++to) {
      const int64_t sent = given[from]->send[to];
      const int64_t received = given[to]->receive[from];
      if (sent != received)
        return concat("all_to_all: rank ", to, " receives ", received,
                      " elements of rank ", from, ", which sends ", sent);
    }
  return "";
}
