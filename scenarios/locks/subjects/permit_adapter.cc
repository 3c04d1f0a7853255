// SPDX-License-Identifier: MIT
#include "scenarios/locks/subjects/permit_adapter.h"

#include <algorithm>

#include "scenarios/locks/owner_key.h"

namespace interlock::scenarios::subjects {

harness::Traits PermitAdapter::traits() const {
  harness::Traits traits = MutexAdapter::traits();
  traits.kind = harness::Permits{LimitStands()};
  traits.cluster = true;
  return traits;
}

std::vector<harness::Promise> PermitAdapter::Promises() const {
  return PromisesOf(
      {.usual = "LK013 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015",
       .crash = "LK013 LK005 LK006 LK007 LK008 LK009 LK010 LK011 LK014 LK015",
       .pause = "permits-server permits-belief LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015",
       .pause_breaks = "permits-section",
       .clock = "permits-server LK005 LK006 LK007 LK011",
       .clock_breaks = "permits-belief permits-section",
       .server = "LK013 LK005 LK006 LK007 LK009 LK011 LK014 LK015",
       .loss = "LK005 LK006 LK009 LK011 LK014 LK015",
       .loss_breaks = "LK013"},
      traits().cluster);
}

/// One entry per permit, its score the end of its lease. The key itself lives as long as the
/// longest of them, so entries whose time has passed may still stand in it.
std::optional<std::vector<harness::Owner>> PermitAdapter::Owners(
    const harness::ServerView& server, const harness::LockOptions& options) const {
  return MembersAt(server, KeyText(options).view());
}

std::vector<harness::AuxiliaryKey> PermitAdapter::AuxiliaryKeys(
    const harness::LockOptions& options) const {
  std::vector<harness::AuxiliaryKey> keys = MutexAdapter::AuxiliaryKeys(options);
  keys.push_back({KeyOf(options, ":limit"), std::max(LimitStands(), options.lease)});
  return keys;
}

}  // namespace interlock::scenarios::subjects
