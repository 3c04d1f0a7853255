// SPDX-License-Identifier: MIT
#include "src/token.h"

#include <array>
#include <cstddef>

namespace interlock::internal {

std::string NewToken(Runtime& runtime) {
  std::array<std::byte, 16> bytes{};
  runtime.FillRandom(bytes);
  std::string token;
  token.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    token.push_back("0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4]);
    token.push_back("0123456789abcdef"[std::to_integer<unsigned>(byte) & 0xF]);
  }
  return token;
}

}  // namespace interlock::internal
