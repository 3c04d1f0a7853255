// SPDX-License-Identifier: MIT
#include "src/scripts/line_scripts.h"

#include <charconv>
#include <utility>

namespace interlock::internal {

LineScripts::LineScripts(ResourceKeys keys, Milliseconds lease, LineRule rule)
    : LockScripts(std::move(keys), lease), rule_(rule) {}

ScriptCall LineScripts::ForceRelease(const std::string& token, std::uint64_t fencing_token) const {
  ScriptCall call = Release(token, fencing_token);
  call.arguments.Add("force");
  return call;
}

std::string LineScripts::Turn(const std::string& token) const {
  return ScriptWord(keys().base, ":turn:", token).text();
}

Result<std::uint64_t> ParseTurn(const std::string& element) {
  std::uint64_t fence = 0;
  const char* end = element.data() + element.size();
  const auto [parsed_to, error] = std::from_chars(element.data(), end, fence);
  if (error == std::errc() && parsed_to != end && *parsed_to == ' ') return fence;
  return Status(StatusCode::kProtocolError, "a grant was handed over in an unknown form");
}

}  // namespace interlock::internal
