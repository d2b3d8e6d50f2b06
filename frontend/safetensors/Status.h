//===- Status.h - success, or one line that says what is wrong ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The error type of everything that does not link LLVM: the safetensors
// library and the runtime. A Status travels up to main(), which prints its
// message as the one line a user sees. Nothing here throws, and nothing here
// needs run-time type information, so code built with -fno-exceptions and
// -fno-rtti may use it.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_FRONTEND_SAFETENSORS_STATUS_H
#define MM01_FRONTEND_SAFETENSORS_STATUS_H

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mm01 {

/// Puts text, whole numbers and floating-point numbers one after another:
/// concat("expected ", 4, " bytes"). A char is text.
template <typename... Parts> std::string concat(const Parts &...parts) {
  std::string text;
  auto append = [&text](const auto &part) {
    using Part = std::decay_t<decltype(part)>;
    if constexpr (std::same_as<Part, char>)
      text += part;
    else if constexpr (std::same_as<Part, bool>)
      text += part ? "true" : "false";
    else if constexpr (std::integral<Part> || std::floating_point<Part>)
      text += std::to_string(part);
    else
      text += std::string_view(part);
  };
  (append(parts), ...);
  return text;
}

/// Success, or a message of exactly one line: what is wrong, where, and what
/// was expected. Control characters in a message (a tensor may be named
/// "a\nb") become '?'.
class [[nodiscard]] Status {
public:
  /// Success.
  Status() = default;

  /// A failure; the parts are put together by concat().
  template <typename... Parts> static Status error(const Parts &...parts) {
    Status status;
    status.text = oneLine(concat(parts...));
    return status;
  }

  bool ok() const { return text.empty(); }
  bool failed() const { return !text.empty(); }

  /// The line, without a line break at its end; empty on success.
  const std::string &message() const { return text; }

private:
  static std::string oneLine(std::string line) {
    for (char &c : line)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
        c = '?';
    return line.empty() ? "unknown error" : line;
  }

  std::string text;
};

/// A value, or the Status that says why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : held(std::move(value)) {}

  /// `status` must be a failure: a success has no value to give.
  Result(Status status) : why(std::move(status)) {
    if (why.ok())
      why = Status::error("internal error: a result without a value");
  }

  bool ok() const { return held.has_value(); }
  bool failed() const { return !held.has_value(); }
  explicit operator bool() const { return held.has_value(); }

  const Status &status() const { return why; }
  const std::string &message() const { return why.message(); }

  /// The value. Only after ok().
  T &operator*() & { return *held; }
  const T &operator*() const & { return *held; }
  T &&operator*() && { return *std::move(held); }
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }

private:
  std::optional<T> held;
  Status why;
};

} // namespace mm01

/// Leaves the enclosing function, which returns Status or Result, if the
/// Status or Result `expression` is a failure.
#define MM01_RETURN_IF_FAILED(expression)                                      \
  do {                                                                         \
    if (::mm01::Status mm01Status = ::mm01::statusOf(expression);              \
        mm01Status.failed())                                                   \
      return mm01Status;                                                       \
  } while (false)

namespace mm01 {
inline Status statusOf(Status status) { return status; }
template <typename T> Status statusOf(const Result<T> &result) {
  return result.status();
}
} // namespace mm01

#endif // MM01_FRONTEND_SAFETENSORS_STATUS_H
