// SPDX-License-Identifier: MIT
#include "sim/redis/engine.h"

#include <algorithm>
#include <utility>

#include "sim/redis/sentinel.h"
#include "sim/redis/text.h"

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

Keyspace& Context::keyspace() const { return engine.keyspace; }

bool Context::journalled() const { return engine.journal.active(); }

void Context::Notify(NotifyClass type, std::string_view event, std::string_view key) const {
  engine.Notify(type, event, client.database, key);
}

void Context::Propagate(Arguments effect) {
  propagation = Propagation::kDone;
  engine.journal.Add(client.database, effect);
}

bool Context::ParseInt(std::string_view text, std::int64_t* out, std::string_view error) {
  if (ParseInteger(text, out)) return true;
  Error(error);
  return false;
}

void Context::Unmodelled(std::string_view what) {
  engine.SetUnmodelled(what);
  silent = true;
}

Engine::Engine()
    : persistence(*this),
      replication(*this),
      blocking(*this),
      pause(*this),
      memory(*this),
      pubsub(*this),
      scripting(*this),
      cluster(*this) {
  keyspace.SetListener(this);
  SetConfig(FreshConfig());
}

Engine::~Engine() = default;

void Engine::Reset(const Config& config) {
  now_us = 0;
  starts_ = 0;
  identity = 0;
  sentinel = nullptr;
  unmodelled.reset();
  ForgetProcess();
  persistence.Reset();
  cluster.Reset();
  SetConfig(config);
}

