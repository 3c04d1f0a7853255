// SPDX-License-Identifier: MIT
//
// The result of a contention measurement as plain data: for each lock and number of clients, how
// long they waited, which of them held it, and what it cost. It is stored as run.json with the kind
// "contention"; every format is a pure function of it.
//
// Guarantee: nothing here computes or owns a resource. Units: nanoseconds unless a name says
// otherwise; wall time on a real server, otherwise virtual time, which is exact. A figure that a
// source cannot know is absent (nullopt), not 0. Thread safety: values, as any std container.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/histogram.h"
#include "reports/run_report.h"

namespace interlock::reports {

inline constexpr std::string_view kContentionKind = "contention";

/// The load that the clients generated, in the words of the command line.
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
  int permits = 1;  ///< of a semaphore; a lock has one
  int resources = 1;
  std::string faults = "none";

  bool operator==(const LoadText&) const = default;
};

/// The figures of one client.
struct ClientShare {
  std::uint64_t grants = 0;
  std::uint64_t abandoned = 0;
  std::int64_t hold_ns = 0;  ///< from the grant, as it sees it, to the end of its release
  std::int64_t longest_wait_ns = 0;
  std::int64_t blamed_ns = 0;  ///< time that others waited while it held, summed over the waiters
  std::optional<std::int64_t> followed_ns;  ///< the waits, in full, of the clients that were
                                            ///< granted it directly after this one

  bool operator==(const ClientShare&) const = default;
};

/// Commands that clients sent, by what the clients were doing at the time.
struct CommandMix {
  std::uint64_t acquiring = 0;              ///< while acquiring the lock
  std::uint64_t releasing = 0;              ///< while releasing it
  std::uint64_t beside = 0;                 ///< at any other time: renewals and late commands
  std::uint64_t bytes_sent = 0;             ///< of the commands' words, without protocol overhead
  std::optional<std::uint64_t> errors;      ///< commands that the server answered with an error
  std::optional<std::uint64_t> unanswered;  ///< commands whose connection broke before a reply came
  /// Commands sent one after the other's reply, while acquiring and releasing; commands in flight
  /// together count as one. Covers the grants whose release ended in time.
  std::optional<std::uint64_t> round_trips;

  std::uint64_t all() const { return acquiring + releasing + beside; }
  bool operator==(const CommandMix&) const = default;
};

/// Figures known only where the server's data can be inspected.
struct ServerFigures {
  Histogram hold;       ///< from a grant in the server to its end there
  Histogram hand_over;  ///< from such an end to the next grant, if a client was waiting at that end
  std::int64_t busy_ns = 0;  ///< time during which the lock had an owner
  /// Leases that ended before their holder was done, where the holder was told.
  std::uint64_t lost_noticed = 0;
  std::uint64_t lost_unnoticed = 0;               ///< the same, where it was not told
  std::int64_t stale_work_ns = 0;                 ///< work done after the end of its lease
  std::uint64_t renewals = 0;                     ///< extensions that the server executed
  std::optional<std::int64_t> renewal_margin_ns;  ///< the least time that was left at a renewal

  bool operator==(const ServerFigures&) const = default;
};

struct Fairness {
  double jain_grants = 1;  ///< index of the grants per client, 1/n to 1; Jain, Chiu and Hawe 1984
  double jain_hold = 1;    ///< index of the time held per client
  /// Index of the clients' opportunity: the time that a client held the lock plus the time that it
  /// was free for all (idea: SCL, EuroSys 2020). A client that could not have had more is not
  /// treated unfairly.
  double jain_opportunity = 1;
  /// Distinct clients in each window of as many grants as there are clients; Dice.
  double lwss_mean = 0;
  std::uint64_t lwss_median = 0;
  /// Grants from one grant of a client to its next; 0: no client had two.
  std::uint64_t reacquire_median = 0;
  std::uint64_t bypasses = 0;       ///< grants while an earlier request still waited, each
                                    ///< counted once for each such request
  std::uint64_t most_bypassed = 0;  ///< the most that a single request was passed
  /// Consecutive grants of one resource to one client while others waited for it.
  std::uint64_t longest_streak = 0;
  /// Mean number of places by which a grant is off its position in request order.
  double fifo_distance = 0;

  bool operator==(const Fairness&) const = default;
};

/// A span in which one client held the lock, for the owner timeline.
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

/// One lock with one number of clients. Requests count if they began after the warm-up; of waits
/// and holds that began before, the part in the window counts.
struct ContentionPoint {
  std::string lock;
  int clients = 0;
  std::int64_t window_ns = 0;  ///< length of the measurement
  std::uint64_t requests = 0;  ///< requests that ended, one way or another
  std::uint64_t grants = 0;
  std::uint64_t contended = 0;   ///< requests that found the lock held or already requested
  std::uint64_t abandoned = 0;   ///< requests that gave up when their patience ended
  std::uint64_t failed = 0;      ///< requests that ended in an error
  Histogram wait;                ///< from a request to its grant
  Histogram wait_from_intended;  ///< open loop: from the intended time of the request to its grant
  Histogram abandoned_wait;
  Histogram hold;    ///< from the grant to the end of the release
  Histogram useful;  ///< length of the critical sections
  Histogram turn;    ///< from the call of a release to the next grant, as the clients see it
  std::int64_t overlap_ns = 0;  ///< time during which two or more clients were in their sections
  /// Summed over the waiters; divided by the window, the mean queue depth.
  std::int64_t waiting_ns = 0;
  std::uint64_t most_waiting = 0;
  std::int64_t oldest_wait_ns = 0;  ///< over all requests, including those never granted
  std::uint64_t woken = 0;  ///< number of times that a server's message ended a client's sleep
  std::uint64_t woken_in_vain = 0;  ///< how many of them brought that client no grant
  /// Accesses that the guarded resource would refuse because it has seen a higher fencing token;
  /// holders show theirs at both ends of their sections. nullopt: there are no tokens, or several
  /// clients may hold the lock at once.
  std::optional<std::uint64_t> fenced_rejects;
  CommandMix commands;
  Fairness fairness;
  std::vector<ClientShare> shares;
  std::optional<ServerFigures> server;
  std::vector<OwnerSpan> owners;  ///< the first kMostOwnerSpans
  std::uint64_t owners_left_out = 0;
  std::vector<FaultSpan> faults;
  std::uint64_t trace_hash = 0;  ///< hash of the simulated run; 0 on a real server
};

/// One threshold and the value found.
struct GateResult {
  std::string name;  ///< "mutex at 64 clients: wait_p99_ns <= 50000000 (50 ms)"
  bool pass = false;
  bool measured = true;   ///< false: there was no value to compare with it
  std::string what;       ///< "46312447 (46.3 ms)"
  std::string hint = {};  ///< what to do about it; empty: it passes, or there is no advice
};

struct ContentionReport {
  ToolInfo tool;
  std::uint64_t seed = 0;
  std::string backend = "sim";
  LoadText load;
  std::vector<ContentionPoint> points;  ///< grouped by lock, then by number of clients
  std::vector<GateResult> gates;
  std::vector<std::string> notes;
  RunStatus status = RunStatus::kComplete;
  std::chrono::milliseconds wall_time{};
};

}  // namespace interlock::reports
