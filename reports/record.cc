// SPDX-License-Identifier: MIT
#include "reports/record.h"

#include <fmt/format.h>

#include <string>

#include "reports/escape.h"

namespace interlock::reports {

std::uint32_t CheckOf(std::string_view replay, const Record& record) {
  const std::string bytes =
      // As stored in the file, which has no invalid UTF-8.
      fmt::format("{}\n{:x}\n{}\n{}\n{}\n{}", ToValidUtf8(replay), record.trace_hash, record.steps,
                  record.violating_step, record.stride, ToValidUtf8(record.digests));
  std::uint32_t crc = 0xffffffffU;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xedb88320U & (0U - (crc & 1U)));
  }
  return ~crc;
}

}  // namespace interlock::reports
