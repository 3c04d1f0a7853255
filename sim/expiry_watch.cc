// SPDX-License-Identifier: MIT
#include "sim/expiry_watch.h"

#include <algorithm>
#include <utility>

namespace interlock::sim {

void ExpiryWatch::Before(Trace& trace, const Servers& servers, VirtualTime now) {
  std::stable_sort(deadlines_.begin(), deadlines_.end(),
                   [](const Deadline& a, const Deadline& b) { return a.at_ms < b.at_ms; });
  std::size_t passed = 0;
  for (; passed < deadlines_.size(); ++passed) {
    const VirtualTime at = servers.TimeAtClock(node_, deadlines_[passed].at_ms * 1000);
    if (at > now) break;
    trace.Annotate(at, -1, TraceKind::kExpired, deadlines_[passed].key);
  }
  deadlines_.erase(deadlines_.begin(), deadlines_.begin() + static_cast<std::ptrdiff_t>(passed));
}

void ExpiryWatch::After(const redis::Server& server, int database) {
  if (server.mutations() == mutations_) return;
  mutations_ = server.mutations();
  std::erase_if(deadlines_, [database](const Deadline& d) { return d.database == database; });
  for (redis::Server::KeyInfo& info : server.PeekKeys(database)) {
    if (!info.expires_at_ms) continue;
    deadlines_.push_back({database, std::move(info.key), *info.expires_at_ms});
  }
}

}  // namespace interlock::sim
