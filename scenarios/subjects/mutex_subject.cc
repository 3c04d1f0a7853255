// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>

#include <interlock/mutex.h>
#include <interlock/options.h>

#include "scenarios/subjects/lease_adapter.h"
#include "scenarios/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

using std::chrono::milliseconds;

std::string KeyOf(const harness::LockOptions& options) {
  return options.key_prefix + "{" + options.resource + "}";
}

/// How many leases a renewed one lasts at most, however long its holder stays.
constexpr int kRenewedLeases = 3;

class Adapter final : public harness::Subject {
 public:
  explicit Adapter(bool renews) : renews_(renews) {}

  std::string_view name() const override { return renews_ ? "mutex.renewed" : "mutex"; }
  std::string_view summary() const override {
    return renews_ ? "interlock::Mutex, each lease kept alive while it is held"
                   : "interlock::Mutex: one holder at a time, by lease";
  }
  harness::Traits traits() const override {
    return {.can_extend = true, .fencing = true, .renews = renews_};
  }

  std::vector<harness::Promise> Promises() const override {
    return {
        {"none", "standalone replicated",
         "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", ""},
        {"client-crash", "standalone replicated",
         "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK008 LK009 LK010 LK011 LK014 LK015", ""},
        {"client-pause-bounded", "standalone replicated",
         "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", ""},
        {"client-pause", "standalone replicated",
         "LK001 LK002 LK004 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", "LK003"},
        {"link", "standalone replicated",
         "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", ""},
        {"client-restart", "standalone replicated",
         "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK008 LK009 LK010 LK011 LK014 LK015", ""},
        {"partition", "standalone replicated",
         "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", ""},
        {"lost-push", "standalone replicated",
         "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", ""},
        {"client-clock", "standalone replicated", "LK001 LK004 LK005 LK006 LK007 LK011",
         "LK002 LK003"},
        {"server-restart", "standalone",
         "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK009 LK011 LK014 LK015", ""},
        {"server-errors", "standalone",
         "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK009 LK011 LK014 LK015", ""},
        {"server-clock", "standalone", "LK001 LK004 LK005 LK006 LK007 LK011", "LK002 LK003"},
        {"data-loss", "standalone", "LK005 LK006 LK009 LK011 LK014 LK015", "LK001 LK002 LK003"},
        {"failover", "replicated", "LK005 LK006 LK009 LK011 LK014 LK015", "LK001 LK002 LK003"},
        {"split-brain", "replicated", "LK005 LK006 LK009 LK011 LK014 LK015", "LK001 LK002 LK003"}};
  }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    const auto create = [&options](Client& client) {
      MutexOptions mutex;
      mutex.key_prefix = options.key_prefix;
      mutex.lease = options.lease;
      return Mutex::Create(client, options.resource, mutex);
    };
    const Duration longest_hold = renews_ ? kRenewedLeases * options.lease : Duration(0);
    return std::make_unique<LeaseLock<Mutex>>(environment, create, Renewal{longest_hold});
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

  milliseconds OverrunBound(const harness::LockOptions& /*options*/) const override {
    return OverrunOfClients();
  }

  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override {
    const std::string key = KeyOf(options);
    const auto cancelled = std::max<Duration>(options.lease, kCancelledTtl);
    return {{key + ":fence", std::chrono::duration_cast<milliseconds>(kFenceTtl)},
            {key + ":signal", options.lease},
            {key + ":cancelled:*", std::chrono::duration_cast<milliseconds>(cancelled)}};
  }

 private:
  const bool renews_;
};

}  // namespace

std::shared_ptr<const harness::Subject> MutexSubject() {
  return std::make_shared<const Adapter>(false);
}

std::shared_ptr<const harness::Subject> RenewedMutexSubject() {
  return std::make_shared<const Adapter>(true);
}

}  // namespace interlock::scenarios::subjects
