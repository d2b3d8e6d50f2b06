//===- Json.cpp - the rules that JSON from a user has to keep -------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Test: test/frontend/safetensors/JsonTest.cpp
//
//===----------------------------------------------------------------------===//

#include "frontend/safetensors/Json.h"

#include <nlohmann/json.hpp>

#include <unordered_set>

using namespace mm01;

namespace {

/// Listens to the parser's events and keeps the keys of each open object.
/// Returning false ends the parse.
class Checker : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit Checker(std::string_view where) : where(where) {}

  Status status;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }

  bool start_object(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }

  bool key(string_t &name) override {
    if (open.back().insert(name).second)
      return true;
    status = Status::error(where, ": has the key '", name, "' twice");
    return false;
  }

  bool parse_error(std::size_t, const std::string &,
                   const nlohmann::detail::exception &error) override {
    // Without the library's own "[json.exception.parse_error.101] ".
    std::string_view what = error.what();
    if (size_t end = what.find("] "); end != std::string_view::npos)
      what.remove_prefix(end + 2);
    status = Status::error(where, ": is not valid JSON: ", what);
    return false;
  }

private:
  static constexpr size_t maxDepth = 64;

  bool enter() {
    open.emplace_back();
    if (open.size() <= maxDepth)
      return true;
    status = Status::error(where, ": JSON is nested more than ", maxDepth,
                           " levels deep");
    return false;
  }

  bool leave() {
    open.pop_back();
    return true;
  }

  std::string_view where;
  std::vector<std::unordered_set<std::string>> open;
};

} // namespace

Status mm01::checkJson(std::string_view where, std::string_view text) {
  // The parser takes a zero byte for the end of the text, and would not look
  // at what follows it.
  if (size_t at = text.find('\0'); at != std::string_view::npos)
    return Status::error(where, ": is not valid JSON: byte ", at, " is zero");
  Checker checker(where);
  nlohmann::json::sax_parse(text, &checker);
  return checker.status;
}
