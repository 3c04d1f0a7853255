// SPDX-License-Identifier: MIT
//
// The inside of the server: clients, the order of checks before every command, and what happens
// after it (its effects are journalled, blocked clients are served). Commands see it through their
// Context.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/admission.h"
#include "sim/redis/blocking.h"
#include "sim/redis/client.h"
#include "sim/redis/client_table.h"
#include "sim/redis/cluster.h"
#include "sim/redis/command_table.h"
#include "sim/redis/config.h"
#include "sim/redis/context.h"
#include "sim/redis/journal.h"
#include "sim/redis/keyspace.h"
#include "sim/redis/keyspace_events.h"
#include "sim/redis/memory.h"
#include "sim/redis/pause.h"
#include "sim/redis/persistence.h"
#include "sim/redis/pubsub.h"
#include "sim/redis/replication.h"
#include "sim/redis/script_turn.h"
#include "sim/redis/scripting/scripting.h"
#include "sim/redis/server.h"
#include "sim/redis/stall.h"
#include "sim/redis/statistics.h"
#include "sim/redis/surroundings.h"
#include "sim/redis/watcher.h"

namespace interlock::sim::redis {

class Sentinel;

class Engine {
 public:
  Engine();
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void Reset(const Config& config);
  ClientId Connect(std::string_view address);
  void Disconnect(ClientId id);
  void SetTime(std::int64_t unix_us);
  void Execute(ClientId id, const Argv& argv);
  std::optional<std::int64_t> NextTimerUs() const;
  void RunTimers();

  /// To the client's connection, or into the array of the EXEC that it is running.
  void Emit(Client& client, Value value) { Deliver(client, value); }
  void Emit(ClientId id, Value value);
  /// The server hangs up.
  void Close(Client& client);
  /// Runs a command's handler with the client's other checks already passed, and journals its
  /// effects. `reply` is the caller's, so that it can keep its memory; whatever it was, it is the
  /// reply afterwards. False: there is no reply now.
  bool Run(Client& client, const Command& command, Arguments args, Value* reply);
  void SetUnmodelled(std::string_view what);
  /// For commands that choose at random: less than the bound. REQUIRES: bound >= 1.
  std::uint64_t Choose(std::uint64_t bound);
  void DiscardTransaction(Client& client);
  /// Executes an effect of another server, or of the append-only file: nobody gets a reply.
  void RunEffect(const Effect& effect);
  /// Behind everything that may have changed data: effects reach the disk, waiters are served.
  void AfterCommand();
  /// The process ends; the disk, the configuration and the clock stay.
  void CloseAll();
  void Kill(const Server::Crash& crash);
  void Start(std::int64_t loading_us);
  /// To be called when the role, or what the configuration says about it, has changed.
  void OnRoleChanged();
  void UpdateJournal();
  void UpdateExpiryMode();

  const Config& config() const { return config_; }
  void SetConfig(const Config& changed);

  /// When this process began: the clock at the first connection.
  std::int64_t start_us() const { return start_us_; }
  std::int64_t now_ms() const { return keyspace.now_ms(); }

  Sink* sink = nullptr;
  std::int64_t now_us = 0;
  Server::Random random;           // Null: a sequence of its own.
  Watcher watcher;                 // Null: nobody.
  std::function<void()> shutdown;  // Null: SHUTDOWN is not modelled.
  EncodingLimits encoding_limits;
  int highest_protocol = 3;
  bool unmodelled_is_error = false;
  bool active_expiry = true;  // DEBUG SET-ACTIVE-EXPIRE
  bool caller_acts = false;   // ShowParameter is at work.
  bool unreplicated = false;  // Messages between servers reach nobody.
  BuffersOf buffers_of;       // Null: they are empty.
  std::size_t script_memory = std::size_t{256} << 20;
  bool remembers_scripts = false;  // See Dialogues; nobody can tell but by the time it takes.
  std::optional<std::string> unmodelled;
  ClientTable clients;
  Admission admission{*this};
  Stall stall{*this};
  ScriptTurn script_turn{*this};
  KeyspaceEvents events{*this};
  Keyspace keyspace;
  Journal journal;
  Persistence persistence;
  Replication replication;
  Sentinel* sentinel = nullptr;  // It is one, and its commands are other ones.
  std::uint64_t identity = 0;    // Makes the ids of its runs differ from those of other servers.
  Blocking blocking;
  Pause pause;
  Memory memory;
  Statistics statistics;
  PubSub pubsub;
  Scripting scripting;
  Cluster cluster;

 private:
  void ExecuteNow(Client& client, const Argv& argv);
  void Process(Client& client, Arguments args);
  /// True: something was met that is not modelled, and the client has been told.
  bool AnswerUnmodelled(Client& client);
  /// As Emit; may change the value, or take it away.
  void Deliver(Client& client, Value& value);
  void Send(Client& client, Value& value);
  void NoteHidden(const Command& command) const;
  void Count(const Client& client, const Command& command, const Value& reply,
             std::int64_t errors_before, const Keyspace::Lookups& lookups);
  void RunPending(Client* client);
  void ForgetProcess();
  void SettleEffects();

  Config config_;
  Client effects_client_;  // Runs effects.
  std::uint64_t starts_ = 0;

  Value reply_;                          // The present top-level command's, kept for its memory.
  std::vector<std::string_view> words_;  // A command's, kept for their memory.
  std::int64_t start_us_ = 0;
  bool limit_changed_ = false;  // Keys may have to go once the command is over.

  std::uint64_t random_state_ = 0;
};

}  // namespace interlock::sim::redis
