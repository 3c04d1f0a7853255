// SPDX-License-Identifier: MIT
#include "src/token.h"

#include <array>
#include <bit>
#include <cstddef>

namespace interlock::internal {

std::uint32_t RandomNumber(Runtime& runtime) {
  std::array<std::byte, sizeof(std::uint32_t)> random{};
  runtime.FillRandom(random);
  return std::bit_cast<std::uint32_t>(random);
}

std::string NewToken(Runtime& runtime, std::string_view label) {
  std::array<std::byte, 16> bytes{};
  runtime.FillRandom(bytes);
  std::string token;
  token.reserve(label.size() + 1 + 2 * bytes.size());
  if (!label.empty()) token.append(label).append("@");
  for (const std::byte byte : bytes) {
    token.push_back("0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4]);
    token.push_back("0123456789abcdef"[std::to_integer<unsigned>(byte) & 0xF]);
  }
  return token;
}

}  // namespace interlock::internal
