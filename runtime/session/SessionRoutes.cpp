//===- SessionRoutes.cpp - experts that the caller chooses ----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/session/Session.h"

#include <algorithm>

using namespace mm01;

Status Session::checkRoutes(const StepItem &item) const {
  if (!spec.routes) {
    if (item.routes.empty())
      return Status();
    return Status::error("routes for a program that chooses experts itself, "
                         "expected one compiled with --given-routes");
  }
  const std::vector<int64_t> &shape =
      program->entry(spec.entry).arguments[*spec.routes].shape;
  size_t expected = item.tokens.size() * shape[0] * shape[2];
  if (item.routes.size() != expected)
    return Status::error("sequence ", item.sequence, " has ",
                         item.routes.size(), " routes, expected ", expected,
                         ", which this program is told: ", shape[2],
                         " for each of ", shape[0], " layers and each token");
  auto strange =
      std::find_if(item.routes.begin(), item.routes.end(), [&](int32_t expert) {
        return expert < 0 || expert >= spec.experts;
      });
  if (strange != item.routes.end())
    return Status::error("sequence ", item.sequence, ": route ",
                         strange - item.routes.begin(), " is ", *strange,
                         ", expected 0 to ", spec.experts - 1);
  for (auto choice = item.routes.begin(); choice != item.routes.end();
       choice += shape[2])
    for (auto expert = choice; expert != choice + shape[2]; ++expert)
      if (std::find(choice, expert, *expert) != expert)
        return Status::error("sequence ", item.sequence, ": route ",
                             expert - item.routes.begin(), " is ", *expert,
                             ", which the token has already, expected ",
                             shape[2], " different experts");
  return Status();
}

/// [layers, T, k]: of each layer the tokens of all items.
std::vector<int32_t>
Session::joinRoutes(std::span<const StepItem> items) const {
  const std::vector<int64_t> &shape =
      program->entry(spec.entry).arguments[*spec.routes].shape;
  std::vector<int32_t> joined;
  for (int64_t layer = 0; layer < shape[0]; ++layer)
    for (const StepItem &item : items) {
      auto count = static_cast<int64_t>(item.tokens.size()) * shape[2];
      auto from = item.routes.begin() + layer * count;
      joined.insert(joined.end(), from, from + count);
    }
  return joined;
}
