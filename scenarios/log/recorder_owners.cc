// SPDX-License-Identifier: MIT
//
// The recorder's part about a server's data: who owns what there, and how long keys live.
#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "scenarios/judge/keys.h"
#include "scenarios/log/recorder.h"
#include "scenarios/log/server_view.h"

namespace interlock::scenarios {

void Recorder::JudgeKeys(int client, VirtualTime now) {
  const sim::redis::Server& server = world_->server();
  const bool moved = resources_.front().history.server_clock_moved;
  std::optional<std::int64_t> now_ms;
  if (!moved) now_ms = server.time_us() / 1000;
  const std::string_view prefix = resources_.front().options->key_prefix;
  const auto judge = [&](std::string_view key, std::optional<std::int64_t> deadline_ms) {
    if (!key.starts_with(prefix)) stray_key_ = key;
    if (lives_too_long_) return;
    lives_too_long_ = JudgeTtl(key, deadline_ms, now_ms, key_limits_, client, now, violations_);
  };
  server.VisitKeys(database_, std::cref(judge));  // by reference: it needs no memory of its own
}

const Ledger::Look& Recorder::LookAtServer(Resource& resource) {
  Ledger::Look& look = look_;
  // What is spread over the nodes of a cluster is looked at as one.
  const bool by_key = world_->server().cluster_view() != nullptr;
  const FakeServerView view(*world_, by_key, database_);
  look.node = by_key ? 0 : world_->server_node();
  look.now_ms = view.NowMs();
  look.owners.clear();
  auto owners = subject_.Owners(view, *resource.options);
  resource.observable = owners.has_value();
  look.ttl_ms = view.shown_ttl().value_or(kNoDeadline);
  resource.history.ownership_seen = resource.observable;
  if (!resource.observable) return look;
  for (harness::Owner& owner : *owners) {
    SeenOwner& seen = look.owners.emplace_back();
    seen.token = std::move(owner.token);
    seen.shared = owner.shared;
    if (!owner.expires_at_ms.has_value()) continue;
    using enum harness::LastMs;
    seen.expires_at_ms = *owner.expires_at_ms;
    const std::int64_t next = seen.expires_at_ms + 1;
    seen.promised_until =
        world_->GlobalTimeOfServerMs(owner.last_ms == kOver ? seen.expires_at_ms : next);
    if (owner.last_ms != kUnsaid) continue;
    seen.left_open = seen.promised_until - world_->GlobalTimeOfServerMs(seen.expires_at_ms);
  }
  return look;
}

void Recorder::SyncOwners(int process, std::optional<int> sender, std::uint64_t number,
                          VirtualTime now) {
  const int client = sender.value_or(process);
  for (int i = 0; i < static_cast<int>(resources_.size()); ++i) {
    Resource& resource = resources_[static_cast<std::size_t>(i)];
    const Ledger::Look& look = LookAtServer(resource);
    if (!resource.observable) continue;
    const std::size_t first = violations_.size();
    const std::size_t known = resource.history.server_holds.size();
    const Doing doing = sender.has_value() ? DoingOf({client, i}, number) : Doing::kNothing;
    resource.ledger.Sync(client, doing, now, look, resource.history, violations_);
    if (!lives_too_long_ && !resource.history.server_clock_moved) {
      const std::size_t before = violations_.size();
      JudgeDeadlines(look, key_limits_, client, now, violations_);
      lives_too_long_ = violations_.size() > before;
    }
    Attribute(first, i);
    std::vector<ServerHold>& holds = resource.history.server_holds;
    for (ServerHold& entry : std::span(holds).subspan(known)) {
      entry.made_with = number;
      // Whose it is, the one will know who is granted it.
      if (!sender.has_value()) entry.client = entry.asked_by = -1;
    }
    for (ServerHold& entry : std::span(holds).subspan(resource.ledger.settled())) {
      // What has as much left as when it was renewed might have been renewed just now.
      const bool whole =
          entry.renewed == now || (entry.end == ServerHoldEnd::kNone && entry.node == look.node &&
                                   entry.expires_at_ms - look.now_ms >= entry.leased_ms);
      const bool its_own = entry.client >= 0 && users_.ProcessOf(entry.client) == process;
      if (its_own && whole) entry.sent = state(entry.client).sent;
    }
  }
}

}  // namespace interlock::scenarios
