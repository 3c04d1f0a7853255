// SPDX-License-Identifier: MIT
//
// Observer: hears what a Client and its locks do, as they do it: for metrics, logs and traces.
//
//   auto counts = std::make_shared<CountingObserver>();
//   Client client(runtime, **connector, {.observer = counts});
//   ...
//   const Duration waited = counts->total(Observation::Kind::kGranted);
//   Export("lock_wait_seconds", std::chrono::duration<double>(waited).count());
//
// The same one hears of switches and moved slots, if the connector is of a kind that knows any:
//
//   SentinelConnector::Create(..., {..., .observer = ToTopologyObserver(counts)});
//
// Guarantee: every try, sleep, pause, retry and connection is told of, and how every call and every
// lease has ended, by the task that it happens to; those of one call in their order. No lock is
// held meanwhile. Not guaranteed: an order among tasks; that a loss by the clock is told of before
// somebody looks at the lease (who asked for Lease::OnLost looks in time); what a process that died
// was about to tell.
//
// What each primitive tells: those that grant a Lease all of it; MultiMutex what each of its
// mutexes tells; Redlock through its first client, but for the connections, of which each node's
// own client tells; CountDownLatch as if being open were a grant, without a token. Connectors tell
// for themselves and once, however many clients share them: they are there before any client is.
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

/// What happened. Valid during the call of Observe only; members that a kind does not name are as
/// they are initialised.
struct Observation {
  enum class Kind : std::uint8_t {
    // Of one call that acquires.
    kAttempt,  ///< a try is about to be sent: `token`, `attempt`
    kRefused,  ///< it was refused: `token`, `attempt`; `duration`: when the owner's lease will be
               ///< over, from now; negative: not known
    kWaiting,  ///< goes to sleep, in the server or (Redlock) between tries: `duration` at the most
    kGranted,  ///< ends with a lease: `token`, `fencing_token`, `valid_until`; `duration`: it took
    kGaveUp,   ///< ends without: `status`; `duration`: it took
    // Of one lease.
    kExtended,  ///< an extension or a renewal has ended: `token`, `status`; `valid_until`: by now;
                ///< `duration`: it took
    kLost,  ///< over before its release: `token`; `status` is kLeaseLost by this client's clock,
            ///< kNotOwner by the server's word
    kReleased,  ///< a release has ended: `token`, `status`; `duration`: it was held
    // Of anything that talks to a server.
    kRetried,  ///< `status`: what failed; `attempt`: how often so far, in a row; `duration`: the
               ///< pause before it is tried again, maybe zero
    // Of the pool; `resource` is the endpoint; `duration`: it took.
    kConnected,      ///< a connection was made, because none was idle
    kReconnected,    ///< the same, for the first time since one failed
    kConnectFailed,  ///< none could be made: `status`
  };
  static constexpr std::size_t kKinds = 12;

  Kind kind = Kind::kAttempt;
  std::string_view resource = {};  ///< its first key, "interlock:{invoice:17}"
  std::string_view token = {};     ///< the owner token. Whoever knows it can release the lease.
  int attempt = 0;                 ///< 1, 2, ...
  Status status = {};
  Duration duration{};
  MonotonicTime valid_until{};  ///< on the Runtime's clock
  std::uint64_t fencing_token = 0;
  MonotonicTime at{};  ///< when it is told, on the Runtime's clock
};

/// Stable lower-case name, for logs and metrics: "attempt", "gave-up", ...
std::string_view ToString(Observation::Kind kind);

class Observer {
 public:
  virtual ~Observer() = default;

  /// What it takes is taken off the leases that it tells of, so it should only note something down.
  /// It must not call the library, not even the lock that it hears of, nor wait. An exception that
  /// leaves it ends the process.
  virtual void Observe(const Observation& what) noexcept = 0;

  /// What a connector to several nodes does, if it was given ToTopologyObserver of this. Called
  /// like Observe, and bound to the same; valid during the call only.
  virtual void ObserveTopology(const TopologyEvent& /*event*/) noexcept {}
};

/// For SentinelOptions::observer and ClusterOptions::observer: passes all on to ObserveTopology of
/// `observer`, which it keeps alive. Of null: no observer.
TopologyObserver ToTopologyObserver(std::shared_ptr<Observer> observer);

/// How often each kind was told, how often with a status that is not ok, and the sum of the
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
  /// Of kGranted: how long those who got in have waited; of kReleased: how long it was held.
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
