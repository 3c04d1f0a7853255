// SPDX-License-Identifier: MIT
//
// Whether a real server has said the same as the simulated one. All but times must be equal; a time
// is a number that the servers made by their own clocks, so it differs by how far the clocks are
// apart, and a little more.
//
// A time that clients send back is translated into the one that the real server made: fencing
// tokens are such numbers, and scripts compare them.
//
// Guarantee: texts that differ in anything but whole decimal numbers are never alike, nor are
// numbers that are neither times of the two clocks nor what was left of a time. Non-guarantee: that
// a count of 100 or more is off by less than 50 is not seen, for it may be what is left of a lease
// that scripts keep as data.
// Thread safety: none. One for each server: independent servers each make times of their own.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <interlock/connection.h>

#include "sim/redis/server.h"

namespace interlock::scenarios::real {

/// What both clocks show at one moment, Unix time in us.
struct TwoClocks {
  std::int64_t simulated_us = 0;
  std::int64_t real_us = 0;
};

class Alike {
 public:
  /// How far a time may be off: by how much the real server's commands were late.
  static constexpr std::int64_t kToleranceUs = 250'000;
  /// How far what is left of a time may be off, and how much longer a key may live that was
  /// prolonged.
  static constexpr std::int64_t kLittleUs = 50'000;
  static constexpr std::int64_t kMoreLeftUs = 550'000;

  /// Sets what the clocks show now. The distance between them grows where the real servers are
  /// late, so an earlier time may be less far off.
  /// `late_us`: what has been added to it since the data were compared last, which may be missing
  /// in what is left of times.
  void SetClocks(TwoClocks clocks, std::int64_t late_us = 0);

  /// What is left of the simulated keys now, in ms.
  void SetLeft(std::vector<std::int64_t> left_ms) { left_ms_ = std::move(left_ms); }

  /// Uses another server's times for what this one has not seen.
  void SetOthers(const std::vector<const Alike*>& others) { others_ = others; }

  bool Texts(std::string_view simulated, std::string_view real);
  bool Replies(const sim::redis::Value& simulated, const Reply& real);

  /// The same of the answer to TIME, whose two words are one time.
  bool TimeReplies(const sim::redis::Value& simulated, const Reply& real);

  /// A word of a simulated client, with the real server's times in it; if several stand for one,
  /// the latest.
  std::string Translated(std::string_view word) const;
  /// A Unix time that a simulated client has made by its own clock, as far from the real server's
  /// as it is from the simulated one's. What is no whole number stays as it is.
  std::string Shifted(std::string_view time, std::int64_t unit_us) const;

 private:
  bool Numbers(std::string_view simulated, std::string_view real);
  bool AreLeft(std::int64_t simulated, std::int64_t real) const;
  bool AreTimes(std::int64_t simulated, std::int64_t real) const;
  /// Empty: no server has made it.
  std::string_view RealTime(std::string_view simulated) const;
  void Remember(std::string_view simulated, std::string_view real);

  TwoClocks clocks_;
  std::int64_t late_us_ = 0;
  std::int64_t least_apart_us_ = std::numeric_limits<std::int64_t>::max();
  std::map<std::string, std::string, std::less<>> times_;  // simulated: real
  std::vector<std::int64_t> left_ms_;
  std::vector<const Alike*> others_;
};

/// As sim::redis::ToText has it.
std::string ToText(const Reply& reply);

}  // namespace interlock::scenarios::real
