// SPDX-License-Identifier: MIT
//
// Observer: is told what a Client and its locks do, as they do it: for metrics, logs and traces.
//
//   auto counts = std::make_shared<CountingObserver>();
//   Client client(runtime, **connector, {.observer = counts});
//   ...
//   const Duration waited = counts->total(Observation::Kind::kGranted);
//   Export("lock_wait_seconds", std::chrono::duration<double>(waited).count());
//
// The same object is told of switches and moved slots, if the connector is of a kind that has them:
//
//   SentinelConnector::Create(..., {..., .observer = ToTopologyObserver(counts)});
//
// Guarantee: every try, sleep, pause, retry and connection is reported, and how every call and
// every lease has ended, by the task that it happens to; the events of one call come in their
// order. No lock is held meanwhile. Not guaranteed: an order among tasks; that a loss by the clock
// is reported before somebody looks at the lease (with Lease::OnLost it is looked at in time); what
// a process that died was about to report.
//
// What each primitive reports: those that grant a Lease, all of it; MultiMutex, what each of its
// mutexes reports; Redlock, through its first client, except for connections, which each node's own
// client reports; CountDownLatch, as if being open were a grant, without a token. Connectors report
// for themselves and once, however many clients share them: they exist before any client does.
//
// Cost: without an observer a comparison with null; with one, reading the clock and the call, no
// round trip. Thread safety: an Observer is called by any number of tasks at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <interlock/result.h>
#include <interlock/time.h>
#include <interlock/topology.h>

namespace interlock {

/// What happened. Valid during the call of Observe only; members that a kind does not name keep
/// their initial values.
struct Observation {
  enum class Kind : std::uint8_t {
    // Events of one call that acquires.
    kAttempt,  ///< a try is about to be sent: `token`, `attempt`
    kRefused,  ///< it was refused: `token`, `attempt`; `duration`: when the owner's lease will be
               ///< over, from now; negative: not known
    kWaiting,  ///< goes to sleep, in the server or (Redlock) between tries, for at most `duration`
    kGranted,  ///< ends with a lease: `token`, `fencing_token`, `valid_until`; `duration`: of the
               ///< call
    kGaveUp,   ///< ends without: `status`; `duration`: of the call
    // Events of one lease.
    kExtended,  ///< an extension or a renewal has ended: `token`, `status`; `valid_until`: as it is
                ///< now; `duration`: of the extension
    kLost,      ///< over before its release: `token`; `status`: kLeaseLost by this client's clock,
                ///< kNotOwner by the server's word
    kReleased,  ///< a release has ended: `token`, `status`; `duration`: of the hold
    // Events of anything that talks to a server.
    kRetried,  ///< `status`: what failed; `attempt`: failures so far, in a row; `duration`: the
               ///< pause before the next try, maybe zero
    // Events of the pool; `resource`: the endpoint; `duration`: of connecting.
    kConnected,      ///< a connection was made, because none was idle
    kReconnected,    ///< the same, for the first time since one failed
    kConnectFailed,  ///< none could be made: `status`
  };
  static constexpr std::size_t kKinds = 12;

  Kind kind = Kind::kAttempt;
  std::string_view resource = {};  ///< its first key, "interlock:{invoice:17}"
  std::string_view token = {};     ///< the owner token; anybody that knows it can release the lease
  int attempt = 0;                 ///< 1, 2, ...
  Status status = {};
  Duration duration{};
  MonotonicTime valid_until{};  ///< on the Runtime's clock
  std::uint64_t fencing_token = 0;
  MonotonicTime at{};  ///< when it is reported, on the Runtime's clock
};

/// Stable lower-case name, for logs and metrics: "attempt", "gave-up", ...
std::string_view ToString(Observation::Kind kind);

class Observer {
 public:
  virtual ~Observer() = default;

  /// The time that it takes is lost to the leases that it is told of, so it should only note
  /// something down. It must not call the library, not even the lock in question, nor wait. An
  /// exception that leaves it ends the process.
  virtual void Observe(const Observation& what) noexcept = 0;

  /// Reports what a connector to several nodes does, if that was given ToTopologyObserver of this.
  /// Called like Observe, and under the same rules; `event` is valid during the call only.
  virtual void ObserveTopology(const TopologyEvent& /*event*/) noexcept {}
};

/// For SentinelOptions::observer and ClusterOptions::observer: passes all events on to
/// ObserveTopology of `observer`, which it keeps alive. Null gives an empty TopologyObserver.
TopologyObserver ToTopologyObserver(std::shared_ptr<Observer> observer);

/// Counts, for each kind, the events and those with a status that is not ok, and sums their
/// durations: what metrics are made of. Thread safety: any task, at any time; the numbers are each
/// right, but not of one moment.
class CountingObserver final : public Observer {
 public:
  void Observe(const Observation& what) noexcept override {
    Numbers& numbers = numbers_[static_cast<std::size_t>(what.kind)];
    numbers.count.fetch_add(1, std::memory_order_relaxed);
    if (!what.status.ok()) numbers.failed.fetch_add(1, std::memory_order_relaxed);
    numbers.total.fetch_add(what.duration.count(), std::memory_order_relaxed);
  }
  void ObserveTopology(const TopologyEvent& event) noexcept override {
    events_[static_cast<std::size_t>(event.kind)].fetch_add(1, std::memory_order_relaxed);
  }

  std::uint64_t count(Observation::Kind kind) const { return of(kind).count; }
  std::uint64_t count(TopologyEvent::Kind kind) const {
    return events_[static_cast<std::size_t>(kind)];
  }
  std::uint64_t failed(Observation::Kind kind) const { return of(kind).failed; }
  /// For kGranted: how long the calls that were granted took in all; for kReleased: how long was
  /// held.
  Duration total(Observation::Kind kind) const { return Duration(of(kind).total); }

 private:
  struct Numbers {
    std::atomic<std::uint64_t> count = 0;
    std::atomic<std::uint64_t> failed = 0;
    std::atomic<Duration::rep> total = 0;
  };
  const Numbers& of(Observation::Kind kind) const {
    return numbers_[static_cast<std::size_t>(kind)];
  }

  std::array<Numbers, Observation::kKinds> numbers_;
  std::array<std::atomic<std::uint64_t>, TopologyEvent::kKinds> events_{};
};

}  // namespace interlock
