// SPDX-License-Identifier: MIT
#include <interlock/result.h>

#include <cstdio>
#include <cstdlib>

namespace interlock {

std::string_view ToString(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return "ok";
    case StatusCode::kTimeout:
      return "timeout";
    case StatusCode::kNotAcquired:
      return "not-acquired";
    case StatusCode::kUnavailable:
      return "unavailable";
    case StatusCode::kUnknownOutcome:
      return "unknown-outcome";
    case StatusCode::kNotOwner:
      return "not-owner";
    case StatusCode::kLeaseLost:
      return "lease-lost";
    case StatusCode::kCancelled:
      return "cancelled";
    case StatusCode::kInvalidArgument:
      return "invalid-argument";
    case StatusCode::kProtocolError:
      return "protocol-error";
    case StatusCode::kStopped:
      return "stopped";
  }
  return "undefined";
}

std::string Status::ToString() const {
  std::string text(interlock::ToString(code_));
  if (!message().empty()) text += ": " + message();
  return text;
}

const std::string& Status::NoMessage() {
  static const std::string none;
  return none;
}

void internal::EndWithoutValue(const Status& why) {
  std::fprintf(stderr, "interlock: a Result was used as a value, but is a failure: %s\n",
               why.ToString().c_str());
  std::abort();
}

}  // namespace interlock
