// SPDX-License-Identifier: MIT
#include "sim/redis/rdb/crc64.h"

#include <array>
#include <cstddef>

namespace interlock::sim::redis {

namespace {

constexpr std::uint64_t kReflectedPolynomial = 0x95ac9329ac4bc9b5U;

constexpr std::array<std::uint64_t, 256> MakeTable() {
  std::array<std::uint64_t, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    std::uint64_t remainder = i;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? kReflectedPolynomial : 0);
    }
    table[i] = remainder;
  }
  return table;
}

}  // namespace

std::uint64_t Crc64(std::string_view bytes) {
  static constexpr std::array<std::uint64_t, 256> kTable = MakeTable();
  std::uint64_t crc = 0;
  for (const char c : bytes) {
    crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ (crc >> 8);
  }
  return crc;
}

}  // namespace interlock::sim::redis
