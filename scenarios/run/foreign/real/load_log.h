// SPDX-License-Identifier: MIT
//
// What a relay sees of clients that contend for a lock, as the log from which a measurement's
// figures are made (see run/load/measure.h).
//
// A request begins with the first command after a release, and is granted by INTERLOCK.ENTER.
// INTERLOCK.LEAVE begins the release, which ends with the reply to the next command (of the script
// itself, if the server did not know its hash). Non-guarantee: of a release of several commands,
// those after the first count as waiting; of sections inside sections only the outer one counts.
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <interlock/runtime.h>

#include "scenarios/log/event.h"
#include "scenarios/run/foreign/real/relay.h"

namespace interlock::scenarios::drive {

class LoadLog final : public RelayObserver {
 public:
  /// `runtime` outlives it.
  LoadLog(int clients, Runtime& runtime);

  void OnPassed(const Parked& command) override;
  void OnReply(const Parked& to, const sim::redis::Value& reply, bool ordered) override;
  void OnMessage(int client) override;

  /// How many sections were entered.
  std::uint64_t entries() const { return entries_; }
  /// How many sections there are, by name.
  int sections() const { return static_cast<int>(sections_.size()); }
  /// All events, in order, with times that count from `began`.
  EventLog TakeFrom(MonotonicTime began);

 private:
  enum class Doing : std::uint8_t { kNothing, kAsking, kInside, kReleasing };
  struct Client {
    Doing doing = Doing::kNothing;
    std::size_t ask = 0;  // the event
    std::string section;
    bool release_sent = false;
    /// By connection: commands without a reply.
    std::map<std::uint64_t, std::deque<std::string>> sent;
  };

  Client& Of(int client) { return clients_[static_cast<std::size_t>(client)]; }
  void Note(int client, EventKind kind, EventDetails details = {}, int resource = 0);
  int Number(const std::string& section);
  void Ask(int client);
  void Enter(int client, const std::string& section);
  void Leave(int client, const std::string& section);
  void Released(int client);

  Runtime& runtime_;
  std::vector<Client> clients_;
  std::map<std::string, int> sections_;
  std::uint64_t entries_ = 0;
  EventLog events_;
};

}  // namespace interlock::scenarios::drive
