// SPDX-License-Identifier: MIT
//
// The inside of the server: clients, the order of checks in front of every command, and what
// happens behind it (its effects are journalled, blocked clients are served). Commands see it
// through their Context.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/blocking.h"
#include "sim/redis/client.h"
#include "sim/redis/cluster.h"
#include "sim/redis/command_table.h"
#include "sim/redis/config.h"
#include "sim/redis/context.h"
#include "sim/redis/journal.h"
#include "sim/redis/keyspace.h"
#include "sim/redis/memory.h"
#include "sim/redis/pause.h"
#include "sim/redis/persistence.h"
#include "sim/redis/pubsub.h"
#include "sim/redis/replication.h"
#include "sim/redis/scripting/scripting.h"
#include "sim/redis/server.h"
#include "sim/redis/statistics.h"
#include "sim/redis/surroundings.h"
#include "sim/redis/watcher.h"

namespace interlock::sim::redis {

class Sentinel;

class Engine : private KeyspaceListener {
 public:
  Engine();
  ~Engine() override;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void Reset(const Config& config);
  ClientId Connect(std::string_view address);
  void Disconnect(ClientId id);
  Client* FindClient(ClientId id);
  /// By id - 1; null where a client is gone.
  const std::vector<std::unique_ptr<Client>>& clients() const { return clients_; }
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
  /// Publishes a keyspace event if notify-keyspace-events asks for it.
  void Notify(NotifyClass type, std::string_view event, int database, std::string_view key);
  /// The server does nothing at all for so long (DEBUG SLEEP): replies and commands wait.
  void Stall(std::int64_t us);
  bool Stalled() const { return now_us < stalled_until_us_; }
  /// A script runs, and this client's command has to wait for its end.
  bool ScriptInTheWay(ClientId id) const {
    return script_running_ && (!script_busy_ || id == script_client_);
  }
  /// Around a script: until its end other clients' commands wait, or once it is busy get BUSY.
  void BeginScript(const Client& client);
  void EndScript();
  bool script_running() const { return script_running_; }
  /// It runs for so long that other clients are told.
  bool script_busy() const { return script_busy_; }
  /// Called now and then from inside a script. False: nobody looks after long scripts.
  bool OnLongScript();
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
  /// Why this server runs no script now, or not this command of one; empty: it does.
  std::string_view RefuseScript() const;
  std::string_view RefuseInScript(const Command& command, bool has_written, bool allow_oom) const;

  const Config& config() const { return config_; }
  void SetConfig(const Config& changed);

  std::size_t connected_clients() const { return connected_clients_; }
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
  std::function<void()> long_script_handler;
  std::size_t script_memory = std::size_t{256} << 20;
  bool remembers_scripts = false;  // See Dialogues; nobody can tell but by the time it takes.
  std::optional<std::string> unmodelled;
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
  void OnAdded(int database, std::string_view key) override;
  void OnExpired(int database, std::string_view key) override;
  void ExecuteNow(Client& client, const Argv& argv);
  void Process(Client& client, Arguments args);
  /// True: something was met that is not modelled, and the client has been told.
  bool AnswerUnmodelled(Client& client);
  bool Refuse(Client& client, Arguments args, const Command* command, bool container);
  bool NothingInTheWay(const Client& client, const Command& command, Arguments args) const;
  std::string RefusalBeforeKeys(const Client& client, const Command& command, Arguments args) const;
  bool OutOfMemory(const Client& client, const Command& command, Arguments args);
  void Reject(Client& client, const Command* command, std::string_view error);
  /// As Emit; may change the value, or take it away.
  void Deliver(Client& client, Value& value);
  void Send(Client& client, Value& value);
  void NoteHidden(const Command& command) const;
  void Count(const Client& client, const Command& command, const Value& reply,
             std::int64_t errors_before, const Keyspace::Lookups& lookups);
  void RunPending(Client* client);
  void EndStall();
  void RunDelayed();
  void ForgetProcess();
  void SettleEffects();
  std::uint32_t EffectiveFlags(const Client& client, const Command& command, Arguments args) const;
  std::string_view RefuseWrite(const Client& client, const Command& command,
                               std::uint32_t flags) const;
  std::string_view RefuseService(std::uint32_t flags) const;
  bool Impaired() const;

  Config config_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<Client>> spare_;
  Client effects_client_;  // Runs effects.
  std::uint64_t starts_ = 0;

  Value reply_;                          // Of the present top-level command, for its memory.
  std::vector<std::string_view> words_;  // Of a command, for their memory.
  std::size_t connected_clients_ = 0;
  std::int64_t start_us_ = 0;
  bool limit_changed_ = false;  // Keys may have to go once the command is over.
  bool out_of_memory_ = false;  // When the present top-level command began.

  std::uint64_t random_state_ = 0;
  bool script_running_ = false;
  bool script_busy_ = false;
  ClientId script_client_ = 0;
  std::int64_t script_start_ms_ = 0;

  std::int64_t stalled_until_us_ = 0;
  std::vector<std::pair<ClientId, Value>> stalled_output_;
  std::deque<std::pair<ClientId, Argv>> stalled_input_;
};

}  // namespace interlock::sim::redis
