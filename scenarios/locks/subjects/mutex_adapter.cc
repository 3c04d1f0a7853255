// SPDX-License-Identifier: MIT
#include "scenarios/locks/subjects/mutex_adapter.h"

#include <algorithm>
#include <utility>

#include <interlock/options.h>

#include "scenarios/locks/owner_key.h"
#include "scenarios/locks/subjects/lease_adapter.h"

namespace interlock::scenarios::subjects {

using std::chrono::milliseconds;

std::string KeyOf(const harness::LockOptions& options) {
  std::string key;
  key.reserve(options.key_prefix.size() + options.resource.size() + 2);
  return key.append(options.key_prefix).append("{").append(options.resource).append("}");
}

std::vector<harness::Promise> MutexAdapter::Promises() const {
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

std::vector<harness::Promise> WithOrder(std::vector<harness::Promise> promises) {
  for (const char* faults : {"none", "client-crash", "client-pause-bounded", "client-pause"}) {
    promises.push_back({faults, "standalone replicated", "LK012", ""});
  }
  return promises;
}

std::optional<std::vector<harness::Owner>> MutexAdapter::Owners(
    const harness::ServerView& server, const harness::LockOptions& options) const {
  return OwnersAt(server, KeyOf(options));
}

std::optional<milliseconds> MutexAdapter::HandOverBound(const harness::LockOptions& options) const {
  return HandOverOfWaiters(options);
}

milliseconds MutexAdapter::OverrunBound(const harness::LockOptions& /*options*/) const {
  return OverrunOfClients();
}

milliseconds MutexAdapter::BarredFor(const harness::LockOptions& /*options*/) const {
  return BarredByMarks();
}

std::vector<harness::AuxiliaryKey> MutexAdapter::AuxiliaryKeys(
    const harness::LockOptions& options) const {
  const std::string key = KeyOf(options);
  const auto cancelled = std::max<Duration>(options.lease, kCancelledTtl);
  return {{key + ":fence", std::chrono::duration_cast<milliseconds>(kFenceTtl)},
          {key + ":signal", options.lease},
          {key + ":cancelled:*", std::chrono::duration_cast<milliseconds>(cancelled)}};
}

}  // namespace interlock::scenarios::subjects
