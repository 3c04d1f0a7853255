// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>

#include <interlock/options.h>
#include <interlock/redlock.h>

#include "scenarios/subjects/lease_adapter.h"
#include "scenarios/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

using std::chrono::milliseconds;

std::string KeyOf(const harness::LockOptions& options) {
  return options.key_prefix + "{" + options.resource + "}";
}

/// The defaults, if the lease is a usual one. A shorter one stands for the same case in a faster
/// world, where messages take as large a part of it: then all times are parts of the lease.
RedlockOptions OptionsFor(const harness::LockOptions& options) {
  RedlockOptions redlock;
  redlock.key_prefix = options.key_prefix;
  redlock.lease = options.lease;
  if (options.lease >= std::chrono::seconds(10)) return redlock;
  redlock.node_timeout = redlock.lease / 8;
  redlock.first_pause = std::max<Duration>(redlock.lease / 40, milliseconds(1));
  redlock.max_pause = redlock.lease / 4;
  redlock.drift_extra = std::min<Duration>(redlock.drift_extra, redlock.lease / 50);
  return redlock;
}

class Adapter final : public harness::Subject {
 public:
  std::string_view name() const override { return "redlock"; }
  std::string_view summary() const override {
    return "interlock::Redlock: one holder at a time, by a quorum of independent masters";
  }
  harness::Traits traits() const override {
    return {.can_extend = true, .fencing = true, .quorum = true};
  }

  std::vector<harness::Promise> Promises() const override {
    return {
        {"none", "independent",
         "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", ""},
        {"client-crash", "independent",
         "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK008 LK009 LK010 LK011 LK014 LK015", ""},
        {"client-pause-bounded", "independent",
         "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", ""},
        {"client-pause", "independent",
         "LK001 LK002 LK004 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", "LK003"},
        {"link", "independent",
         "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", ""},
        {"client-restart", "independent",
         "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK008 LK009 LK010 LK011 LK014 LK015", ""},
        {"partition", "independent",
         "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", ""},
        {"lost-push", "independent",
         "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", ""},
        {"client-clock", "independent", "LK001 LK004 LK005 LK006 LK007 LK011", "LK002 LK003"},
        {"server-restart", "independent",
         "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK009 LK011 LK014 LK015", ""},
        {"server-errors", "independent",
         "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK009 LK011 LK014 LK015", ""},
        {"server-clock", "independent", "LK001 LK004 LK005 LK006 LK007 LK011", "LK002 LK003"},
        {"data-loss", "independent", "LK005 LK006 LK009 LK011 LK014 LK015", "LK001 LK002 LK003"}};
  }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<LeaseLock<Redlock>>(
        OverNodes(), environment, [&options](const std::vector<Client*>& nodes) {
          return Redlock::Create(nodes, options.resource, OptionsFor(options));
        });
  }

  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    const std::string key = KeyOf(options);
    std::vector<harness::Owner> owners;
    if (std::optional<std::string> token = server.String(key)) {
      owners.push_back({std::move(*token), server.ExpiresAtMs(key)});
    }
    return owners;
  }

  /// A pause, and a try and its undoing on nodes some of which hang.
  milliseconds WakeUpBound(const harness::LockOptions& options) const override {
    return std::chrono::duration_cast<milliseconds>(OptionsFor(options).max_pause) +
           OverrunBound(options);
  }

  /// As Redlock::overrun_bound() says of clients with default options, pauses rounded up.
  milliseconds OverrunBound(const harness::LockOptions& options) const override {
    const Duration rounds =
        (3 + ClientOptions().cleanup_attempts) * OptionsFor(options).node_timeout;
    return std::chrono::duration_cast<milliseconds>(rounds) + milliseconds(100);
  }

  milliseconds DriftAllowance(const harness::LockOptions& options) const override {
    const RedlockOptions used = OptionsFor(options);
    const Duration part = used.lease * used.drift_per_mille / 1000;
    return std::chrono::duration_cast<milliseconds>(part + used.drift_extra);
  }

  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override {
    const std::string key = KeyOf(options);
    const auto cancelled = std::max<Duration>(options.lease, kCancelledTtl);
    return {{key + ":fence", std::chrono::duration_cast<milliseconds>(kFenceTtl)},
            {key + ":signal", options.lease},
            {key + ":cancelled:*", std::chrono::duration_cast<milliseconds>(cancelled)}};
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> RedlockSubject() {
  return std::make_shared<const Adapter>();
}

}  // namespace interlock::scenarios::subjects
