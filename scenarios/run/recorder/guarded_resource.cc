// SPDX-License-Identifier: MIT
#include "scenarios/run/recorder/guarded_resource.h"

#include <algorithm>

namespace interlock::scenarios {

bool GuardedResource::Admits(const Visitor& visitor) {
  if (guard_ != GuardKind::kFenced || !visitor.fencing_token.has_value()) return true;
  const std::uint64_t token = *visitor.fencing_token;
  if (token < (visitor.shared ? highest_of_writers_ : highest_token_)) return false;
  highest_token_ = std::max(highest_token_, token);
  if (!visitor.shared) highest_of_writers_ = token;
  return true;
}

std::optional<std::uint64_t> GuardedResource::Read(const Visitor& visitor) {
  if (!Admits(visitor)) return std::nullopt;
  if (!visitor.shared) last_reader_ = visitor.grant;
  return value_;
}

bool GuardedResource::Write(const Visitor& visitor, std::uint64_t value) {
  if (!Admits(visitor)) return false;
  if (guard_ == GuardKind::kCheckAndSet && last_reader_ != visitor.grant) return false;
  value_ = value;
  ++accepted_writes_;
  return true;
}

}  // namespace interlock::scenarios
