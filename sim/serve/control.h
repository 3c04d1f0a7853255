// SPDX-License-Identifier: MIT
//
// The commands by which clients control a served Redis: INTERLOCK.CLOCK, INTERLOCK.FAULT and
// INTERLOCK.HELP. They are answered before reaching the fake server.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/redis/server.h"
#include "sim/serve/clock.h"
#include "sim/serve/faults.h"

namespace interlock::sim::serve {

/// What the control commands act on besides the clock and single-command faults.
class ControlTarget {
 public:
  virtual ~ControlTarget() = default;
  /// The machine's Unix time in us.
  virtual std::int64_t RealUs() const = 0;
  /// The clock was moved: performs whatever is due by now, in order of deadlines.
  virtual void ClockMoved() = 0;
  /// Executes no client's command before the server's clock shows this time.
  virtual void StallUntil(std::int64_t unix_us) = 0;
  /// Ends a stall, and delays that have begun.
  virtual void EndStall() = 0;
  /// nullopt: none. For List().
  virtual std::optional<std::int64_t> stalled_until_us() const = 0;
  /// Between a Crash and the restart; until when (nullopt: until Restart).
  virtual bool down() const = 0;
  virtual std::optional<std::int64_t> down_until_us() const = 0;
  /// Both directions of this client's connection go silent for good. False: no such client.
  virtual bool HalfOpen(redis::ClientId client) = 0;
  /// All connections break and data only in memory is lost, after a power loss also data not synced
  /// to disk; until the server's clock shows `until_us` (nullopt: until Restart) only control
  /// commands are answered. False: a script is running, and nothing was done.
  virtual bool Crash(bool power_lost, std::optional<std::int64_t> until_us) = 0;
  /// Restarts after a Crash; otherwise crashes and starts at once. False as for Crash.
  virtual bool Restart() = 0;
};

class Control {
 public:
  Control(ServeClock& clock, CommandFaultPlan& faults, ControlTarget& target)
      : clock_(clock), faults_(faults), target_(target) {}

  /// Whether the command is in the INTERLOCK namespace. `argv` is not empty.
  static bool Owns(const redis::Argv& argv);
  /// REQUIRES: Owns(argv).
  redis::Value Execute(const redis::Argv& argv);

  /// What INTERLOCK.HELP answers and `interlock serve --help` prints, line by line.
  static std::string_view HelpText();

 private:
  using Words = CommandFaultPlan::Words;
  redis::Value Clock(Words words);
  redis::Value Fault(Words words);
  redis::Value ServerFault(Words words);
  redis::Value Clear(Words words);
  redis::Value List() const;
  std::int64_t NowUs() const { return clock_.Now(target_.RealUs()); }

  ServeClock& clock_;
  CommandFaultPlan& faults_;
  ControlTarget& target_;
};

}  // namespace interlock::sim::serve
