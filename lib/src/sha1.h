// SPDX-License-Identifier: MIT
//
// SHA-1 at compile time: Redis names a cached script by it. Not for anything that needs security.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace interlock::internal {

using Sha1State = std::array<std::uint32_t, 5>;

/// Byte `index` of the padded message: the text, 0x80, zeros, and the length in bits (big endian).
constexpr std::uint8_t Sha1PaddedByte(std::string_view text, std::size_t index, std::size_t total) {
  if (index < text.size()) return static_cast<std::uint8_t>(text[index]);
  if (index == text.size()) return 0x80;
  if (index + 8 < total) return 0;
  const std::uint64_t bits = static_cast<std::uint64_t>(text.size()) * 8;
  return static_cast<std::uint8_t>(bits >> (8 * (total - 1 - index)));
}

constexpr void Sha1Block(Sha1State& state, const std::array<std::uint32_t, 16>& block) {
  std::array<std::uint32_t, 80> w{};
  for (std::size_t i = 0; i < 16; ++i) w[i] = block[i];
  for (std::size_t i = 16; i < 80; ++i) {
    w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  }
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < 80; ++i) {
    std::uint32_t f = 0;
    std::uint32_t k = 0;
    if (i < 20) {
      f = (b & c) | (~b & d);
      k = 0x5A827999;
    } else if (i < 40) {
      f = b ^ c ^ d;
      k = 0x6ED9EBA1;
    } else if (i < 60) {
      f = (b & c) | (b & d) | (c & d);
      k = 0x8F1BBCDC;
    } else {
      f = b ^ c ^ d;
      k = 0xCA62C1D6;
    }
    const std::uint32_t next = std::rotl(a, 5) + f + e + k + w[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
}

/// 40 lower-case hexadecimal digits.
constexpr std::array<char, 40> Sha1Hex(std::string_view text) {
  Sha1State state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  const std::size_t total = (text.size() + 8) / 64 * 64 + 64;
  for (std::size_t start = 0; start < total; start += 64) {
    std::array<std::uint32_t, 16> block{};
    for (std::size_t i = 0; i < 64; ++i) {
      block[i / 4] = (block[i / 4] << 8) | Sha1PaddedByte(text, start + i, total);
    }
    Sha1Block(state, block);
  }
  std::array<char, 40> hex{};
  for (std::size_t i = 0; i < 40; ++i) {
    hex[i] = "0123456789abcdef"[(state[i / 8] >> (28 - 4 * (i % 8))) & 0xF];
  }
  return hex;
}

}  // namespace interlock::internal
