// SPDX-License-Identifier: MIT
//
// Status and Result<T>: how every operation of the library answers. Nothing throws.
//
//   Result<Lease> lease = mutex.TryAcquire();
//   if (!lease.ok()) return lease.status();      // ask first: without a value, value(), * and ->
//   Use(lease->fencing_token());                 // end the program
//
// An outcome has three values (Jepsen's ok / fail / info): it happened, it definitely did not
// happen, or nobody can tell. "Unknown" is never folded into "failed": a request whose reply was
// lost may have taken effect, or may still do so.
//
// Thread safety: values; distinct objects may be used from distinct threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace interlock {

enum class StatusCode : std::uint8_t {
  kOk,              ///< It happened.
  kTimeout,         ///< The caller's deadline passed; definitely nothing is held or changed.
  kNotAcquired,     ///< A definite "no": somebody else holds the resource.
  kUnavailable,     ///< The server was not reached, or refused; definitely nothing happened.
  kUnknownOutcome,  ///< The request may have taken effect, may still do so, or never will.
  kNotOwner,   ///< The server says that this owner token does not hold the resource (any more).
  kLeaseLost,  ///< The lease ended on this client's own clock before the operation was sent.
  kCancelled,  ///< The runtime is shutting down; nothing was sent.
  /// An argument is out of its documented range, or the server refuses these credentials, rights or
  /// limits (NOAUTH, NOPERM, another limit in force). Nothing was changed.
  kInvalidArgument,
  kProtocolError,  ///< The server answered something unexpected; treat the effect as unknown.
  kStopped,        ///< The caller's stop_token asked for it; definitely nothing is held or changed.
};

/// Stable lower-case name, for logs and reports: "ok", "timeout", "not-acquired", ...
std::string_view ToString(StatusCode code);

enum class Outcome : std::uint8_t { kSuccess, kFailure, kUnknown };

class [[nodiscard]] Status {
 public:
  Status() = default;  ///< kOk
  explicit Status(StatusCode code) : code_(code) {}
  explicit Status(StatusCode code, std::string message) : code_(code) {
    if (!message.empty()) message_ = std::make_shared<const std::string>(std::move(message));
  }

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_ != nullptr ? *message_ : NoMessage(); }

  Outcome outcome() const {
    if (ok()) return Outcome::kSuccess;
    const bool unknown =
        code_ == StatusCode::kUnknownOutcome || code_ == StatusCode::kProtocolError;
    return unknown ? Outcome::kUnknown : Outcome::kFailure;
  }

  /// "not-acquired: interlock:{invoice:17} is held by somebody else"; for people, never parsed.
  std::string ToString() const;

 private:
  static const std::string& NoMessage();

  StatusCode code_ = StatusCode::kOk;
  std::shared_ptr<const std::string> message_;  // null: there is no message, the usual case
};

namespace internal {

/// Says on stderr what was missing and why, and aborts.
[[noreturn]] void EndWithoutValue(const Status& why);

}  // namespace internal

/// A value, or a Status that is not ok. REQUIRES: a Status given to the constructor is not ok.
template <typename T>
class [[nodiscard]] Result {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): `return value;` is the point
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): `return status;` is the point
  Result(Status status) : state_(std::in_place_index<1>, std::move(status)) {}

  /// The value is made in its place, of these arguments, instead of being moved there.
  template <typename... Arguments>
  explicit Result(std::in_place_t, Arguments&&... arguments)
      : state_(std::in_place_index<0>, std::forward<Arguments>(arguments)...) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// The reason; an ok Status when there is a value.
  Status status() const { return ok() ? Status() : std::get<1>(state_); }
  StatusCode code() const { return ok() ? StatusCode::kOk : std::get<1>(state_).code(); }
  Outcome outcome() const { return ok() ? Outcome::kSuccess : std::get<1>(state_).outcome(); }

  /// REQUIRES: ok(). Otherwise the program ends, with status() on stderr.
  T& value() & { return *Value(state_); }
  const T& value() const& { return *Value(state_); }
  T&& value() && { return std::move(*Value(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  template <typename State>
  static auto* Value(State& state) {
    auto* const value = std::get_if<0>(&state);
    if (value == nullptr) internal::EndWithoutValue(std::get<1>(state));
    return value;
  }

  std::variant<T, Status> state_;
};

}  // namespace interlock
