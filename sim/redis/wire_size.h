// SPDX-License-Identifier: MIT
//
// How long commands and replies are on the wire.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/redis/resp.h"

namespace interlock::sim::redis {

/// Of a command as an array of bulk strings.
template <typename Words>
std::size_t CommandSize(const Words& words) {
  std::size_t size = std::to_string(words.size()).size() + 3;
  for (const std::string_view word : words) {
    size += std::to_string(word.size()).size() + word.size() + 5;
  }
  return size;
}

/// Of a reply; see AppendReply.
inline std::size_t ReplySize(const Value& value, int version) {
  std::string bytes;
  AppendReply(value, version, &bytes);
  return bytes.size();
}

}  // namespace interlock::sim::redis
