//===- FieldReader.cpp - typed values of config.json and --set ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Test: test/frontend/config/ReadConfigTest.cpp
//
//===----------------------------------------------------------------------===//

#include "frontend/config/FieldReader.h"
#include "frontend/config/ConfigKeys.h"
#include "frontend/safetensors/Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <iterator>

using namespace mm01;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

llvm::Error mm01::configError(const Twine &message) {
  return llvm::createStringError(Status::error(message.str()).message());
}

/// A number in as few digits as tell it apart: 0.4, not 0.40000000000000002.
static std::string shown(double number) {
  char digits[32];
  auto end = std::to_chars(std::begin(digits), std::end(digits), number);
  return std::string(digits, end.ptr);
}

/// A value as it stands in the file, shortened for a message.
static std::string shown(const json::Value &value) {
  if (std::optional<double> number = value.getAsNumber();
      number && !value.getAsInteger())
    return shown(*number);
  std::string text;
  llvm::raw_string_ostream(text) << value;
  constexpr size_t limit = 60;
  return text.size() <= limit ? text : text.substr(0, limit) + "…";
}

static std::string quotedNames(FieldReader::Names names) {
  std::string text;
  for (StringRef name : names)
    text += ((text.empty() ? "'" : " or '") + name + "'").str();
  return text;
}

/// VALUE of --set: JSON, or the string that it is.
static json::Value overrideValue(StringRef text) {
  // The check also bounds the depth, which LLVM's parser does not.
  if (checkJson("", text).ok()) {
    llvm::Expected<json::Value> value = json::parse(text);
    if (value)
      return *value;
    llvm::consumeError(value.takeError());
  }
  return json::fixUTF8(text);
}

llvm::Expected<FieldReader>
FieldReader::create(StringRef where, json::Object file,
                    llvm::ArrayRef<std::string> overrides) {
  FieldReader reader;
  reader.where = where.str();
  reader.file = std::move(file);
  for (StringRef text : overrides) {
    auto [key, value] = text.split('=');
    if (key.size() == text.size() || key.empty())
      return configError("--set " + text + ": expected KEY=VALUE");
    if (!llvm::is_contained(settableKeys(), key))
      return configError("--set " + key + ": no such key, expected one of: " +
                         llvm::join(settableKeys(), " "));
    if (!reader.overrides.try_emplace(key, overrideValue(value)).second)
      return configError("--set " + key + ": given twice");
  }
  return reader;
}

const json::Value *FieldReader::lookUp(StringRef name) const {
  auto [outer, inner] = name.split('.');
  if (inner.empty())
    return file.get(outer);
  const json::Object *object = file.getObject(outer);
  return object ? object->get(inner) : nullptr;
}

Located FieldReader::find(Names names) {
  auto isNull = [](const json::Value *value) {
    return !value || value->kind() == json::Value::Null;
  };
  auto override = overrides.find(names.front());
  if (override != overrides.end()) {
    Located at{&override->second, ("--set " + names.front()).str(), true};
    return isNull(at.value) ? Located() : at;
  }
  Located first;
  for (StringRef name : names) {
    const json::Value *value = lookUp(name);
    if (isNull(value))
      continue;
    Located at{value, (where + ": key '" + name + "'").str()};
    if (!first)
      first = at;
    else if (*first.value != *value)
      failExpected(at, shown(*first.value) + " as in " +
                           StringRef(first.label).substr(where.size() + 2));
  }
  return first;
}

Located FieldReader::require(Names names, const Twine &expected,
                             StringRef cure) {
  Located at = find(names);
  if (!at)
    fail(where + ": key " + quotedNames(names) + " is missing, expected " +
         expected + cure);
  return at;
}

int64_t FieldReader::integer(Names names, int64_t low, int64_t high) {
  Located at = require(names, "a whole number from " + Twine(low) + " to " +
                                  Twine(high));
  return at ? toInteger(at, low, high) : 0;
}

double FieldReader::number(Names names, double low, double high) {
  Located at = require(names, "a number");
  return at ? toNumber(at, low, high) : 0;
}

bool FieldReader::boolean(Names names, StringRef cure) {
  Located at = require(names, "true or false", cure);
  return at && toBoolean(at);
}

std::vector<int64_t> FieldReader::tokens(Names names, int64_t limit) {
  std::vector<int64_t> list;
  Located at = find(names);
  if (!at)
    return list;
  const json::Array *array = at.value->getAsArray();
  if (!array)
    return {toInteger(at, 0, limit - 1)};
  for (const json::Value &token : *array)
    list.push_back(toInteger({&token, at.label}, 0, limit - 1));
  return list;
}

int64_t FieldReader::toInteger(const Located &at, int64_t low, int64_t high) {
  std::optional<int64_t> number = at.value->getAsInteger();
  if (number && *number >= low && *number <= high)
    return *number;
  failExpected(at, "a whole number from " + Twine(low) + " to " + Twine(high));
  return 0;
}

double FieldReader::toNumber(const Located &at, double low, double high) {
  std::optional<double> number = at.value->getAsNumber();
  if (number && *number > low && *number <= high)
    return *number;
  failExpected(at,
               "a number over " + shown(low) + " and at most " + shown(high));
  return 0;
}

bool FieldReader::toBoolean(const Located &at) {
  if (std::optional<bool> value = at.value->getAsBoolean())
    return *value;
  failExpected(at, "true or false");
  return false;
}

void FieldReader::failExpected(const Located &at, const Twine &expected) {
  fail(at.label + ": found " + shown(*at.value) + ", expected " + expected);
}

void FieldReader::fail(const Twine &message) {
  if (failure.empty())
    failure = message.str();
}

llvm::Error FieldReader::takeError() {
  return failed() ? configError(failure) : llvm::Error::success();
}
