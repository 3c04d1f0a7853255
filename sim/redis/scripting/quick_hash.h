// SPDX-License-Identifier: MIT
//
// A hash of texts that differ at their ends, in the middle or in length: keys, tokens, digests,
// scripts. Pure function; its value only decides where something is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>

namespace interlock::sim::redis {

inline std::size_t QuickHash(std::string_view text) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (text.size() < kWord) return std::hash<std::string_view>()(text);
  const auto word_at = [&](std::size_t at) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, kWord);
    return word;
  };
  std::uint64_t mixed = word_at(0) + text.size();
  mixed = mixed * kFactor ^ word_at((text.size() - kWord) / 2);
  mixed = mixed * kFactor ^ word_at(text.size() - kWord);
  return static_cast<std::size_t>(mixed * kFactor >> 32);
}

}  // namespace interlock::sim::redis
