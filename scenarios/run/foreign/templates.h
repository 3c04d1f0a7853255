// SPDX-License-Identifier: MIT
//
// The clients' processes that runs are copied from, one per client (see process_template.h). They
// serve any number of runs of the same commands with as many clients and servers.
//
// Thread safety: that of ForeignProcess.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <interlock/result.h>

#include "scenarios/run/foreign/drive_run.h"
#include "sim/machine/process_template.h"
#include "sim/machine/virtual_clock.h"

namespace interlock::scenarios::drive {

/// The clocks of one run's clients, whose random numbers are the same in each run.
Result<std::unique_ptr<sim::machine::VirtualClock>> MakeClocks(int clients);

class Gate;

class Templates {
 public:
  /// Starts them, and waits until each has connected, for at most `options.patience` together, or
  /// until `options.stop`. Clients that say INTERLOCK.READY, after so many connections (by client,
  /// see Gate), are answered until then, and copied at the next one. Fails as Launch does.
  static Result<std::unique_ptr<Templates>> Start(
      const DriveOptions& options, const std::vector<std::uint64_t>& ready_after = {});

  ~Templates();

  /// Why the client's process is started anew in each run; empty: it is copied.
  const std::string& WhyNot(int client) const { return why_not_[static_cast<std::size_t>(client)]; }
  bool CanCopyAny() const;
  /// Whether any client says when it is to be copied.
  bool AnyIsReady() const { return gate_ != nullptr; }
  /// From now on it is started anew.
  void GiveUp(int client, std::string why);

  /// REQUIRES: WhyNot(client) is empty; the run before has ended.
  Result<std::unique_ptr<sim::machine::ForeignProcess>> Copy(int client,
                                                             const std::vector<int>& ports,
                                                             sim::machine::VirtualClock& clock);

 private:
  Templates();

  std::unique_ptr<sim::machine::VirtualClock> clock_;
  std::unique_ptr<Gate> gate_;  // of those that say when they are ready; null: none does
  std::vector<std::unique_ptr<sim::machine::ProcessTemplate>> templates_;  // null: given up
  std::vector<std::string> why_not_;
};

}  // namespace interlock::scenarios::drive
