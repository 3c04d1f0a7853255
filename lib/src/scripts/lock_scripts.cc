// SPDX-License-Identifier: MIT
#include "src/scripts/lock_scripts.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <interlock/options.h>

namespace interlock::internal {
namespace {

Status Malformed(std::string_view what) {
  return Status(StatusCode::kProtocolError,
                "the server answered the " + std::string(what) + " script in an unknown form");
}

std::optional<std::uint64_t> ParseNumber(const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [parsed_to, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || parsed_to != end) return std::nullopt;
  return value;
}

}  // namespace

ResourceKeys::ResourceKeys(std::string_view prefix, std::string_view name) {
  base.reserve(prefix.size() + name.size() + 2);
  base.append(prefix).append("{").append(name).append("}");
}

Number LockScripts::CancelledFor() const {
  return Argument(std::max<Duration>(lease_, kCancelledTtl));
}

Status LockScripts::OtherLimit(std::int64_t /*limit*/) const { return Malformed("acquire"); }

Result<AcquireReply> ParseAcquire(const Reply& reply) {
  if (!reply.IsArray() || reply.elements.empty() || !reply.elements[0].IsInteger()) {
    return Malformed("acquire");
  }
  const std::int64_t code = reply.elements[0].integer;
  AcquireReply parsed;
  if (code == -1 && reply.elements.size() == 1) {
    parsed.kind = AcquireReply::Kind::kCancelled;
    return parsed;
  }
  if (reply.elements.size() != 2) return Malformed("acquire");
  const Reply& detail = reply.elements[1];
  if (code == 1 && detail.IsString()) {
    const std::optional<std::uint64_t> fence = ParseNumber(detail.text);
    if (!fence) return Malformed("acquire");
    parsed.kind = AcquireReply::Kind::kGranted;
    parsed.fencing_token = *fence;
    return parsed;
  }
  if (!detail.IsInteger() || (code != 0 && code != -2)) return Malformed("acquire");
  if (code == 0) {
    parsed.owner_ttl = Milliseconds(detail.integer);
  } else {
    parsed.kind = AcquireReply::Kind::kOtherLimit;
    parsed.limit = detail.integer;
  }
  return parsed;
}

Result<ReleaseReply> ParseRelease(const Reply& reply) {
  if (!reply.IsInteger()) return Malformed("release");
  switch (reply.integer) {
    case 0:
      return ReleaseReply::kNotOwner;
    case 1:
      return ReleaseReply::kReleased;
    case 2:
      return ReleaseReply::kReleasedEarlier;
    case 3:
      return ReleaseReply::kSuperseded;
    default:
      return Malformed("release");
  }
}

Result<bool> ParseFlag(const Reply& reply) {
  if (!reply.IsInteger() || reply.integer < 0 || reply.integer > 1) {
    return Malformed("extend or clean-up");
  }
  return reply.integer == 1;
}

Result<Inspection> ParseInspection(const Reply& reply) {
  constexpr std::size_t kOfOne = 3;
  if (!reply.IsArray() || reply.elements.size() % kOfOne != 1) return Malformed("inspect");
  const std::vector<Reply>& all = reply.elements;
  if (!all[0].IsInteger()) return Malformed("inspect");
  Inspection parsed;
  if (all[0].integer >= 0) parsed.waiters = all[0].integer;
  for (std::size_t i = 1; i < all.size(); i += kOfOne) {
    const std::optional<std::uint64_t> fence =
        all[i + 2].IsString() ? ParseNumber(all[i + 2].text) : std::nullopt;
    if (!all[i].IsString() || !all[i + 1].IsInteger() || !fence) return Malformed("inspect");
    const std::int64_t remaining = std::max<std::int64_t>(all[i + 1].integer, 0);
    parsed.holders.push_back({all[i].text, Milliseconds(remaining), *fence});
  }
  return parsed;
}

}  // namespace interlock::internal
