// SPDX-License-Identifier: MIT
#include "sim/redis/engine.h"

#include <algorithm>
#include <utility>

#include "sim/redis/text.h"
#include "sim/redis/wire_size.h"

namespace interlock::sim::redis {

namespace {

std::string DisplayName(std::string_view name) {
  std::string display = ToUpper(name);
  for (char& c : display) {
    if (c == '|') c = ' ';
  }
  return display;
}

}  // namespace

Engine::Engine()
    : persistence(*this),
      replication(*this),
      blocking(*this),
      pause(*this),
      memory(*this),
      pubsub(*this),
      tracking(*this),
      scripting(*this),
      libraries(*this),
      cluster(*this) {
  keyspace.SetListener(&events);
  SetConfig(FreshConfig());
}

Engine::~Engine() = default;

void Engine::SetDialect(const Dialect& dialect) {
  dialect_ = statistics.dialect = &dialect;
  encoding_limits.since_72 = dialect.since_72;
}

void Engine::SetConfig(const Config& changed) {
  config_ = changed;
  encoding_limits = {
      .hash_entries = static_cast<std::size_t>(config_.hash_max_listpack_entries),
      .hash_value = static_cast<std::size_t>(config_.hash_max_listpack_value),
      .set_integers = static_cast<std::size_t>(config_.set_max_intset_entries),
      .since_72 = dialect().since_72,
      .list_size = config_.list_max_listpack_size,
      .set_entries = static_cast<std::size_t>(config_.set_max_listpack_entries),
      .set_value = static_cast<std::size_t>(config_.set_max_listpack_value),
      .sorted_set_entries = static_cast<std::size_t>(config_.zset_max_listpack_entries),
      .sorted_set_value = static_cast<std::size_t>(config_.zset_max_listpack_value),
  };
  persistence.OnConfigChanged();
  keyspace.TrackMemory(config_.maxmemory != 0);
  limit_changed_ = true;
  memory.Reset();
  replication.OnConfigChanged();
}

ClientId Engine::Connect(std::string_view address) {
  // The spare clients may include that of the running script.
  Client& client = clients.Add(address, !script_turn.running());
  client.connected_ms = now_ms();
  client.last_command_ms = now_ms();
  client.authenticated = config_.requirepass.empty();
  if (client.id == 1) start_us_ = now_us;
  ++statistics.connections;
  return client.id;
}

// Rounds down, even before 1970.
void Engine::SetTime(std::int64_t unix_us) {
  now_us = unix_us;
  keyspace.SetNowMs(unix_us >= 0 ? unix_us / 1000 : (unix_us - 999) / 1000);
}

void Engine::Disconnect(ClientId id) {
  Client* client = clients.Find(id);
  if (client == nullptr) return;
  if (client->wait) blocking.Unblock(*client);
  pubsub.Forget(*client);
  tracking.Disable(*client);
  keyspace.RemoveWatches(id);
  clients.Remove(id);  // The command that closed it may still refer to it.
}

void Engine::Close(Client& client) {
  const ClientId id = client.id;
  Disconnect(id);
  if (sink != nullptr) sink->OnClosed(id);
}

void Engine::DiscardTransaction(Client& client) {
  client.in_multi = false;
  client.queue_failed = false;
  client.queue.clear();
  client.flags_of_some = 0;
  client.flags_of_all = ~std::uint32_t{0};
  keyspace.RemoveWatches(client.id);
}

void Engine::Execute(ClientId id, const Argv& argv) {
  Client* client = clients.Find(id);
  if (client == nullptr || unmodelled || argv.empty()) return;
  if (stall.active() || script_turn.InTheWayOf(id)) return stall.Keep(id, argv);
  if (dialect().valkey) client->bytes_received += CommandSize(argv);
  if (client->wait || client->postponed) {
    client->pending.push_back(argv);
  } else if (script_turn.running()) {
    ExecuteNow(*client, argv);  // Commands after this one must wait for the script's end.
  } else {
    ExecuteNow(*client, argv);
    AfterCommand();
    stall.ExecuteInput();
  }
}

void Engine::ExecuteNow(Client& client, const Argv& argv) {
  client.last_command_ms = now_ms();
  if (now_us >= persistence.due_us()) persistence.CatchUp();
  if (client.replies == Replies::kSkipNext) client.replies = Replies::kSkip;
  if (client.replies == Replies::kSkipBlocked) client.replies = Replies::kOn;
  const ClientId id = client.id;
  const ClientId outer = std::exchange(current_, id);
  const bool asked = client.asking;
  const std::uint64_t units = journal.end_index();
  // During a long script other clients' commands may run inside this one.
  std::vector<std::string_view> words = std::move(words_);
  words.assign(argv.begin(), argv.end());
  Process(client, words);
  words_ = std::move(words);
  Client* still = clients.Find(id);
  if (still != nullptr && still->close_after_reply) {
    Close(*still);
    still = nullptr;
  }
  if (still != nullptr && asked && !still->in_multi) still->asking = false;
  if (still != nullptr && still->tracking.caching) Tracking::EndCaching(*still);
  if (still != nullptr && still->replies == Replies::kSkip && !still->postponed) {
    still->replies = still->wait ? Replies::kSkipBlocked : Replies::kOn;
  }
  if (script_turn.running()) current_ = outer;
  if (script_turn.running() || !journal.active()) return;
  journal.EndUnit();
  if (still != nullptr) replication.NoteWrites(*still, journal.end_index() != units);
}

void Engine::AfterCommand() {
  journal.EndUnit();
  while (!unmodelled && !stall.active() && (keyspace.HasReadyKeys() || blocking.HasUnblocked())) {
    blocking.ServeReadyKeys();
    for (const ClientId id : blocking.TakeUnblocked()) RunPending(clients.Find(id));
  }
  current_ = 0;
  if (std::exchange(limit_changed_, false)) {
    memory.MakeRoom();
    if (unmodelled_is_error) unmodelled.reset();  // The next command that needs memory is told.
  }
  if (!long_turns) EndTurn();
  if (journal.active()) {
    SettleEffects();
  } else if (dialect().since_72) {
    replication.RequestAcknowledgements();
  }
  if (blocking.waits_for_disk()) replication.ReleaseWaiters();
}

// Runs what was sent after a command that blocked or was postponed.
void Engine::RunPending(Client* client) {
  while (client != nullptr && !client->wait && !client->postponed && !client->pending.empty() &&
         !unmodelled) {
    const ClientId id = client->id;
    const Argv argv = std::move(client->pending.front());
    client->pending.pop_front();
    client->catches_up = true;
    ExecuteNow(*client, argv);
    client = clients.Find(id);
    if (client != nullptr) client->catches_up = false;
    blocking.ServeReadyKeys();
    client = clients.Find(id);
  }
}

void Engine::Process(Client& client, Arguments args) {
  bool container = false;
  const std::string_view sub = args.size() > 1 ? args[1] : std::string_view();
  const Command* command =
      sentinel != nullptr
          ? FindSentinelCommand(dialect(), args[0], sub, args.size() > 1, &container)
          : FindCommand(dialect(), args[0], sub, args.size() > 1, &container);
  client.last_command = command;
  if (admission.Refuse(client, args, command, container)) {
    (void)AnswerUnmodelled(client);
    return;
  }
  if (client.in_multi && (command->flags & kAtOnceInMulti) == 0 && command->handler != nullptr) {
    if (!client.queue_failed) {
      client.queue.emplace_back(args.begin(), args.end());
      admission.NoteQueued(client, *command, args);
    }
    return outbox.Emit(client, StatusValue("QUEUED"));
  }
  if (tracking.on()) tracking.LimitTable();
  // Other clients' commands may run during a long script.
  Value inner;
  Value& reply = script_turn.running() ? inner : reply_;
  const ClientId id = client.id;
  const ClientId outer = std::exchange(executing_, id);
  const bool replies = Run(client, *command, args, &reply);
  executing_ = outer;
  if (!AnswerUnmodelled(client) && replies && !unmodelled) outbox.Deliver(client, reply);
  if (outer == 0) TellCaller(id);
}

bool Engine::AnswerUnmodelled(Client& client) {
  if (!unmodelled || !unmodelled_is_error) return false;
  outbox.Emit(client, ErrorValue("ERR Interlock does not model '" + *unmodelled + "', which " +
                                 std::string(dialect().title) + " has"));
  unmodelled.reset();
  client.queue_failed = client.in_multi;
  return true;
}

// Records dependencies that keys and channels do not show: state of other commands, and the order
// of all changes where somebody is told of it.
void Engine::NoteHidden(const Command& command) const {
  const bool ordered = journal.active() || config_.maxmemory > 0;
  if (ordered || (command.flags & kShowsInState) == 0) keyspace.TouchAll();
}

bool Engine::Run(Client& client, const Command& command, Arguments args, Value* reply) {
  reply->Clear();
  if (command.handler == nullptr) {
    SetUnmodelled(DisplayName(command.name));
    return false;
  }
  const int database = client.database;
  if (keyspace.footprint() != nullptr) NoteHidden(command);
  const std::uint64_t before = keyspace.changes();
  const std::int64_t errors_before = statistics.attributed = statistics.error_replies;
  const Keyspace::Lookups lookups = keyspace.lookups();
  const ClientId outer = std::exchange(author_, client.id);
  if (tracking.on() && client.id != 0) tracking.OnScript(command, args);
  Context context{*this, client, args, command, *reply};
  command.handler(context);
  author_ = outer;
  if (tracking.on() && (command.flags & kReadOnly) != 0) tracking.OnRead(client, command, args);
  using Propagation = Context::Propagation;
  if (context.propagation == Propagation::kAlways ||
      (context.propagation == Propagation::kIfChanged && keyspace.changes() != before)) {
    journal.Add(database, args);
  }
  statistics.CountCall(command, *reply, errors_before,
                       config_.latency_tracking != 0 && !client.wait);
  if ((command.flags & kReadOnly) != 0) {
    statistics.keyspace_hits += keyspace.lookups().hits - lookups.hits;
    statistics.keyspace_misses += keyspace.lookups().misses - lookups.misses;
  }
  if (dialect().valkey && !client.wait) {
    // What a script calls counts for its client.
    Client* const owner = client.id != 0 ? &client : clients.Find(executing_);
    if (owner != nullptr) ++owner->commands;
  }
  if (watcher) watcher(client.id, Argv(args.begin(), args.end()), *reply);
  return !context.silent;
}

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
  const Command* command = FindCommand(dialect(), args);
  if (command == nullptr) return SetUnmodelled("the effect " + effect.argv[0]);
  effects_client_ = Client();
  effects_client_.from_master = true;
  effects_client_.must_not_block = true;
  effects_client_.replies = Replies::kOff;
  effects_client_.database = effect.database;
  Value nobody_gets_it;
  Run(effects_client_, *command, args, &nobody_gets_it);
}

// The disk comes before the network: a replica never has data that a kill -9 of its master undoes.
void Engine::SettleEffects() {
  persistence.WriteEffects();
  replication.RequestAcknowledgements();
  journal.TrimBefore(std::min(persistence.first_needed_unit(), replication.first_needed_unit()));
}

}  // namespace interlock::sim::redis
