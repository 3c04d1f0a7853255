// SPDX-License-Identifier: MIT
//
// The payload of DUMP and RESTORE: one value in Redis' snapshot format, version 10, with a
// checksum. Compatible with the real server in both directions, but long texts are not compressed,
// so the bytes may differ.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/redis/data.h"
#include "sim/redis/encoding_limits.h"

namespace interlock::sim::redis {

std::string WritePayload(const Data& data);

/// Whether version and checksum are right.
bool VerifyPayload(std::string_view payload);

enum class PayloadResult : std::uint8_t {
  kOk,
  kBad,
  kUnmodelled,  ///< a type that only other versions write, or a stream or module
};
/// REQUIRES: VerifyPayload.
PayloadResult ReadPayload(std::string_view payload, const EncodingLimits& limits, Data* data);

}  // namespace interlock::sim::redis
