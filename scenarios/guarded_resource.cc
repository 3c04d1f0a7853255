// SPDX-License-Identifier: MIT
#include "scenarios/guarded_resource.h"

namespace interlock::scenarios {

bool GuardedResource::Admits(const Visitor& visitor) {
  if (guard_ != GuardKind::kFenced || !visitor.fencing_token.has_value()) return true;
  if (*visitor.fencing_token < highest_token_) return false;
  highest_token_ = *visitor.fencing_token;
  return true;
}

std::optional<std::uint64_t> GuardedResource::Read(const Visitor& visitor) {
  if (!Admits(visitor)) return std::nullopt;
  last_reader_ = visitor.grant;
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