void Engine::SetConfig(const Config& changed) {
  config_ = changed;
  encoding_limits = {
      .hash_entries = static_cast<std::size_t>(config_.hash_max_listpack_entries),
      .hash_value = static_cast<std::size_t>(config_.hash_max_listpack_value),
      .set_integers = static_cast<std::size_t>(config_.set_max_intset_entries),
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
  std::unique_ptr<Client> client;
  // Among the spare ones may be the client of the running script.
  if (spare_.empty() || script_running_) {
    client = std::make_unique<Client>();
  } else {
    client = std::move(spare_.back());
    spare_.pop_back();
    *client = Client();
  }
  client->id = clients_.size() + 1;
  client->address = address;
  client->connected_ms = now_ms();
  client->last_command_ms = now_ms();
  client->authenticated = config_.requirepass.empty();
  clients_.push_back(std::move(client));
  if (clients_.size() == 1) start_us_ = now_us;
  ++connected_clients_;
  ++statistics.connections;
  return clients_.back()->id;
}

Client* Engine::FindClient(ClientId id) {
  if (id == 0 || id > clients_.size()) return nullptr;
  return clients_[static_cast<std::size_t>(id - 1)].get();
}

// Rounds down, before 1970 too.
void Engine::SetTime(std::int64_t unix_us) {
  now_us = unix_us;
  keyspace.SetNowMs(unix_us >= 0 ? unix_us / 1000 : (unix_us - 999) / 1000);
}

void Engine::Disconnect(ClientId id) {
  Client* client = FindClient(id);
  if (client == nullptr) return;
  if (client->wait) blocking.Unblock(*client);
  pubsub.Forget(*client);
  keyspace.RemoveWatches(id);
  // The object lives on among the spare ones: the command that closed it may still refer to it.
  spare_.push_back(std::move(clients_[static_cast<std::size_t>(id - 1)]));
  --connected_clients_;
}

void Engine::Close(Client& client) {
  const ClientId id = client.id;
  Disconnect(id);
  if (sink != nullptr) sink->OnClosed(id);
}

void Engine::Deliver(Client& client, Value& value) {
  if (client.captured != nullptr) {
    // A HELLO behind it in the same EXEC does not change its form.
    if (client.protocol == 2) ToResp2(&value);
    client.captured->push_back(std::move(value));
    return;
  }
  // CLIENT REPLY leaves what pub/sub sends alone, in RESP2 too.
  const bool push = value.type == Value::Type::kPush;
  if (!push && client.replies != Replies::kOn && client.replies != Replies::kSkipNext) return;
  if (client.protocol == 3) {
    ToResp3(&value);
  } else if (value.type >= Value::Type::kArray) {
    ToResp2(&value);
  }
  Send(client, value);
}

void Engine::Send(Client& client, Value& value) {
  if (Stalled()) {
    stalled_output_.emplace_back(client.id, std::move(value));
  } else if (sink != nullptr) {
    sink->OnReply(client.id, value);
  }
}

void Engine::Emit(ClientId id, Value value) {
  if (Client* client = FindClient(id)) Deliver(*client, value);
}

void Engine::SetUnmodelled(std::string_view what) {
  if (!unmodelled) unmodelled.emplace(what);
}

// SplitMix64: every step gives another number, whatever the state.
std::uint64_t Engine::Choose(std::uint64_t bound) {
  keyspace.TouchAll();
  if (random) return random(bound) % bound;
  random_state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t mixed = random_state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
  return (mixed ^ (mixed >> 31)) % bound;
}

void Engine::DiscardTransaction(Client& client) {
  client.in_multi = false;
  client.queue_failed = false;
  client.queue.clear();
  keyspace.RemoveWatches(client.id);
}

void Engine::Execute(ClientId id, const Argv& argv) {
  Client* client = FindClient(id);
  if (client == nullptr || unmodelled || argv.empty()) return;
  if (Stalled() || ScriptInTheWay(id)) {
    stalled_input_.emplace_back(id, argv);
  } else if (client->wait || client->postponed) {
    client->pending.push_back(argv);
  } else if (script_running_) {
    ExecuteNow(*client, argv);  // What follows a command must wait for the script's end.
  } else {
    ExecuteNow(*client, argv);
    AfterCommand();
    if (!stalled_input_.empty()) RunDelayed();
  }
}

void Engine::BeginScript(const Client& client) {
  script_running_ = true;
  script_client_ = client.id;
  script_start_ms_ = now_ms();
  keyspace.Freeze();
}

void Engine::EndScript() {
  keyspace.Thaw();
  script_running_ = false;
  script_busy_ = false;
}

bool Engine::OnLongScript() {
  if (!long_script_handler) return false;
  // The handler may move the clock; only the next call then serves clients, as in Redis.
  script_busy_ = now_ms() - script_start_ms_ >= config_.busy_reply_threshold;
  long_script_handler();
  return true;
}

void Engine::ExecuteNow(Client& client, const Argv& argv) {
  client.last_command_ms = now_ms();
  if (now_us >= persistence.due_us()) persistence.CatchUp();
  if (client.replies == Replies::kSkipNext) client.replies = Replies::kSkip;
  if (client.replies == Replies::kSkipBlocked) client.replies = Replies::kOn;
  const ClientId id = client.id;
  const bool asked = client.asking;
  // Inside of a long script other clients' commands may come while this one is at work.
  std::vector<std::string_view> words = std::move(words_);
  words.assign(argv.begin(), argv.end());
  Process(client, words);
  words_ = std::move(words);
  Client* still = FindClient(id);
  if (still != nullptr && still->close_after_reply) {
    Close(*still);
    still = nullptr;
  }
  if (still != nullptr && asked && !still->in_multi) still->asking = false;
  if (still != nullptr && still->replies == Replies::kSkip && !still->postponed) {
    still->replies = still->wait ? Replies::kSkipBlocked : Replies::kOn;
  }
  if (script_running_ || !journal.active()) return;
  journal.EndUnit();
  if (still != nullptr) still->last_write_offset = replication.offset();
}

void Engine::AfterCommand() {
  journal.EndUnit();
  while (!unmodelled && !Stalled() && (keyspace.HasReadyKeys() || blocking.HasUnblocked())) {
    blocking.ServeReadyKeys();
    for (const ClientId id : blocking.TakeUnblocked()) RunPending(FindClient(id));
  }
  if (std::exchange(limit_changed_, false)) {
    memory.MakeRoom();
    if (unmodelled_is_error) unmodelled.reset();  // The next command that needs room is told.
  }
  if (journal.active()) SettleEffects();
}

// What was sent behind a command that blocked or was postponed.
void Engine::RunPending(Client* client) {
  while (client != nullptr && !client->wait && !client->postponed && !client->pending.empty() &&
         !unmodelled) {
    const ClientId id = client->id;
    const Argv argv = std::move(client->pending.front());
    client->pending.pop_front();
    ExecuteNow(*client, argv);
    blocking.ServeReadyKeys();
    client = FindClient(id);
  }
}

void Engine::Notify(NotifyClass type, std::string_view event, int database, std::string_view key) {
  if ((config_.notify_keyspace_events & type) == 0) return;
  const std::string number = std::to_string(database);
  if ((config_.notify_keyspace_events & kNotifyKeyspace) != 0) {
    pubsub.Publish("__keyspace@" + number + "__:" + std::string(key), event);
  }
  if ((config_.notify_keyspace_events & kNotifyKeyevent) != 0) {
    pubsub.Publish("__keyevent@" + number + "__:" + std::string(event), key);
  }
}

void Engine::OnAdded(int database, std::string_view key) {
  Notify(kNotifyNew, "new", database, key);
}

void Engine::OnExpired(int database, std::string_view key) {
  ++statistics.expired_keys;
  const std::string_view effect[] = {"DEL", key};
  journal.Add(database, effect);
  Notify(kNotifyExpired, "expired", database, key);
}

void Engine::Process(Client& client, Arguments args) {
  bool container = false;
  const auto find = sentinel != nullptr ? &Sentinel::Find : &FindCommand;
  const Command* command =
      find(args[0], args.size() > 1 ? args[1] : std::string_view(), args.size() > 1, &container);
  client.last_command = command;
  if (Refuse(client, args, command, container)) {
    (void)AnswerUnmodelled(client);
    return;
  }
  if (client.in_multi && (command->flags & kAtOnceInMulti) == 0 && command->handler != nullptr) {
    if (!client.queue_failed) client.queue.emplace_back(args.begin(), args.end());
    return Emit(client, StatusValue("QUEUED"));
  }
  // Other clients' commands may run inside of a long script.
  Value inner;
  Value& reply = script_running_ ? inner : reply_;
  const bool replies = Run(client, *command, args, &reply);
  if (!AnswerUnmodelled(client) && replies && !unmodelled) Deliver(client, reply);
}

bool Engine::AnswerUnmodelled(Client& client) {
  if (!unmodelled || !unmodelled_is_error) return false;
  Emit(client,
       ErrorValue("ERR Interlock does not model '" + *unmodelled + "', which Redis 7.0 has"));
  unmodelled.reset();
  client.queue_failed = client.in_multi;
  return true;
}

// A script's error is the one that its command has been counted for; and a command fails with the
// errors that it makes others get. Only reading looks up.
void Engine::Count(const Client& client, const Command& command, const Value& reply,
                   std::int64_t errors_before, const Keyspace::Lookups& lookups) {
  CommandCounts& counts = statistics.Of(command);
  ++counts.calls;
  counts.timed = counts.timed || (config_.latency_tracking != 0 && !client.wait);
  ++statistics.commands;
  if ((command.flags & kReadOnly) != 0) {
    statistics.keyspace_hits += keyspace.lookups().hits - lookups.hits;
    statistics.keyspace_misses += keyspace.lookups().misses - lookups.misses;
  }
  const bool error = reply.type == Value::Type::kError;
  if (error && statistics.error_replies == errors_before) statistics.CountError(reply.text);
  if (error || statistics.error_replies != statistics.attributed) ++counts.failed;
  statistics.attributed = statistics.error_replies;
}

// What keys and channels do not show: other commands' state, and the order of all changes where
// somebody is told of it.
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
  Context context{*this, client, args, command, *reply};
  command.handler(context);
  using Propagation = Context::Propagation;
  if (context.propagation == Propagation::kAlways ||
      (context.propagation == Propagation::kIfChanged && keyspace.changes() != before)) {
    journal.Add(database, args);
  }
  Count(client, command, *reply, errors_before, lookups);
  if (watcher) watcher(client.id, Argv(args.begin(), args.end()), *reply);
  return !context.silent;
}

}  // namespace interlock::sim::redis
