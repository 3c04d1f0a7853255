// SPDX-License-Identifier: MIT
//
// The payload of DUMP and RESTORE: one value in the snapshot format of a server, with a checksum.
// Compatible with the real server in both directions, but long texts are not compressed, so the
// bytes may differ. Redis' forms of hashes whose fields have TTLs are not modelled: they are
// written without, and not read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/redis/data.h"
#include "sim/redis/dialect.h"
#include "sim/redis/encoding_limits.h"

namespace interlock::sim::redis {

std::string WritePayload(const Data& data, const Dialect& dialect);
/// Whether that leaves out TTLs of fields.
bool LosesTtls(const Data& data, const Dialect& dialect);

enum class PayloadResult : std::uint8_t {
  kOk,
  kBad,
  kUnmodelled,  ///< a type that only other versions write, or a stream or module
};
/// REQUIRES: VerifyFooter.
PayloadResult ReadPayload(std::string_view payload, const Dialect& dialect,
                          const EncodingLimits& limits, Data* data);

}  // namespace interlock::sim::redis
