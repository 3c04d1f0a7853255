// SPDX-License-Identifier: MIT
//
// A served Redis: the fake with many connections, on one thread. Work is done in turns: whatever
// has arrived is executed, then every connection's replies are written at once, and only then is
// more read.
//
// Asio's handlers only note what is due, and RunDue does it when none of them is on the stack:
// otherwise a script that runs for too long would poll the loop from inside one of its handlers,
// whose own work Asio counts only when it returns, so that the loop could run out of work.
//
// Hazard: such a script calls back (PollInsideScript), and then what other connections have sent is
// executed inside it. So nothing that this needs may live in a list that somebody walks, and what
// would take the fake apart waits until nothing is on the stack.
//
// Thread safety: none; all on the thread of the io_context.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sim/serve/clients.h"
#include "sim/serve/clock.h"
#include "sim/serve/connection.h"
#include "sim/serve/control.h"
#include "sim/serve/control_gate.h"
#include "sim/serve/faults.h"
#include "sim/serve/held_back.h"
#include "sim/serve/options.h"
#include "sim/serve/server_life.h"
#include "sim/serve/turn_timer.h"

namespace interlock::sim::serve {

class Service : private Connection::Owner, private ControlTarget, private redis::Sink {
 public:
  Service(boost::asio::io_context& io, const ServeOptions& options);
  ~Service() override;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Sets the fake's parameters as the options say, and the port that it has got. nullopt, or which
  /// one it does not take.
  [[nodiscard]] std::optional<std::string> Configure(int port);
  /// REQUIRES: Configure has succeeded.
  void Start() { timer_.Start(); }
  void Add(Socket socket, std::string peer);
  /// Does what the loop's handlers have noted. REQUIRES: called after each of them, outside of it.
  void RunDue();
  /// What a client's SHUTDOWN does. REQUIRES: called before Start.
  void SetShutdown(std::function<void()> shutdown) { shutdown_ = std::move(shutdown); }
  /// How many commands are on the stack: a busy script lets others run inside it.
  int depth() const { return depth_; }

 private:
  void OnBytes(Connection& connection) override;
  void OnGone(Connection& connection) override;

  void OnReply(redis::ClientId client, redis::Value& value) override;
  void OnClosed(redis::ClientId client) override;

  std::int64_t RealUs() const override { return ServerLife::RealUs(); }
  void ClockMoved() override;
  void StallUntil(std::int64_t unix_us) override { life_.StallUntil(unix_us); }
  void EndStall() override;
  std::optional<std::int64_t> stalled_until_us() const override { return life_.stalled_until_us(); }
  bool down() const override { return life_.down(); }
  std::optional<std::int64_t> down_until_us() const override { return life_.down_until_us(); }
  bool HalfOpen(redis::ClientId client) override;
  bool Crash(bool power_lost, std::optional<std::int64_t> until_us) override;
  bool Restart() override;

  // Commands.
  void PollInsideScript();
  void Serve(Connection& connection);
  bool ServeNext(Connection& connection);
  void Dispatch(Connection& connection, redis::Argv& argv);
  void Steer(Connection& connection, const redis::Argv& argv);
  void Strike(Connection& connection, const redis::Argv& argv, const CommandFault& fault);
  void Execute(Connection& connection, const redis::Argv& argv);
  void Reply(Connection& connection, const redis::Value& value);

  // Connections.
  Connection* Find(redis::ClientId client);
  void HangUp(Connection& connection, bool reset);
  void CheckOutputLimit(Connection& connection);

  // Turns and time.
  void AddToTurn(Connection& connection);
  void PostTurn();
  void EndTurn();
  void ResumeWaiting();
  void ReleaseHeld();
  void CatchUp(bool expire);
  void OnTimer();
  void ScheduleTimer();

  boost::asio::io_context& io_;
  const ServeOptions options_;
  redis::Server server_;
  ServeClock clock_;
  ServerLife life_;
  CommandFaultPlan faults_{*options_.dialect};
  Control control_;
  std::function<void()> shutdown_;
  const ControlGate gate_;
  std::mt19937_64 random_{std::random_device()()};

  Clients clients_;
  Connection* current_ = nullptr;  // Its command is being executed, by the fake or by control_.
  int depth_ = 0;                  // So many commands are on the stack.

  std::deque<std::shared_ptr<Connection>> arrived_;   // Have new input.
  std::vector<std::shared_ptr<Connection>> turn_;     // Have replies to write, or may read again.
  std::vector<std::shared_ptr<Connection>> waiting_;  // Have input; their clients are blocked.
  HeldBack held_;
  bool turn_posted_ = false;
  bool turn_due_ = false;
  bool timer_due_ = false;

  TurnTimer timer_;
};

}  // namespace interlock::sim::serve
