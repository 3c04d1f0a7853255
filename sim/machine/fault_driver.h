// SPDX-License-Identifier: MIT
//
// Does to the servers of a run what its plan says: kills and starts them again, stops them, makes
// them sleep, refuse or forget, promotes replicas, or lets Sentinels do so. Faults of clients and
// their links are the work of the clients themselves and of the proxy.
//
// Guarantee: with End, and with the object's end, all that was done is undone: servers run, answer
// and replicate again. A server that is away is left in peace by further faults. Thread safety:
// none.
#pragma once

#include <cstddef>
#include <vector>

#include <interlock/time.h>

#include "sim/machine/real_fault.h"
#include "sim/machine/stage.h"

namespace interlock::sim::machine {

class FaultDriver {
 public:
  /// `stage` outlives it; only the faults of servers in `planned` count, in order of time.
  FaultDriver(Stage& stage, const std::vector<RealFault>& planned);
  ~FaultDriver();
  FaultDriver(const FaultDriver&) = delete;
  FaultDriver& operator=(const FaultDriver&) = delete;

  /// Does what is due `passed` after the beginning, and ends what has lasted long enough.
  void Act(Duration passed);
  /// Ends all that lasts; false: something could not be ended.
  bool End();

  /// Nothing lasts, and nothing more is planned.
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
  /// False: there is nothing that it could be done to. Else it counts as done, and is ended: a
  /// server whose answer is lost may have done it.
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
