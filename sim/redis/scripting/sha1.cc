// SPDX-License-Identifier: MIT
//
// SHA-1 as in FIPS 180-4. It identifies scripts; nothing here relies on its strength.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

using Digest = std::array<std::uint32_t, 5>;
using Block = std::array<std::uint8_t, 64>;

void AddBlock(const std::uint8_t* block, Digest* digest) {
  std::array<std::uint32_t, 80> w{};
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = std::uint32_t{block[4 * i]} << 24 | std::uint32_t{block[4 * i + 1]} << 16 |
           std::uint32_t{block[4 * i + 2]} << 8 | std::uint32_t{block[4 * i + 3]};
  }
  for (std::size_t i = 16; i < 80; ++i) {
    w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  }
  auto [a, b, c, d, e] = *digest;
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
  *digest = {(*digest)[0] + a, (*digest)[1] + b, (*digest)[2] + c, (*digest)[3] + d,
             (*digest)[4] + e};
}

}  // namespace

std::string Sha1Hex(std::string_view text) {
  Digest digest = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  std::size_t left = text.size();
  for (; left >= 64; left -= 64, bytes += 64) AddBlock(bytes, &digest);
  Block last{};
  for (std::size_t i = 0; i < left; ++i) last[i] = bytes[i];
  last[left] = 0x80;
  if (left >= 56) {
    AddBlock(last.data(), &digest);
    last = {};
  }
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  for (std::size_t i = 0; i < 8; ++i) {
    last[56 + i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
  }
  AddBlock(last.data(), &digest);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string hex;
  hex.reserve(40);
  for (const std::uint32_t word : digest) {
    for (int shift = 28; shift >= 0; shift -= 4) hex.push_back(kHex[(word >> shift) & 15U]);
  }
  return hex;
}

}  // namespace interlock::sim::redis
