// SPDX-License-Identifier: MIT
//
// The options of SET, GETEX and MSETEX: EX PX EXAT PXAT, NX XX IFEQ IFNE IFDEQ IFDNE GET KEEPTTL,
// PERSIST.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/redis/commands/comparison.h"

namespace interlock::sim::redis {

struct Context;

struct SetOptions {
  bool nx = false;
  bool xx = false;
  bool get = false;
  bool keep_ttl = false;
  bool persist = false;
  std::optional<Comparison> comparison;
  std::string_view expiry;    // Its data() is null without an expiry.
  std::size_t expiry_at = 0;  // Its place among the arguments, if it was read from options.
  bool seconds = false;
  bool relative = false;
  bool has_expiry() const { return expiry.data() != nullptr; }
  bool conditional() const { return nx || xx || comparison; }
};

/// EX, PX, EXAT or PXAT.
struct TtlUnit {
  std::string_view name;
  bool seconds;
  bool relative;
};
/// By its word in any case; null: it is another word.
const TtlUnit* FindTtlUnit(std::string_view word);

enum class OptionsOf : std::uint8_t { kSet, kGetEx, kMSetEx };

/// Reads the options from argument `first` on. On failure replies a syntax error and returns false.
bool ParseSetOptions(Context& c, std::size_t first, OptionsOf command, SetOptions* options);
/// The absolute expiry in ms. On failure replies an error and returns false.
bool ReadExpiry(Context& c, const SetOptions& options, std::int64_t* expires_at_ms);

}  // namespace interlock::sim::redis
