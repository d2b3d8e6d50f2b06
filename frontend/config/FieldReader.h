//===- FieldReader.h - typed values of config.json and --set --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_FRONTEND_CONFIG_FIELDREADER_H
#define MM01_FRONTEND_CONFIG_FIELDREADER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace mm01 {

/// A value and where it stands: "config.json: key 'x'" or "--set x".
struct Located {
  const llvm::json::Value *value = nullptr;
  std::string label;
  bool overridden = false;

  explicit operator bool() const { return value; }
};

/// Reads fields by their names in both layouts. The first failure is kept and
/// the reads after it give zeros, so that the caller checks once, at the end.
///
/// `names` of a field begin with its released name, the one --set overrides.
/// A dot leads into an object: "rope_parameters.rope_theta". Null is as good
/// as absent.
class FieldReader {
public:
  using Names = llvm::ArrayRef<llvm::StringRef>;

  /// Fails if an override is not KEY=VALUE of a key that can be set.
  static llvm::Expected<FieldReader>
  create(llvm::StringRef where, llvm::json::Object file,
         llvm::ArrayRef<std::string> overrides);

  /// The value under one of the names, if there is any. Two names with
  /// different values are a failure.
  Located find(Names names);

  /// As find(), but absence is a failure; the message says what was `expected`
  /// and ends with `cure`.
  Located require(Names names, const llvm::Twine &expected,
                  llvm::StringRef cure = "");

  /// A required whole number in [low, high].
  int64_t integer(Names names, int64_t low, int64_t high);

  /// A required finite number in (low, high].
  double number(Names names, double low, double high);

  /// A required true or false.
  bool boolean(Names names, llvm::StringRef cure = "");

  /// Whole numbers in [0, limit): absent, one, or a list of them.
  std::vector<int64_t> tokens(Names names, int64_t limit);

  /// Conversions of one value, which fail with what was found and expected.
  int64_t toInteger(const Located &at, int64_t low, int64_t high);
  double toNumber(const Located &at, double low, double high);
  bool toBoolean(const Located &at);

  /// Keeps the failure "LABEL: found VALUE, expected …".
  void failExpected(const Located &at, const llvm::Twine &expected);
  void fail(const llvm::Twine &message);

  bool failed() const { return !failure.empty(); }
  llvm::Error takeError();

  const llvm::json::Object &object() const { return file; }
  llvm::StringRef name() const { return where; }

private:
  const llvm::json::Value *lookUp(llvm::StringRef name) const;

  std::string where;
  llvm::json::Object file;
  llvm::StringMap<llvm::json::Value> overrides;
  std::string failure;
};

/// An error of one line, whatever control characters the parts hold.
llvm::Error configError(const llvm::Twine &message);

} // namespace mm01

#endif // MM01_FRONTEND_CONFIG_FIELDREADER_H
