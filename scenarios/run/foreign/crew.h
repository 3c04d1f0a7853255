// SPDX-License-Identifier: MIT
//
// The client processes of one run: starts or copies them, polls them until they are still, stops,
// kills.
//
// By the machine's clock a still process may resume by itself at any time. By a virtual clock it
// does so only when given something to do: a reply, a time reached, a signal. So only then is it
// polled again, until another command or another wait shows that it has acted. Thread safety: that
// of ForeignProcess.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <interlock/result.h>
#include <interlock/time.h>

#include "scenarios/run/foreign/drive_run.h"
#include "scenarios/run/foreign/gate.h"
#include "sim/machine/foreign_process.h"
#include "sim/machine/stillness.h"
#include "sim/machine/virtual_clock.h"

namespace interlock::scenarios::drive {

class Crew {
 public:
  /// `clock`: null means the machine's.
  Crew(const DriveOptions& options, const Gate& gate, sim::machine::VirtualClock* clock);

  /// Starts or copies them. Fails as Launch does.
  Status Start();

  int size() const { return static_cast<int>(members_.size()); }
  bool alive(int client) const { return !member(client).over; }
  int CountAlive() const;
  int copied() const { return copied_; }  ///< how many were copied, not started
  sim::machine::ForeignProcess& process(int client) { return *member(client).process; }

  /// Whether it has ended by itself; from then on it is not alive.
  bool HasEnded(int client);
  /// The client has been given something to do, so it must be polled again.
  void Disturb(int client);
  bool IsStill(int client);
  /// How long to wait before polling again a client that is not still.
  Duration pause() const;

  /// The processor time used by all of them.
  Duration ProcessorTime() const;

  void Stop(int client, std::uint32_t steps);
  void Continue(int client);
  bool stopped(int client) const { return member(client).stopped_for > 0; }
  /// Counts down one step; true: it was the last one.
  bool CountDown(int client) { return --member(client).stopped_for == 0; }
  void Kill(int client);
  void KillAll();

 private:
  struct Member {
    std::unique_ptr<sim::machine::ForeignProcess> process;
    sim::machine::Stillness stillness;
    std::uint32_t stopped_for = 0;  // steps
    bool disturbed = true;
    bool over = false;
    std::uint64_t commands = 0;  // when it was disturbed, or found to be still
    std::uint64_t waits = 0;
  };
  Result<std::unique_ptr<sim::machine::ForeignProcess>> StartOne(int client);
  Member& member(int client) { return members_[static_cast<std::size_t>(client)]; }
  const Member& member(int client) const { return members_[static_cast<std::size_t>(client)]; }

  const DriveOptions& options_;
  const Gate& gate_;
  sim::machine::VirtualClock* clock_;
  std::vector<Member> members_;
  int copied_ = 0;
};

}  // namespace interlock::scenarios::drive
