// SPDX-License-Identifier: MIT
//
// A hash of texts that differ at their ends, in the middle or in length: keys, tokens, digests,
// scripts. Pure function; its value only decides where something is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace interlock::sim::redis {

inline std::size_t QuickHash(std::string_view text) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  const auto word_at = [&](std::size_t at) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, kWord);
    return word;
  };
  if (text.size() >= kWord) {
    std::uint64_t mixed = word_at(0) + text.size();
    mixed = mixed * kFactor ^ word_at((text.size() - kWord) / 2);
    mixed = mixed * kFactor ^ word_at(text.size() - kWord);
    return static_cast<std::size_t>(mixed * kFactor >> 32);
  }
  std::uint64_t mixed = text.size();
  for (const char c : text) mixed = mixed * kFactor + static_cast<unsigned char>(c);
  return static_cast<std::size_t>(mixed * kFactor >> 32);
}

}  // namespace interlock::sim::redis
