// SPDX-License-Identifier: MIT
//
// The server as a process: how its effects leave it (to disk, to replicas), how it ends and starts
// again.
#include <algorithm>
#include <utility>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

void Engine::UpdateJournal() {
  journal.SetActive(replication.needs_journal() || persistence.needs_journal());
  journal.SetStreamIsForeign(replication.is_replica());
}

void Engine::OnRoleChanged() {
  UpdateJournal();
  UpdateExpiryMode();
}

void Engine::UpdateExpiryMode() {
  keyspace.SetExpiryMode(replication.is_replica() || pause.active() ? ExpiryMode::kHide
                                                                    : ExpiryMode::kDelete);
}

void Engine::RunEffect(const Effect& effect) {
  const std::vector<std::string_view> args(effect.argv.begin(), effect.argv.end());
  bool container = false;
  const Command* command = FindCommand(args[0], args.size() > 1 ? args[1] : std::string_view(),
                                       args.size() > 1, &container);
  if (command == nullptr) return SetUnmodelled("the effect " + effect.argv[0]);
  effects_client_ = Client();
  effects_client_.from_master = true;
  effects_client_.must_not_block = true;
  effects_client_.replies = Replies::kOff;
  effects_client_.database = effect.database;
  Value nobody_gets_it;
  Run(effects_client_, *command, args, &nobody_gets_it);
}

// The disk comes before the network: a replica never has what a kill -9 of its master undoes.
void Engine::SettleEffects() {
  persistence.WriteEffects();
  replication.RequestAcknowledgements();
  journal.TrimBefore(std::min(persistence.first_needed_unit(), replication.first_needed_unit()));
}

void Engine::ForgetProcess() {
  for (std::unique_ptr<Client>& client : clients_) {
    if (client) spare_.push_back(std::move(client));
  }
  clients_.clear();
  random_state_ = 0;
  stalled_until_us_ = 0;
  stalled_output_.clear();
  stalled_input_.clear();
  keyspace.Reset();
  SetTime(now_us);
  journal.Reset();
  blocking.Reset();
  pause.Reset();
  memory.Reset();
  statistics.Reset();
  connected_clients_ = 0;
  active_expiry = true;
  pubsub.Reset();
  scripting.Reset();
  constexpr std::uint64_t kManyStarts = 1'000'000;
  replication.Reset(identity * kManyStarts + starts_);
}

void Engine::CloseAll() {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (clients_[i] != nullptr) Close(*clients_[i]);
  }
}

void Engine::Kill(const Server::Crash& crash) {
  persistence.Crash(crash);
  ForgetProcess();
}

void Engine::Start(std::int64_t loading_us) {
  ++starts_;
  ForgetProcess();
  OnRoleChanged();
  const std::string_view master = config().replicaof;
  const std::size_t space = master.find(' ');
  std::int64_t port = 0;
  if (space != std::string_view::npos && ParseInteger(master.substr(space + 1), &port)) {
    replication.Follow({std::string(master.substr(0, space)), static_cast<int>(port)});
  }
  persistence.Load(loading_us);
}

}  // namespace interlock::sim::redis
