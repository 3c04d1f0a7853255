// SPDX-License-Identifier: MIT
#include "scenarios/run/recorder/server_data_log.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "scenarios/run/recorder/server_view.h"

namespace interlock::scenarios {

ServerDataLog::ServerDataLog(RunLog& log, int database) : log_(log), database_(database) {
  for (const RecordedResource& resource : log_.resources) {
    const harness::LockOptions& options = *resource.options;
    key_limits_.lease_ms =
        std::max<std::int64_t>(key_limits_.lease_ms, log_.subject.LongestLease(options).count());
    std::vector<harness::AuxiliaryKey> some = log_.subject.AuxiliaryKeys(options);
    std::vector<harness::AuxiliaryKey>& all = key_limits_.auxiliary;
    if (all.empty()) all.swap(some);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
}

void ServerDataLog::BeforeCommand(VirtualTime now) {
  if (log_.closed) return;
  // Changes by replication or expiry since the last command are not this command's doing.
  const sim::redis::Server& server = log_.world->server();
  const bool changed = server.mutations() != seen().mutations;
  // A key that has expired is deleted, and that counted, only when a command comes upon it.
  const std::int64_t now_ms = server.time_us() / 1000;
  const bool expired = std::ranges::any_of(
      log_.resources, [&](const RecordedResource& one) { return now_ms > one.key_expires_at_ms; });
  if (changed || expired || log_.traits.lasts_as_connection) Rebase(false, now);
}

void ServerDataLog::OnServerChange(int node, sim::ServerChange change, VirtualTime now) {
  if (log_.closed) return;
  if (change != sim::ServerChange::kGone) return Rebase(change == sim::ServerChange::kClock, now);
  for (RecordedResource& resource : log_.resources) Ledger::Lose(now, node, resource.history);
}

ServerDataLog::Effect ServerDataLog::TakeEffect() {
  const sim::redis::Server& server = log_.world->server();
  const SeenServer before = std::exchange(seen(), {server.mutations(), server.changes()});
  return {.mutated = seen().mutations != before.mutations,
          .changed = seen().changes != before.changes};
}

void ServerDataLog::Rebase(bool clock_only, VirtualTime now) {
  for (RecordedResource& resource : log_.resources) {
    const Ledger::Look& look = LookAtServer(resource);
    for (Dealing& client : log_.dealings) {
      client.extend_called_ms = std::min(client.extend_called_ms, look.now_ms);
    }
    // An entry that disappeared with its connection has lasted as long as it was meant to.
    const bool kept = clock_only || log_.traits.lasts_as_connection;
    if (resource.observable) Ledger::Rebase(now, look, kept, resource.history);
  }
  const sim::redis::Server& server = log_.world->server();
  seen() = {server.mutations(), server.changes()};
}

const Ledger::Look& ServerDataLog::LookAtServer(RecordedResource& resource) {
  Ledger::Look& look = look_;
  sim::World& world = *log_.world;
  // Data spread over the nodes of a cluster are looked at as one server's.
  const bool by_key = world.server().cluster_view() != nullptr;
  const FakeServerView view(world, by_key, database_);
  look.node = by_key ? 0 : world.server_node();
  look.now_ms = view.NowMs();
  look.owners.clear();
  auto owners = log_.subject.Owners(view, *resource.options);
  resource.observable = owners.has_value();
  look.ttl_ms = view.shown_ttl().value_or(kNoDeadline);
  resource.key_expires_at_ms = view.first_expiry_ms();
  resource.history.ownership_seen = resource.observable;
  if (!resource.observable) return look;
  for (harness::Owner& owner : *owners) {
    SeenOwner& seen = look.owners.emplace_back();
    seen.token = std::move(owner.token);
    seen.shared = owner.shared;
    if (!owner.expires_at_ms.has_value()) continue;
    using enum harness::LastMs;
    // A lock may have written any number.
    seen.expires_at_ms = std::clamp<std::int64_t>(*owner.expires_at_ms, 0, kNoDeadline - 1);
    const std::int64_t next = seen.expires_at_ms + 1;
    seen.promised_until =
        world.GlobalTimeOfServerMs(owner.last_ms == kOver ? seen.expires_at_ms : next);
    if (owner.last_ms != kUnsaid) continue;
    seen.left_open = seen.promised_until - world.GlobalTimeOfServerMs(seen.expires_at_ms);
  }
  return look;
}

void ServerDataLog::SyncOwners(int process, std::optional<int> sender, std::uint64_t number,
                               VirtualTime now) {
  const int client = sender.value_or(process);
  for (int i = 0; i < static_cast<int>(log_.resources.size()); ++i) {
    RecordedResource& resource = log_.resources[static_cast<std::size_t>(i)];
    const Ledger::Look& look = LookAtServer(resource);
    if (!resource.observable) continue;
    std::vector<ServerHold>& holds = resource.history.server_holds;
    const std::size_t known = holds.size();
    const Doing doing = sender.has_value() ? DoingOf({client, i}, number) : Doing::kNothing;
    resource.ledger.Sync(client, doing, now, look, resource.history);
    if (!outliving_.has_value() && !resource.history.server_clock_moved) {
      NoteOutliving(FindOutliving(look, key_limits_), {client, i}, now);
    }
    for (ServerHold& entry : std::span(holds).subspan(known)) {
      entry.made_with = number;
      // The client that is granted the entry will show whose it is.
      if (!sender.has_value()) entry.client = entry.asked_by = -1;
    }
    for (ServerHold& entry : std::span(holds).subspan(resource.ledger.settled())) {
      // An entry with as much time left as right after its renewal may have been renewed just now.
      const bool whole =
          entry.renewed == now || (entry.end == ServerHoldEnd::kNone && entry.node == look.node &&
                                   entry.expires_at_ms - look.now_ms >= entry.leased_ms);
      const bool its_own = entry.client >= 0 && log_.users.ProcessOf(entry.client) == process;
      if (its_own && whole) entry.sent = log_.state(entry.client).sent;
    }
  }
}

void ServerDataLog::NoteOutliving(std::optional<OutlivingKey> found, Party of, VirtualTime now) {
  if (!found.has_value()) return;
  found->at = now;
  found->client = of.client;
  found->resource = of.resource;
  outliving_ = std::move(found);
}

Doing ServerDataLog::DoingOf(Party who, std::uint64_t number) {
  const auto& attempts = log_.history(who).attempts;
  const auto& renewals = log_.history(who).renewals;
  if (FindSender(attempts, who.client, number) != attempts.rend()) return Doing::kAsking;
  const bool extended = std::ranges::any_of(renewals, [&](const Renewal& one) {
    return one.client == who.client && one.sent != kOpen && one.number == number;
  });
  return extended ? Doing::kExtending : log_.dealing(who).doing;
}

void ServerDataLog::LookAtKeys(int client, VirtualTime now) {
  if (outliving_.has_value() && !stray_key_.empty()) return;
  const sim::redis::Server& server = log_.world->server();
  const bool moved = log_.resources.front().history.server_clock_moved;
  std::optional<std::int64_t> now_ms;
  if (!moved) now_ms = server.time_us() / 1000;
  const std::string_view prefix = log_.resources.front().options->key_prefix;
  const auto look = [&](std::string_view key, std::optional<std::int64_t> deadline_ms) {
    if (!key.starts_with(prefix)) stray_key_ = key;
    if (outliving_.has_value()) return;
    constexpr int kAnyResource = -1;
    NoteOutliving(FindOutliving(key, deadline_ms, now_ms, key_limits_), {client, kAnyResource},
                  now);
  };
  server.VisitKeys(database_, std::cref(look));  // by reference, so that nothing is allocated
}

}  // namespace interlock::scenarios
