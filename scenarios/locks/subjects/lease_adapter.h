// SPDX-License-Identifier: MIT
//
// Turns any primitive of the library that grants a Lease, or its writers' side, into a Lock of the
// harness. Every lock has Clients of its own, as every process has in production.
//
// Thread safety: as harness::Lock.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <interlock/client.h>
#include <interlock/harness/lock.h>
#include <interlock/inspection.h>
#include <interlock/lease.h>
#include <interlock/options.h>

#include "scenarios/locks/subjects/renewal.h"

namespace interlock::scenarios::subjects {

/// What Client::overrun_bound() says of default options, its short pauses rounded up.
inline std::chrono::milliseconds OverrunOfClients() {
  const ClientOptions used;
  const Duration rounds =
      (2 + used.cleanup_attempts) * (used.connect_timeout + used.command_timeout);
  return std::chrono::duration_cast<std::chrono::milliseconds>(rounds) +
         std::chrono::milliseconds(100);
}

/// How soon a waiter of ours is there when nothing goes wrong: it is woken, and need not wait until
/// it looks again, which it does when the holder's lease is over. The rest is for clocks that run
/// at other rates, and for whole milliseconds.
inline std::chrono::milliseconds HandOverOfWaiters(const harness::LockOptions& options) {
  return options.lease / 16 + std::chrono::milliseconds(2);
}

/// The least time for which the server keeps the mark of a try that was given up.
inline std::chrono::milliseconds BarredByMarks() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(kCancelledTtl);
}

inline Result<std::vector<harness::SeenHolder>> ToSeen(const Result<Inspection>& inspected) {
  if (!inspected.ok()) return inspected.status();
  std::vector<harness::SeenHolder> seen;
  for (const Holder& holder : inspected->holders) {
    seen.push_back({holder.token, holder.fencing_token});
  }
  return seen;
}

class LeaseHold final : public harness::Hold {
 public:
  /// `client` is kept alive because a Lease must not outlive its Client.
  LeaseHold(std::shared_ptr<const void> client, Lease lease, Renewal renewal = {})
      : client_(std::move(client)), lease_(std::move(lease)), renewal_(renewal) {}

  /// A Lease releases itself; a hold must not reach the server, so the lease is forgotten first.
  ~LeaseHold() override { lease_.Forget(); }
  LeaseHold(const LeaseHold&) = delete;
  LeaseHold& operator=(const LeaseHold&) = delete;

  std::string owner_token() const override { return lease_.token(); }
  std::optional<std::uint64_t> fencing_token() const override {
    return lease_.fencing_token() > 0 ? std::optional(lease_.fencing_token()) : std::nullopt;
  }
  std::optional<bool> valid() const override { return lease_.valid(); }
  MonotonicTime valid_until() const override { return lease_.valid_until(); }
  Event* lost() override { return renewal_.wanted() ? &lease_.lost() : nullptr; }
  bool OnLost(std::function<void()> callback) override {
    if (renewal_.wanted()) lease_.OnLost(std::move(callback));
    return renewal_.wanted();
  }
  Status Extend() override {
    return renewal_.wanted() ? lease_.Extend(renewal_.extension) : lease_.Extend();
  }
  Status Release() override { return lease_.Release(); }

 private:
  std::shared_ptr<const void> client_;
  Lease lease_;
  const Renewal renewal_;
};

inline std::unique_ptr<harness::Hold> ToHold(std::shared_ptr<const void> client, Lease lease,
                                             Renewal renewal = {}) {
  return std::make_unique<LeaseHold>(std::move(client), std::move(lease), renewal);
}

/// Says that a lock asks all servers.
struct OverNodes {};

template <typename Primitive>
class LeaseLock : public harness::Lock {
 public:
  /// `create(client)` makes the primitive; if it refuses, every acquire answers with its reason.
  template <typename Create>
  LeaseLock(harness::Environment& environment, const Create& create, Renewal renewal = {},
            ClientOptions options = {})
      : parts_(std::make_shared<Parts>(environment, create, std::move(options))),
        renewal_(renewal) {}

  /// For a primitive over several nodes: `create(clients)`, one for each node.
  template <typename Create>
  LeaseLock(OverNodes /*tag*/, harness::Environment& environment, const Create& create)
      : parts_(std::make_shared<Parts>(OverNodes(), environment, create)), renewal_() {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    if (!parts_->primitive.ok()) return parts_->primitive.status();
    return Kept(exclusive().TryAcquire());
  }

  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    return AcquireUnlessStopped(deadline, {});
  }

  Result<std::unique_ptr<harness::Hold>> AcquireUnlessStopped(
      MonotonicTime deadline, const std::stop_token& stop) override {
    if (!parts_->primitive.ok()) return parts_->primitive.status();
    if (deadline == kNever) return Kept(exclusive().Acquire(stop));
    return Kept(exclusive().AcquireUntil(deadline, stop));
  }

  Result<std::vector<harness::SeenHolder>> Inspect() override {
    if (!parts_->primitive.ok()) return parts_->primitive.status();
    if constexpr (kForOperators) return ToSeen(parts_->primitive->Inspect());
    return harness::Lock::Inspect();
  }

  Status ForceRelease(const harness::SeenHolder& holder) override {
    if (!parts_->primitive.ok()) return parts_->primitive.status();
    const Holder held{holder.token, {}, holder.fencing_token};
    if constexpr (kForOperators) return parts_->primitive->ForceRelease(held);
    return harness::Lock::ForceRelease(holder);
  }

 protected:
  Result<Primitive>& primitive() { return parts_->primitive; }

  /// What was granted, a Lease or a MultiLease.
  template <typename Granted>
  Result<std::unique_ptr<harness::Hold>> Kept(Result<Granted> granted) {
    if (!granted.ok()) return granted.status();
    if (const Status kept = KeepAlive(*granted, renewal_); !kept.ok()) return kept;
    return ToHold(parts_, std::move(granted).value(), renewal_);
  }

 private:
  static constexpr bool kForOperators = requires { std::declval<Primitive&>().Inspect(); };

  auto& exclusive() {
    if constexpr (requires { std::declval<Primitive&>().writer(); }) {
      return parts_->primitive->writer();
    } else {
      return *parts_->primitive;
    }
  }

  struct Parts {
    template <typename Create>
    Parts(harness::Environment& environment, const Create& create, ClientOptions options)
        : client(environment.runtime, environment.connector, std::move(options)),
          primitive(create(client)) {}
    template <typename Create>
    Parts(OverNodes /*tag*/, harness::Environment& environment, const Create& create)
        : client(environment.runtime, *environment.nodes.front()),
          others(MakeOthers(environment)),
          primitive(create(Pointers())) {}

    std::vector<Client*> Pointers() {
      std::vector<Client*> pointers = {&client};
      for (const std::unique_ptr<Client>& other : others) pointers.push_back(other.get());
      return pointers;
    }

    Client client;  ///< the client of the first node, or the only one
    std::vector<std::unique_ptr<Client>> others;
    Result<Primitive> primitive;
  };

  static std::vector<std::unique_ptr<Client>> MakeOthers(const harness::Environment& environment) {
    std::vector<std::unique_ptr<Client>> others;
    for (std::size_t i = 1; i < environment.nodes.size(); ++i) {
      others.push_back(std::make_unique<Client>(environment.runtime, *environment.nodes[i]));
    }
    return others;
  }

  std::shared_ptr<Parts> parts_;
  const Renewal renewal_;
};

}  // namespace interlock::scenarios::subjects
