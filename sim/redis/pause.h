// SPDX-License-Identifier: MIT
//
// CLIENT PAUSE: which commands are held, until when, and in which order they run afterwards. During
// a pause no key expires.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

class Engine;
struct Client;

class Pause {
 public:
  enum class Scope : std::uint8_t { kNothing, kWrites, kAll };

  explicit Pause(Engine& engine) : engine_(engine) {}
  void Reset();
  /// A second pause never shortens or narrows the first one.
  void Begin(Scope scope, std::int64_t end_ms, std::string_view reason);
  /// Runs the held commands in order of arrival, after the present one.
  void End();
  bool active() const { return scope_ != Scope::kNothing; }
  /// Of the one that lasts longest, as INFO says it: "client_pause"; "none" without a pause.
  std::string_view reason() const { return active() ? reason_ : "none"; }
  /// As INFO says it: "none", "write" or "all".
  std::string_view ScopeName() const;
  /// How long it has yet to last.
  std::int64_t RemainingMs() const;
  /// Whether it holds a command with these CommandFlags.
  bool Holds(std::uint32_t flags) const;
  /// Keeps the command, ahead of what this client sends after it.
  void Hold(Client& client, Argv argv);
  /// When RunTimers ends it.
  std::optional<std::int64_t> DeadlineMs() const;
  void RunTimers();

 private:
  Engine& engine_;
  Scope scope_ = Scope::kNothing;
  std::int64_t end_ms_ = 0;
  std::string_view reason_;
  std::vector<ClientId> held_;
};

}  // namespace interlock::sim::redis
