// SPDX-License-Identifier: MIT
//
// The options of HSETEX and HGETEX: EX PX EXAT PXAT, KEEPTTL, PERSIST, FNX FXX, NX XX.
#pragma once

#include <cstddef>
#include <string_view>

#include "sim/redis/commands/set_options.h"
#include "sim/redis/context.h"

namespace interlock::sim::redis {

struct FieldOptions {
  bool nx = false;  ///< Only if there is no such key; Valkey only.
  bool xx = false;
  bool fnx = false;  ///< Only if there is none of the fields.
  bool fxx = false;
  bool keep_ttl = false;
  bool persist = false;
  const TtlUnit* unit = nullptr;  ///< Null: no expiry.
  std::size_t expiry_at = 0;      ///< The argument that is its time.
};

/// NX, XX, FNX or FXX, in any case.
bool IsCondition(std::string_view word);

/// Both reply an error and return false on failure.

/// As Valkey reads arguments [first, end): an option may be repeated.
bool ParseFieldOptions(Context& c, std::size_t first, std::size_t end, bool getex,
                       FieldOptions* options);
/// As Redis reads an HSETEX, up to its end; the time too.
bool ParseHSetEx(Context& c, FieldOptions* options, Arguments* fields, std::int64_t* expires_at_ms);

}  // namespace interlock::sim::redis
