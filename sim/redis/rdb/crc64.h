// SPDX-License-Identifier: MIT
//
// CRC-64 as Redis ends its dumps with: the polynomial of Jones, reflected, from 0.
#pragma once

#include <cstdint>
#include <string_view>

namespace interlock::sim::redis {

std::uint64_t Crc64(std::string_view bytes);

}  // namespace interlock::sim::redis
