// SPDX-License-Identifier: MIT
#include "scenarios/locks/subjects/permit_adapter.h"

#include <algorithm>

#include <interlock/options.h>

#include "scenarios/locks/subjects/lease_adapter.h"
#include "scenarios/locks/subjects/mutex_adapter.h"

namespace interlock::scenarios::subjects {

using std::chrono::milliseconds;

harness::Traits PermitAdapter::traits() const {
  return {.kind = harness::Permits{LimitStands()},
          .can_extend = true,
          .fencing = true,
          .cluster = true,
          .stops = true,
          .operators = true,
          .concurrent = true,
          .recalls_releases = true};
}

std::vector<harness::Promise> PermitAdapter::Promises() const {
  return {{"none", "standalone replicated", "LK013 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015",
           ""},
          {"client-crash", "standalone replicated",
           "LK013 LK005 LK006 LK007 LK008 LK009 LK010 LK011 LK014 LK015", ""},
          {"client-pause-bounded", "standalone replicated",
           "LK013 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", ""},
          {"client-pause", "standalone replicated",
           "permits-server permits-belief LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015",
           "permits-section"},
          {"link", "standalone replicated", "LK013 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015",
           ""},
          {"client-restart", "standalone replicated",
           "LK013 LK005 LK006 LK007 LK008 LK009 LK010 LK011 LK014 LK015", ""},
          {"partition", "standalone replicated",
           "LK013 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", ""},
          {"lost-push", "standalone replicated",
           "LK013 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", ""},
          {"client-clock", "standalone replicated", "permits-server LK005 LK006 LK007 LK011",
           "permits-belief permits-section"},
          {"server-restart", "standalone", "LK013 LK005 LK006 LK007 LK009 LK011 LK014 LK015", ""},
          {"server-errors", "standalone", "LK013 LK005 LK006 LK007 LK009 LK011 LK014 LK015", ""},
          {"server-clock", "standalone", "permits-server LK005 LK006 LK007 LK011",
           "permits-belief permits-section"},
          {"data-loss", "standalone", "LK005 LK006 LK009 LK011 LK014 LK015", "LK013"},
          {"failover", "replicated", "LK005 LK006 LK009 LK011 LK014 LK015", "LK013"},
          {"split-brain", "replicated", "LK005 LK006 LK009 LK011 LK014 LK015", "LK013"}};
}

/// One entry per permit, its score the end of its lease. The key itself lives as long as the
/// longest of them, so entries whose time has passed may still stand in it.
std::optional<std::vector<harness::Owner>> PermitAdapter::Owners(
    const harness::ServerView& server, const harness::LockOptions& options) const {
  std::vector<harness::Owner> owners;
  for (auto& [token, score] : server.SortedSet(KeyText(options).view())) {
    const auto expires_at_ms = static_cast<std::int64_t>(score);
    if (expires_at_ms >= server.NowMs())
      owners.push_back({token, expires_at_ms, false, harness::LastMs::kOwned});
  }
  return owners;
}

std::optional<milliseconds> PermitAdapter::HandOverBound(
    const harness::LockOptions& options) const {
  return HandOverOfWaiters(options);
}

milliseconds PermitAdapter::OverrunBound(const harness::LockOptions& /*options*/) const {
  return OverrunOfClients();
}

milliseconds PermitAdapter::BarredFor(const harness::LockOptions& /*options*/) const {
  return BarredByMarks();
}

std::vector<harness::AuxiliaryKey> PermitAdapter::AuxiliaryKeys(
    const harness::LockOptions& options) const {
  const auto cancelled = std::max<Duration>(options.lease, kCancelledTtl);
  std::vector<harness::AuxiliaryKey> keys;
  keys.reserve(7);  // with those of a line
  keys.push_back({KeyOf(options, ":limit"), std::max(LimitStands(), options.lease)});
  keys.push_back({KeyOf(options, ":fence"), std::chrono::duration_cast<milliseconds>(kFenceTtl)});
  keys.push_back({KeyOf(options, ":signal"), options.lease});
  keys.push_back(
      {KeyOf(options, ":cancelled:*"), std::chrono::duration_cast<milliseconds>(cancelled)});
  return keys;
}

}  // namespace interlock::scenarios::subjects
