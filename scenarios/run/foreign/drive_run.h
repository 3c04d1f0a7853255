// SPDX-License-Identifier: MIT
//
// One run: client processes against the gated servers, until all have ended.
//
// A step is chosen only when every client stands still: it has a command at the gate, sleeps in the
// server, or sleeps by itself (no thread of it runs, see foreign_process.h). Then one choice of the
// tape says whose command goes on; 0 is calm, which stays with the client that went last. Another
// says whether a fault strikes that client there: it is killed before or after the command, its
// connection breaks before or after it, the command or its reply is delayed, the server forgets its
// scripts, the client is stopped while others go on, it is stopped while time is led past the end
// of the next key that it owns, or its time of day is set, or goes too fast or too slow.
//
// Time: clients and servers have one clock (see virtual_clock.h), which stands still except for a
// millisecond that each command takes, and for steps to the next moment at which a sleeper wakes
// up. It does not pass the end of a key whose owner is at the gate or stopped, so that no client
// loses a lease by being kept waiting, unless by that fault; nor a time-out of a client that is at
// the gate, unless by a delay. By the machine's clock, sleepers are waited for, and the servers'
// clock goes along.
//
// Non-guarantee: a client may draw random numbers that are not the system's, or have threads that
// race, so that a tape need not lead to the same run again; a replay says how often it did. Thread
// safety: as ForeignProcess.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <interlock/result.h>
#include <interlock/time.h>

#include "reports/case_rows.h"
#include "scenarios/run/foreign/finding.h"
#include "sim/choices.h"
#include "sim/faults.h"

namespace interlock::scenarios::drive {

inline constexpr int kMostClients = 64;
inline constexpr int kMostNodes = 16;

/// What a run that does not end may take. Bounds count what the clients do; the machine's time is
/// the last resort, because by it a slow machine may make another run.
struct DriveBounds {
  std::uint64_t commands = 10'000;
  Duration virtual_time = std::chrono::hours(24);
  Duration real_time = std::chrono::seconds(60);
};

struct DriveOptions {
  std::vector<std::string> command;  ///< "{port}", "{url}" and "{client}" are replaced in it
  int clients = 2;
  int nodes = 1;        ///< independent servers
  int permits = 1;      ///< maximum number of clients in a section at once
  std::string pattern;  ///< of locks' keys; empty: keys that a SETNX or its like asked for
  /// The most of each in one run.
  int crashes = 1;
  int pauses = 1;
  int expiries = 1;
  int lost_replies = 1;
  int delays = 1;
  int script_flushes = 1;
  int clocks = 1;
  /// The most that a client's time of day is set by, and goes too fast or too slow by.
  Duration clock_offset = std::chrono::seconds(60);
  int clock_rate_percent = 10;
  bool virtual_clock = true;  ///< else clients go by the machine's
  /// Without progress, or running without a command; real time.
  Duration patience = std::chrono::seconds(10);
  DriveBounds bounds;
  const std::atomic<bool>* stop = nullptr;
};

struct DriveFault {
  sim::FaultKind kind = sim::FaultKind::kCrash;
  int client = 0;
  std::string command;  ///< at which it struck
};

/// How a client ended by itself.
struct DriveEnd {
  int client = 0;
  int exit_code = 0;
  std::string last_words;  ///< what it printed, if the exit code is not 0
};

struct DriveRun {
  std::vector<Finding> findings;
  std::vector<reports::TableRow> rows;  ///< columns: the clients, then the servers
  std::vector<DriveFault> faults;
  std::vector<DriveEnd> ends;
  std::uint64_t commands = 0;  ///< that were ordered at the gate
  std::uint64_t switches = 0;  ///< from one client to another
  std::size_t most_owners = 0;
  std::size_t most_entrants = 0;
  bool has_sections = false;
  bool refused = false;     ///< a client was, by what another held
  bool owner_died = false;  ///< killed with a lock's key
  Duration virtual_time{};
  std::string inconclusive;  ///< why nothing can be said about its end; empty: it can
  bool at_bound = false;     ///< that is what ended it
  Duration real_time{};
  std::string stopped;      ///< it was told to stop: where the clients were
  int never_connected = 0;  ///< clients that never connected
  int own_clocks = 0;       ///< clients that go by the machine's clock all the same
};

/// "24h", "2500ms".
std::string TimeText(Duration time);

/// kInvalidArgument: the command cannot be run; kUnavailable: no port, no process.
Result<DriveRun> RunClients(const DriveOptions& options, sim::Choices& choices);

}  // namespace interlock::scenarios::drive
