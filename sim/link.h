// SPDX-License-Identifier: MIT
//
// One connection between a client process and a server, with its traffic in flight. Plain data: the
// Network moves it. Both directions are FIFO, like TCP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/faults.h"
#include "sim/redis/server.h"
#include "sim/reusable_queue.h"
#include "sim/timer_queue.h"
#include "sim/trace.h"

namespace interlock::sim {

struct Process;
struct ScheduledTask;

/// From client to server.
struct Request {
  enum class Kind : std::uint8_t { kOpen, kCommand, kClose };
  Kind kind = Kind::kCommand;
  redis::Argv argv;
  std::uint64_t hash = 0;
  std::uint64_t number = 0;         // for a command: how many its process has sent so far
  VirtualTime arrival{};            // max(): it never arrives
  std::vector<Fault> reply_faults;  // take effect when its reply is made
};

/// From server to client.
struct Message {
  enum class Kind : std::uint8_t { kOpened, kReply, kPush, kClosed, kReset };
  Kind kind = Kind::kReply;
  redis::Value value;
  int protocol = 2;  // of RESP, for its bytes
  std::uint64_t hash = 0;
  std::uint64_t number = 0;  // for a reply, and a reset in place of one: its command's
  VirtualTime arrival{};
};

struct Link {
  std::uint32_t id = 0;
  Process* process = nullptr;
  int node = 0;        // index of the server
  bool bytes = false;  // its client reads a stream of bytes, which may be RESP3
  int protocol = 2;    // what the server has spoken last; 3 only if it is of bytes

  // Oldest unanswered request first: `executed` of them were given to the server, `arrived` have
  // reached it (those not executed wait for a blocked one), the others are in flight.
  ReusableQueue<Request> requests;
  std::size_t arrived = 0;
  std::size_t executed = 0;
  VirtualTime last_request_arrival{};
  TimerId request_timer = kNoTimer;

  // The first `delivered` have reached the client and wait to be read.
  ReusableQueue<Message> messages;
  std::size_t delivered = 0;
  VirtualTime last_message_arrival{};
  TimerId message_timer = kNoTimer;

  bool server_open = false;  // the server knows this client
  redis::ClientId client = 0;
  bool blocked = false;  // its last executed request is a blocked command
  TimerId server_close_timer = kNoTimer;

  bool established = false;     // the client knows that it is connected
  bool client_gone = false;     // the client closed it, or died
  bool close_sent = false;      // the server will see, or has seen, the close
  const char* broke = nullptr;  // why the client's next use of it fails; null: it does not
  TimerId client_break_timer = kNoTimer;
  ScheduledTask* reader = nullptr;  // waits for a message

  VirtualTime silent_since{};
  bool silent = false;       // anything sent from now on, either way, is lost
  bool machine_off = false;  // silent because the server's machine has no power
  bool delayed = false;      // a delay fault took effect
};

}  // namespace interlock::sim
