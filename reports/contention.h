// SPDX-License-Identifier: MIT
//
// What a measurement of contention found, as plain data: for each lock and number of clients how
// long they waited, who had it, and what it cost. It is stored as run.json with the kind
// "contention"; every format is a pure function of it.
//
// Guarantee: nothing here computes or owns a resource. Units: nanoseconds unless a name says
// otherwise; on a real server wall time, else virtual time, which is exact. What a source cannot
// know is absent (nullopt), not 0. Thread safety: values, as any std container.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/histogram.h"
#include "reports/run_report.h"

namespace interlock::reports {

inline constexpr std::string_view kContentionKind = "contention";

/// What the clients did, in the words of the command line.
struct LoadText {
  std::string arrivals = "closed";  ///< or "open"
  std::int64_t hold_ns = 0;
  std::int64_t think_ns = 0;     ///< closed: mean, between a release and the next request
  std::int64_t interval_ns = 0;  ///< open: mean, between one client's requests
  std::string spread = "exponential";
  std::int64_t patience_ns = 0;  ///< how long a client waits before it gives up
  std::int64_t lease_ns = 0;
  std::int64_t duration_ns = 0;
  std::int64_t warm_up_ns = 0;
  int permits = 1;  ///< of semaphores; locks have one
  int resources = 1;
  std::string faults = "none";

  bool operator==(const LoadText&) const = default;
};

/// One client's part.
struct ClientShare {
  std::uint64_t grants = 0;
  std::uint64_t abandoned = 0;
  std::int64_t hold_ns = 0;  ///< from "granted" to the end of its release
  std::int64_t longest_wait_ns = 0;
  std::int64_t blamed_ns = 0;  ///< others' waiting while it held, summed over the waiters
  std::optional<std::int64_t> followed_ns;  ///< whole waits of those that had it next: it was
                                            ///< the owner before them

  bool operator==(const ClientShare&) const = default;
};

/// Commands that clients sent, by what they were doing.
struct CommandMix {
  std::uint64_t acquiring = 0;              ///< while they asked for the lock
  std::uint64_t releasing = 0;              ///< while they gave it back
  std::uint64_t beside = 0;                 ///< at any other time: renewals, and what comes late
  std::uint64_t bytes_sent = 0;             ///< of words, without the protocol's own
  std::optional<std::uint64_t> errors;      ///< those that the server answered with an error
  std::optional<std::uint64_t> unanswered;  ///< those whose connection broke before a reply came
  /// Of grants whose release was done in time: commands one behind the other's answer, while asking
  /// and releasing. Commands under way together are one.
  std::optional<std::uint64_t> round_trips;

  std::uint64_t all() const { return acquiring + releasing + beside; }
  bool operator==(const CommandMix&) const = default;
};

/// What is known only where the server can be looked into.
struct ServerFigures {
  Histogram hold;            ///< from the grant in the server to its end there
  Histogram hand_over;       ///< from such an end to the next grant, if somebody waited at the end
  std::int64_t busy_ns = 0;  ///< while it had an owner
  std::uint64_t lost_noticed = 0;    ///< leases that ended before their holder was done, and it
                                     ///< was told so
  std::uint64_t lost_unnoticed = 0;  ///< the same, and it was not
  std::int64_t stale_work_ns = 0;    ///< work done behind the end of its lease
  std::uint64_t renewals = 0;        ///< extensions that the server executed
  std::optional<std::int64_t> renewal_margin_ns;  ///< the least that was left at one of them

