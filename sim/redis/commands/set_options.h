// SPDX-License-Identifier: MIT
//
// The options of SET and GETEX: EX PX EXAT PXAT, NX XX GET KEEPTTL, PERSIST.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace interlock::sim::redis {

struct Context;

struct SetOptions {
  bool nx = false;
  bool xx = false;
  bool get = false;
  bool keep_ttl = false;
  bool persist = false;
  std::string_view expiry;  // Its data() is null without an expiry.
  bool seconds = false;
  bool relative = false;
  bool has_expiry() const { return expiry.data() != nullptr; }
};

/// Reads the options from argument `first` on. On failure replies a syntax error and returns false.
bool ParseSetOptions(Context& c, std::size_t first, bool getex, SetOptions* options);
/// The absolute expiry in ms. On failure replies an error and returns false.
bool ReadExpiry(Context& c, const SetOptions& options, std::int64_t* expires_at_ms);

}  // namespace interlock::sim::redis
