// SPDX-License-Identifier: MIT
//
// What is done on purpose to the clients and the server of a real run: a client's process stands
// still (SIGSTOP, SIGCONT), the server does, its scripts are forgotten (SCRIPT FLUSH). None of
// these may cost a lock more than time, so all that is judged stays as it is, but for delays.
//
// Only a server of one's own is disturbed. Guarantee: all that was stopped goes on with End, and
// with the object's end. Determinism: what is done, and when, is a function of (seed, workload);
// what it meets is the machine's affair. Thread safety: none.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <interlock/time.h>

#include "scenarios/real/client_process.h"
#include "scenarios/real/redis_server.h"
#include "scenarios/workload.h"

namespace interlock::scenarios::real {

enum class DisturbanceKind : std::uint8_t { kClientPause, kServerPause, kScriptFlush };
inline constexpr std::array kAllDisturbances = {
    DisturbanceKind::kClientPause, DisturbanceKind::kServerPause, DisturbanceKind::kScriptFlush};
/// "pause", "server-pause", "script-flush": as the simulated faults are called.
std::string_view ToString(DisturbanceKind kind);

struct Disturbance {
  DisturbanceKind kind = DisturbanceKind::kClientPause;
  Duration at{};  ///< from the beginning of the run
  Duration length{};
  int client = 0;
  bool operator==(const Disturbance&) const = default;
};

/// In order of time; one of each kind at least, within about the time that the workload takes.
std::vector<Disturbance> DisturbancesFor(const Workload& workload, std::uint64_t seed);

class Disturber {
 public:
  /// `server` outlives it.
  Disturber(RedisServer& server, std::vector<Disturbance> planned);
  ~Disturber();
  Disturber(const Disturber&) = delete;
  Disturber& operator=(const Disturber&) = delete;

  /// Does what is due `passed` after the beginning, and ends what has lasted long enough.
  void Act(Duration passed, ClientProcesses& processes);
  void End(ClientProcesses& processes);

  /// So much longer a run may take.
  Duration total() const;
  bool server_stopped() const { return server_stopped_; }
  /// What was done, in order of time.
  const std::vector<Disturbance>& done() const { return done_; }

 private:
  void Begin(const Disturbance& disturbance, ClientProcesses& processes);
  void Finish(const Disturbance& disturbance, ClientProcesses& processes);

  RedisServer& server_;
  const std::vector<Disturbance> planned_;
  std::size_t next_ = 0;
  std::vector<Disturbance> lasting_;
  std::vector<Disturbance> done_;
  bool server_stopped_ = false;
};

}  // namespace interlock::scenarios::real
