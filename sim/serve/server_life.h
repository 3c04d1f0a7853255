// SPDX-License-Identifier: MIT
//
// A served fake in time: its clock, and when it stands still, is down, or has something to do by
// itself. All times are Unix times in us on the server's clock.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/redis/server.h"
#include "sim/serve/clock.h"

namespace interlock::sim::serve {

class ServerLife {
 public:
  /// Both outlive it.
  ServerLife(redis::Server& server, const ServeClock& clock) : server_(server), clock_(clock) {}

  /// The machine's Unix time in us.
  static std::int64_t RealUs();
  /// Lets the server's time be what its clock shows.
  void SetTime() { server_.SetTime(clock_.Now(RealUs())); }

  bool stalled() const { return stalled_until_us_.has_value(); }
  std::optional<std::int64_t> stalled_until_us() const { return stalled_until_us_; }
  void StallUntil(std::int64_t us) { stalled_until_us_ = us; }
  void EndStall() { stalled_until_us_.reset(); }

  bool down() const { return down_; }
  std::optional<std::int64_t> down_until_us() const { return down_until_us_; }
  /// Also ends a stall. nullopt: until Start is called.
  void Kill(bool power_lost, std::optional<std::int64_t> until_us);
  void Start();
  bool StartIsDue() const;

  /// Whatever the server does by itself until now, each at its own time; `expire`: and a round of
  /// its active expiry.
  void CatchUp(bool expire);
  /// When something falls due next; nullopt: nothing will.
  std::optional<std::int64_t> NextDueUs() const;

 private:
  redis::Server& server_;
  const ServeClock& clock_;
  std::optional<std::int64_t> stalled_until_us_;
  bool down_ = false;
  std::optional<std::int64_t> down_until_us_;
};

}  // namespace interlock::sim::serve
