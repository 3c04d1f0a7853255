// SPDX-License-Identifier: MIT
//
// One run: client processes against the gated servers, until all have ended.
//
// A step is chosen only when every client is still: it has a command at the gate, is blocked in the
// server, or sleeps by itself (no thread of it runs, see foreign_process.h). Then one choice of the
// tape picks the command to execute; 0 is calm and stays with the client that went last. Another
// choice says whether a fault strikes that client there: it is killed or disconnected before or
// after the command, the command or its reply is delayed, the server forgets its scripts, the
// client is stopped while others go on, or until time has passed the end of the next key that it
// owns, or its time of day is set or runs too fast or too slow.
//
// Time: clients and servers share one clock (see virtual_clock.h), which stands still except for a
// millisecond per command and steps to the next moment at which a sleeper wakes. It does not pass
// the end of a key whose owner is at the gate or stopped, so that no client loses a lease by being
// kept waiting, except by that fault; nor a timeout of a client at the gate, except by a delay. By
// the machine's clock, sleepers are waited for, and the servers' clock follows.
//
// Non-guarantee: a client may draw random numbers other than the system's, or have racing threads,
// so a tape need not reproduce the run; a replay says how often it did. Thread safety: that of
// ForeignProcess.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <interlock/result.h>
#include <interlock/time.h>

#include "scenarios/log/event.h"
#include "scenarios/run/foreign/finding.h"
#include "sim/choices.h"
#include "sim/faults.h"
#include "sim/redis/dialect.h"
#include "sim/setting.h"

namespace interlock::scenarios::drive {

class StepWatch;
class Templates;

inline constexpr int kMostClients = 64;
inline constexpr int kMostNodes = 16;

/// Bounds on a run that does not end. They count what the clients do; the machine's time is the
/// last resort, because with it a slow machine may make a different run.
struct DriveBounds {
  std::uint64_t commands = 10'000;
  Duration virtual_time = std::chrono::hours(24);
  Duration real_time = std::chrono::seconds(60);
};

/// For a run of which each step is one choice: a client's command, a command with a fault, or the
/// passing of time. Commands take no time. See ordered_steps.h.
struct OrderBounds {
  /// How often time passes in a run although a client has a new command ready, and how often a
  /// client repeats a command, without time passing, although there is anything else to do.
  std::uint64_t polls = 2;
  std::uint64_t commands = 1'000;  ///< of each client
};

struct DriveOptions {
  std::vector<std::string> command;  ///< with "{port}", "{url}" and "{client}" replaced
  int clients = 2;
  /// kIndependent, kSentinel: a primary with a replica, and three Sentinels; or kShards: masters of
  /// a cluster, each with a replica.
  sim::Topology topology = sim::Topology::kIndependent;
  int nodes = 1;                                                      ///< masters
  const sim::redis::Dialect* server = &sim::redis::DefaultDialect();  ///< what each is
  int permits = 1;      ///< maximum number of clients in a section at once
  std::string pattern;  ///< of locks' keys; empty: keys acquired by SETNX and the like
  /// The most of each in one run.
  int crashes = 1;
  int pauses = 1;
  int expiries = 1;
  int lost_replies = 1;
  int delays = 1;
  int script_flushes = 1;
  int clocks = 1;
  int failovers = 0;  ///< only where there are replicas
  /// Of a cluster's slots: moves key by key; only of Valkey from 9.0 on, moves at once, and such
  /// moves whose claim comes too late.
  int reshards = 0;
  int slot_migrations = 0;
  int late_claims = 0;
  /// How long writes are on their way to a replica. A failover loses those that are.
  Duration replication_lag{};
  /// The most that a client's time of day is off, in value and in rate.
  Duration clock_offset = std::chrono::seconds(60);
  int clock_rate_percent = 10;
  bool virtual_clock = true;  ///< otherwise clients use the machine's
  /// Without progress, or running without sending a command; real time.
  Duration patience = std::chrono::seconds(10);
  DriveBounds bounds;
  const std::atomic<bool>* stop = nullptr;
  Templates* templates = nullptr;          ///< what clients are copied from; null: each is started
  std::optional<OrderBounds> orders = {};  ///< nullopt: steps and faults are drawn at random
  StepWatch* watch = nullptr;              ///< follows the steps; only with `orders`
};

struct DriveFault {
  sim::FaultKind kind = sim::FaultKind::kCrash;
  int client = 0;
  std::string command;     ///< at which it struck
  std::size_t events = 0;  ///< visible before it
  /// Its choices among those of the tape's lane of faults, from the first to before the last; the
  /// same: it was placed otherwise.
  std::size_t first_choice = 0;
  std::size_t last_choice = 0;
};

/// How a client ended by itself.
struct DriveEnd {
  int client = 0;
  int exit_code = 0;
  std::string last_words;  ///< its output, if the exit code is not 0
};

struct DriveRun {
  std::vector<Finding> findings;
  /// Everything visible. Resources are sections, numbered in the order in which they are first
  /// reported; the effects of a command stand behind it.
  EventLog events;
  std::vector<DriveFault> faults;
  std::vector<DriveEnd> ends;
  std::uint64_t commands = 0;  ///< number ordered at the gate
  std::uint64_t switches = 0;  ///< from one client to another
  std::size_t most_owners = 0;
  std::size_t most_entrants = 0;
  std::string entered_twice;  ///< see Sections
  bool has_sections = false;
  bool has_writes = false;         ///< to a guarded resource
  bool fenced = false;             ///< writes under two grants whose order is known
  bool outlasted = false;          ///< a section outlasted the lease that its client renewed
  bool refused = false;            ///< a client was refused because of what another held
  bool owner_died = false;         ///< killed while owning a lock's key
  std::set<std::string> kept_out;  ///< keys that a client asked for in vain
  Duration virtual_time{};
  std::string inconclusive;  ///< why its end says nothing; empty: it does
  bool at_bound = false;     ///< a bound ended the run
  bool held_back = false;    ///< more polls would have been possible
  Duration real_time{};
  std::string stopped;                     ///< set if told to stop: where the clients were
  int never_connected = 0;                 ///< clients that never connected
  int own_clocks = 0;                      ///< clients that use the machine's clock anyway
  int copied = 0;                          ///< clients that were copied, not started
  std::vector<std::uint64_t> ready_after;  ///< by client, see Gate
};

/// "24h", "2500ms".
std::string TimeText(Duration time);
/// The number of servers, and how many of them are Sentinels, which come last.
int ServersOf(const DriveOptions& options);
int SentinelsOf(const DriveOptions& options);

/// kInvalidArgument: the command cannot be run; kUnavailable: no port, no process.
Result<DriveRun> RunClients(const DriveOptions& options, sim::Choices& choices);

}  // namespace interlock::scenarios::drive