  bool operator==(const ServerFigures&) const = default;
};

struct Fairness {
  double jain_grants = 1;  ///< of the grants per client, 1/n to 1; Jain, Chiu and Hawe 1984
  double jain_hold = 1;    ///< of the time held
  /// Of shares of the opportunity: what a client held, and what was free for all (the idea: SCL,
  /// EuroSys 2020). One that could not have had more is not treated unfairly.
  double jain_opportunity = 1;
  double lwss_mean = 0;  ///< distinct clients in each window of as many grants as clients; Dice
  std::uint64_t lwss_median = 0;
  std::uint64_t reacquire_median = 0;  ///< grants from one of a client to its next; 0: none twice
  std::uint64_t bypasses = 0;          ///< grants while an earlier request still waited, each
                                       ///< counted once for each such request
  std::uint64_t most_bypassed = 0;     ///< how often one request was passed at most
  std::uint64_t longest_streak = 0;    ///< grants of one resource in a row to one client, while
                                       ///< others waited for it
  double fifo_distance = 0;  ///< mean of how many places a grant is off its place by asking

  bool operator==(const Fairness&) const = default;
};

/// Who had the lock when, for the owner timeline.
struct OwnerSpan {
  int client = 0;
  int resource = 0;
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;

  bool operator==(const OwnerSpan&) const = default;
};

struct FaultSpan {
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
  std::string what;  ///< "pause of C3"

  bool operator==(const FaultSpan&) const = default;
};

inline constexpr std::size_t kMostOwnerSpans = 5'000;

/// One lock under one number of clients. Only what began behind the warm-up is counted.
struct ContentionPoint {
  std::string lock;
  int clients = 0;
  std::int64_t window_ns = 0;  ///< how long was measured
  std::uint64_t requests = 0;  ///< that ended one way or the other
  std::uint64_t grants = 0;
  std::uint64_t contended = 0;   ///< requests that found it held or asked for
  std::uint64_t abandoned = 0;   ///< gave up at the end of their patience
  std::uint64_t failed = 0;      ///< ended in an error
  Histogram wait;                ///< of grants, from the request
  Histogram wait_from_intended;  ///< open loop: from when it should have been sent
  Histogram abandoned_wait;
  Histogram hold;    ///< from "granted" to the end of the release
  Histogram useful;  ///< of sections
  Histogram turn;    ///< from a release's call to the next "granted", as the clients see it
  std::int64_t overlap_ns = 0;  ///< while two or more were in their sections
  std::int64_t waiting_ns = 0;  ///< summed over the waiters: over the window, the mean depth
  std::uint64_t most_waiting = 0;
  std::int64_t oldest_wait_ns = 0;  ///< of all, also those that were never granted
  std::uint64_t woken = 0;          ///< times that a server's message ended a client's sleep
  std::uint64_t woken_in_vain = 0;  ///< of them, those that it was not granted after
  /// Accesses to what is guarded that it would refuse, for it had seen a higher fencing token:
  /// holders show theirs at both ends of their sections. nullopt: there are no tokens, or several
  /// may hold at a time.
  std::optional<std::uint64_t> fenced_rejects;
  CommandMix commands;
  Fairness fairness;
  std::vector<ClientShare> shares;
  std::optional<ServerFigures> server;
  std::vector<OwnerSpan> owners;  ///< the first kMostOwnerSpans
  std::uint64_t owners_left_out = 0;
  std::vector<FaultSpan> faults;
  std::uint64_t trace_hash = 0;  ///< of the simulated run; 0 on a real server
};

/// One threshold, and what was found.
struct GateResult {
  std::string name;  ///< "mutex at 64 clients: wait_p99_ns <= 50000000 (50 ms)"
  bool pass = false;
  bool measured = true;   ///< false: there was nothing to hold it against
  std::string what;       ///< "46312447 (46.3 ms)"
  std::string hint = {};  ///< what to do about it; empty: it is good, or there is nothing to say
};

struct ContentionReport {
  ToolInfo tool;
  std::uint64_t seed = 0;
  std::string backend = "sim";
  LoadText load;
  std::vector<ContentionPoint> points;  ///< lock by lock, by clients
  std::vector<GateResult> gates;
  std::vector<std::string> notes;
  RunStatus status = RunStatus::kComplete;
  std::chrono::milliseconds wall_time{};
};

}  // namespace interlock::reports
