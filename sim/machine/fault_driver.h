// SPDX-License-Identifier: MIT
//
// Injects a run's planned faults into its servers: kills and restarts them, stops them, makes them
// sleep, refuse or forget, promotes replicas, or lets Sentinels do so. Faults of clients and their
// links are up to the clients themselves and the proxy.
//
// Guarantee: End and the destructor undo everything: servers run, answer and replicate again.
// Further faults leave a server that is away alone. Thread safety: none.
#pragma once

#include <cstddef>
#include <vector>

#include <interlock/time.h>

#include "sim/machine/real_fault.h"
#include "sim/machine/stage.h"

namespace interlock::sim::machine {

class FaultDriver {
 public:
  /// `stage` outlives it; only server faults in `planned` count, in order of time.
  FaultDriver(Stage& stage, const std::vector<RealFault>& planned);
  ~FaultDriver();
  FaultDriver(const FaultDriver&) = delete;
  FaultDriver& operator=(const FaultDriver&) = delete;

  /// Starts faults due at `passed` since the beginning, and ends those that have lasted long
  /// enough.
  void Act(Duration passed);
  /// Ends all active faults; false: one could not be ended.
  bool End();

  /// Whether no fault is active or still planned.
  bool over() const { return next_ == planned_.size() && lasting_.empty(); }
  /// How much longer a run may take because of the faults.
  Duration total() const;
  /// What was done, in order of time; `at` is when.
  const std::vector<RealFault>& done() const { return done_; }

 private:
  struct Lasting {
    RealFault fault;
    RedisServer* server = nullptr;
  };

  bool IsAway(const RedisServer& server) const;
  /// False: there is no target. Otherwise it counts as done, and will be ended: a server whose
  /// answer is lost may have done it.
  bool Begin(const RealFault& fault, RedisServer& server);
  bool BeginWithReplicas(const RealFault& fault, RedisServer& primary);
  bool Promote(RedisServer& primary, bool kill);
  /// False: it takes longer.
  bool Finish(const Lasting& lasting);
  bool FinishWithReplicas(const Lasting& lasting);

  Stage& stage_;
  std::vector<RealFault> planned_;
  std::size_t next_ = 0;
  std::vector<Lasting> lasting_;
  std::vector<RealFault> done_;
};

}  // namespace interlock::sim::machine
