// SPDX-License-Identifier: MIT
#include "src/key_slot.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "src/command_name.h"

namespace interlock::internal {
namespace {

// CRC-16/XMODEM, as the specification of Redis Cluster demands.
constexpr std::array<std::uint16_t, 256> MakeTable() {
  std::array<std::uint16_t, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = static_cast<std::uint32_t>(byte) << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc & 0x8000) != 0 ? 0x1021U : 0U);
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}

constexpr std::array<std::uint16_t, 256> kTable = MakeTable();

}  // namespace

int SlotOf(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open != std::string_view::npos) {
    const std::size_t close = key.find('}', open + 1);
    if (close != std::string_view::npos && close > open + 1) {
      key = key.substr(open + 1, close - open - 1);
    }
  }
  std::uint16_t crc = 0;
  for (const char c : key) {
    const unsigned index = (crc >> 8) ^ static_cast<unsigned char>(c);
    crc = static_cast<std::uint16_t>((crc << 8) ^ kTable[index]);
  }
  return crc % kSlots;
}

std::optional<std::string_view> KeyOf(std::span<const std::string_view> argv) {
  if (argv.size() < 2) return std::nullopt;
  if (IsNamed(argv[0], "EVAL") || IsNamed(argv[0], "EVALSHA")) {
    if (argv.size() < 4 || argv[2] == "0") return std::nullopt;
    return argv[3];
  }
  constexpr std::array<std::string_view, 12> kKeyless = {"AUTH",   "CLIENT",  "CLUSTER", "CONFIG",
                                                         "ECHO",   "INFO",    "PING",    "SCRIPT",
                                                         "SELECT", "SLOWLOG", "WAIT",    "WAITAOF"};
  const bool keyless = std::any_of(kKeyless.begin(), kKeyless.end(),
                                   [&](std::string_view name) { return IsNamed(argv[0], name); });
  return keyless ? std::nullopt : std::optional<std::string_view>(argv[1]);
}

}  // namespace interlock::internal
