// SPDX-License-Identifier: MIT
//
// The client processes of one run: starts or copies them, polls them until they are still, stops,
// kills.
//
// By the machine's clock a still process may resume by itself at any time. By a virtual clock it
// does so only when given something to do: a reply, a time reached, a signal. So only then is it
// looked at again, until another command or another wait shows that it has acted. A process of one
// thread publishes that (see wait_watch.h), and the driver sleeps until then; any other is looked
// for in /proc. Thread safety: that of ForeignProcess.
#pragma once

#include <chrono>
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
#include "sim/machine/wait_watch.h"

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

  /// Whether it has ended by itself; from then on it is not alive. A still one has not.
  bool HasEnded(int client);
  /// The client has been given something to do, so it must be polled again.
  void Disturb(int client);
  /// Whether it is one process that uses the virtual clock, to all that it shows.
  bool ShowsClock(int client);
  /// Whether it has one thread, and showed so when it was last looked at.
  bool HasOneThread(int client) const {
    return member(client).seen != sim::machine::WaitWatch::Look::kUnknown;
  }
  /// Must come before the reading of what clients may have sent, and that before IsStill().
  void Read();
  bool IsStill(int client);
  /// Whether it shows that nothing but what the driver gives it can end its wait. After Read().
  bool WaitsForDriver(int client);
  /// Waits for a client that was not still when last asked about, if it tells when it will be.
  /// Returns how long to wait for what clients send before all are looked at again. `quiet`: how
  /// long nothing has been sent.
  Duration AwaitOne(Duration quiet);

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
    bool still = false;  // when last asked about
    sim::machine::WaitWatch::Look seen = sim::machine::WaitWatch::Look::kUnknown;
    std::chrono::steady_clock::time_point since;  // of `disturbed`
    std::uint64_t commands = 0;                   // when it was disturbed, or found to be still
    std::uint64_t waits = 0;
    std::uint64_t waits_read = 0;
  };
  Result<std::unique_ptr<sim::machine::ForeignProcess>> StartOne(int client);
  bool IsStillByMachine(int client);
  bool LooksStill(int client);
  bool IsUndisturbed(int client) const;
  Member& member(int client) { return members_[static_cast<std::size_t>(client)]; }
  const Member& member(int client) const { return members_[static_cast<std::size_t>(client)]; }

  const DriveOptions& options_;
  const Gate& gate_;
  sim::machine::VirtualClock* clock_;
  std::vector<Member> members_;
  int copied_ = 0;
};

}  // namespace interlock::scenarios::drive
