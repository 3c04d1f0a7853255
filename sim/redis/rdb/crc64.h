// SPDX-License-Identifier: MIT
//
// The CRC-64 at the end of Redis' dumps: Jones' polynomial, reflected, initial value 0.
#pragma once

#include <cstdint>
#include <string_view>

namespace interlock::sim::redis {

std::uint64_t Crc64(std::string_view bytes);

}  // namespace interlock::sim::redis
