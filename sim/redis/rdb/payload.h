// SPDX-License-Identifier: MIT
//
// What DUMP gives and RESTORE takes: one value in the format of Redis' snapshots, version 10, with
// a checksum. The real server reads what is written here, and its own is read here; but long texts
// are not compressed, so that the bytes need not be the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/redis/data.h"
#include "sim/redis/encoding_limits.h"

namespace interlock::sim::redis {

std::string WritePayload(const Data& data);

/// Version and checksum are right.
bool VerifyPayload(std::string_view payload);

enum class PayloadResult : std::uint8_t {
  kOk,
  kBad,
  kUnmodelled,  ///< a type that only other versions write, or a stream or module
};
/// REQUIRES: VerifyPayload.
PayloadResult ReadPayload(std::string_view payload, const EncodingLimits& limits, Data* data);

}  // namespace interlock::sim::redis
