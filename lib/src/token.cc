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
  std::array<char, 2 * bytes.size()> digits{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    digits[2 * i] = "0123456789abcdef"[std::to_integer<unsigned>(bytes[i]) >> 4];
    digits[2 * i + 1] = "0123456789abcdef"[std::to_integer<unsigned>(bytes[i]) & 0xF];
  }
  std::string token;
  token.reserve(label.size() + 1 + digits.size());
  if (!label.empty()) token.append(label).append("@");
  token.append(digits.data(), digits.size());
  return token;
}

}  // namespace interlock::internal
