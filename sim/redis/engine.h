// SPDX-License-Identifier: MIT
//
// The inside of the server: clients, the checks before every command, and what follows it
// (journalling its effects, serving blocked clients). Commands access it through their Context.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/admission.h"
#include "sim/redis/blocking.h"
#include "sim/redis/client.h"
#include "sim/redis/client_table.h"
#include "sim/redis/cluster.h"
#include "sim/redis/command_table.h"
#include "sim/redis/config.h"
#include "sim/redis/context.h"
#include "sim/redis/dialect.h"
#include "sim/redis/dice.h"
#include "sim/redis/journal.h"
#include "sim/redis/keyspace.h"
#include "sim/redis/keyspace_events.h"
#include "sim/redis/memory.h"
#include "sim/redis/outbox.h"
#include "sim/redis/pause.h"
#include "sim/redis/persistence.h"
#include "sim/redis/pubsub.h"
#include "sim/redis/replication.h"
#include "sim/redis/script_turn.h"
#include "sim/redis/scripting/libraries.h"
#include "sim/redis/scripting/scripting.h"
#include "sim/redis/server.h"
#include "sim/redis/stall.h"
#include "sim/redis/statistics.h"
#include "sim/redis/surroundings.h"
#include "sim/redis/tracking.h"
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

  /// Whose command runs; 0: nobody's. Messages to it may have to wait for the end of the command.
  ClientId executing() const { return executing_; }
  /// Whose turn it is, from the checks before its command to the service of those it has woken.
  ClientId current() const { return current_; }
  /// Whose command changes the keys at present; 0: a script's, or the server changes them itself.
  ClientId author() const { return author_; }
  /// Serves one that was blocked; since Redis 7.2 as if it ran its command again.
  template <typename Serve>
  void ServeAs(ClientId id, Serve serve) {
    const ClientId author = std::exchange(author_, id);
    const ClientId current = std::exchange(current_, dialect().since_72 ? id : current_);
    executing_ = id;
    serve();
    executing_ = 0;
    TellCaller(id);
    current_ = current;
    author_ = author;
  }
  /// Sends what its command has caused for the client itself.
  void TellCaller(ClientId id) {
    const ClientId executing = std::exchange(executing_, 0);
    pubsub.TellCaller(id);
    tracking.TellCaller(id);
    executing_ = executing;
  }
  /// The server closes the connection.
  void Close(Client& client);
  /// Runs a command's handler after the client's other checks have passed, and journals its
  /// effects. `reply` is reused for its memory; its previous content is ignored. Returns false if
  /// there is no reply now.
  bool Run(Client& client, const Command& command, Arguments args, Value* reply);
  void SetUnmodelled(std::string_view what) {
    if (!unmodelled) unmodelled.emplace(what);
  }
  void DiscardTransaction(Client& client);
  /// Executes an effect of another server, or of the append-only file, without a reply to anybody.
  void RunEffect(const Effect& effect);
  /// Called after anything that may have changed data: effects reach the disk, waiters are served.
  void AfterCommand();
  /// A turn of the event loop is over.
  void EndTurn() {
    if (!stall.active()) tracking.EndTurn();
  }
  /// The process ends; the disk, the configuration and the clock stay.
  void CloseAll();
  void Kill(const Server::Crash& crash);
  void Start(std::int64_t loading_us);
  /// Call when the role, or its configuration, has changed.
  void OnRoleChanged();
  void UpdateJournal();
  void UpdateExpiryMode();

  const Config& config() const { return config_; }
  /// Of which server it takes on the behaviour.
  const Dialect& dialect() const { return *dialect_; }
  /// REQUIRES: followed by Reset.
  void SetDialect(const Dialect& dialect);
  void SetConfig(const Config& changed);

  /// When this process began: the clock at the first connection.
  std::int64_t start_us() const { return start_us_; }
  std::int64_t now_ms() const { return keyspace.now_ms(); }

  Sink* sink = nullptr;
  std::int64_t now_us = 0;
  Watcher watcher;                 // Null: none.
  std::function<void()> shutdown;  // Null: SHUTDOWN is not modelled.
  EncodingLimits encoding_limits;
  int highest_protocol = 3;
  bool unmodelled_is_error = false;
  bool active_expiry = true;  // DEBUG SET-ACTIVE-EXPIRE
  bool caller_acts = false;   // ShowParameter is running.
  bool unreplicated = false;  // Messages between servers reach nobody.
  BuffersOf buffers_of;       // Null: they are empty.
  std::size_t script_memory = std::size_t{256} << 20;
  bool runs_all_in_lua = false;                  // See QuickRun; affects only running time.
  std::uint64_t script_random = kInitialRandom;  // Of math.random, in scripts and functions.
  std::optional<std::string> unmodelled;
  ClientTable clients;
  Outbox outbox{*this};
  Dice dice{*this};
  Admission admission{*this};
  Stall stall{*this};
  ScriptTurn script_turn{*this};
  KeyspaceEvents events{*this};
  Keyspace keyspace;
  Journal journal;
  Persistence persistence;
  Replication replication;
  Sentinel* sentinel = nullptr;  // Set if this server is a Sentinel, with other commands.
  std::uint64_t identity = 0;    // Distinguishes the ids of its runs from other servers'.
  Blocking blocking;
  Pause pause;
  Memory memory;
  Statistics statistics;
  PubSub pubsub;
  Tracking tracking;
  bool long_turns = false;  // A turn does not end with each command.
  Scripting scripting;
  Libraries libraries;
  Cluster cluster;

 private:
  void ExecuteNow(Client& client, const Argv& argv);
  void Process(Client& client, Arguments args);
  /// True: something unmodelled was met, and the client has been told.
  bool AnswerUnmodelled(Client& client);
  void NoteHidden(const Command& command) const;
  void RunPending(Client* client);
  void ForgetProcess();
  void SettleEffects();

  const Dialect* dialect_ = &DefaultDialect();
  Config config_;
  Client effects_client_;  // Runs effects.
  std::uint64_t starts_ = 0;

  Value reply_;  // For the present top-level command; reused for its memory.
  std::vector<std::string_view> words_;  // For a command; reused for its memory.
  ClientId executing_ = 0;
  ClientId current_ = 0;
  ClientId author_ = 0;
  std::int64_t start_us_ = 0;
  bool limit_changed_ = false;  // Keys may have to be evicted after the command.
};

}  // namespace interlock::sim::redis
