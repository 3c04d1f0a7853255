// SPDX-License-Identifier: MIT
//
// One connection as the server sees it.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/redis/blocking.h"
#include "sim/redis/server.h"
#include "sim/redis/tracking.h"

namespace interlock::sim::redis {

struct Command;

/// CLIENT REPLY: kSkipNext is "SKIP" until the next command begins, and kSkipBlocked, if that one
/// blocks, until its late reply has been skipped.
enum class Replies : std::uint8_t { kOn, kOff, kSkipNext, kSkip, kSkipBlocked };

struct Client {
  ClientId id = 0;
  std::string address;  // "127.0.0.1:50000"
  std::int64_t connected_ms = 0;
  std::int64_t last_command_ms = 0;
  const Command* last_command = nullptr;

  int protocol = 2;  // RESP2 or RESP3.
  Replies replies = Replies::kOn;
  int database = 0;
  bool authenticated = true;
  bool no_evict = false;
  bool no_touch = false;  // Its look-ups are no accesses, but for TOUCH.
  std::string name;
  std::string library;  // CLIENT SETINFO
  std::string library_version;
  bool follows_redirects = false;  // CLIENT CAPA redirect
  bool knows_multi = false;        // It has sent MULTI or WATCH at some time.
  std::int64_t commands = 0;       // Those that are over; counted for Valkey alone, as is
  std::size_t bytes_received = 0;  // what they took as arrays of RESP,
  std::size_t bytes_sent = 0;      // and what was sent.

  bool asking = false;         // ASKING: the next command may use a slot being imported.
  bool reads_replica = false;  // READONLY: a cluster's replica serves it.

  bool in_multi = false;
  bool queue_failed = false;  // EXEC will answer EXECABORT.
  std::vector<Argv> queue;
  // Flags that one of these had when it was queued, and those that each had.
  std::uint32_t flags_of_some = 0;
  std::uint32_t flags_of_all = ~std::uint32_t{0};

  std::set<std::string, std::less<>> channels;
  std::vector<std::string> patterns;  // In order of subscription.
  std::set<std::string, std::less<>> shard_channels;
  TrackingMode tracking;

  std::optional<Wait> wait;  // Set while blocked.
  bool postponed = false;    // By CLIENT PAUSE: the first of `pending` will run after it.
  std::list<Argv> pending;   // Commands that arrived while blocked or postponed.
  bool catches_up = false;   // It is running one of them.

  std::int64_t last_write_offset = 0;  // In the journal: what WAIT waits for.
  std::uint64_t last_write_unit = 0;   // The same as a number of units: WAITAOF, on this server.

  bool close_after_reply = false;  // To the command that it is running.

  bool must_not_block = false;             // Inside EXEC or a script.
  bool in_script = false;                  // A script runs its commands.
  bool from_master = false;                // Its commands are the master's effects.
  std::vector<Value>* captured = nullptr;  // Inside EXEC: collects its output as elements.

  bool wants_replies() const { return replies == Replies::kOn || replies == Replies::kSkipNext; }
  bool subscribed() const {
    return !channels.empty() || !patterns.empty() || !shard_channels.empty();
  }
};

}  // namespace interlock::sim::redis
