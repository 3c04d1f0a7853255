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
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/steady_timer.hpp>

#include "sim/serve/clock.h"
#include "sim/serve/connection.h"
#include "sim/serve/control.h"
#include "sim/serve/faults.h"
#include "sim/serve/options.h"

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
  void Start();
  void Add(Socket socket, std::string peer);
  /// Does what the loop's handlers have noted. REQUIRES: called after each of them, outside of it.
  void RunDue();
  /// What a client's SHUTDOWN does. REQUIRES: called before Start.
  void SetShutdown(std::function<void()> shutdown) { shutdown_ = std::move(shutdown); }
  /// How many commands are on the stack: a busy script lets others run inside it.
  int depth() const { return depth_; }

 private:
  using Clients = std::unordered_map<redis::ClientId, Connection*>;

  void OnBytes(Connection& connection) override;
  void OnGone(Connection& connection) override;

  void OnReply(redis::ClientId client, redis::Value& value) override;
  void OnClosed(redis::ClientId client) override;

  std::int64_t RealUs() const override;
  void ClockMoved() override;
  void StallUntil(std::int64_t unix_us) override { stalled_until_us_ = unix_us; }
  void EndStall() override;
  std::optional<std::int64_t> stalled_until_us() const override { return stalled_until_us_; }
  bool down() const override { return down_; }
  std::optional<std::int64_t> down_until_us() const override { return down_until_us_; }
  bool HalfOpen(redis::ClientId client) override;
  bool Crash(bool power_lost, std::optional<std::int64_t> until_us) override;
  bool Restart() override;

  // Commands.
  void ShowSurroundings(int port);
  void PollInsideScript();
  void Serve(Connection& connection);
  bool ServeNext(Connection& connection);
  void Dispatch(Connection& connection, redis::Argv& argv);
  void Steer(Connection& connection, const redis::Argv& argv);
  bool MaySteer(Connection& connection);
  void AuthenticateWhileDown(Connection& connection, const redis::Argv& argv);
  void Strike(Connection& connection, const redis::Argv& argv, const CommandFault& fault);
  void Execute(Connection& connection, const redis::Argv& argv);
  void Reply(Connection& connection, const redis::Value& value);

  // Connections.
  Connection* Find(redis::ClientId client);
  void Register(Connection& connection);
  void Forget(Connection& connection);
  void HangUp(Connection& connection, bool reset);
  void Hold(Connection& connection, redis::Argv argv, std::optional<std::int64_t> until_us);
  void CheckOutputLimit(Connection& connection);

  // Turns and time.
  void AddToTurn(Connection& connection);
  void PostTurn();
  void EndTurn();
  void ResumeWaiting();
  void ReleaseHeld();
  void SetServerTime();
  void CatchUp(bool expire);
  std::optional<std::int64_t> NextDueUs() const;
  void OnTimer();
  void ScheduleTimer();

  boost::asio::io_context& io_;
  const ServeOptions options_;
  redis::Server server_;
  ServeClock clock_;
  CommandFaultPlan faults_;
  Control control_;
  std::function<void()> shutdown_;
  bool guarded_ = false;  // Control commands ask for the password.
  std::mt19937_64 random_{std::random_device()()};

  std::map<std::uint64_t, std::shared_ptr<Connection>> connections_;  // By serial number.
  Clients clients_;
  std::uint64_t last_serial_ = 0;
  Connection* current_ = nullptr;  // Its command is being executed, by the fake or by control_.
  int depth_ = 0;                  // So many commands are on the stack.

  std::deque<std::shared_ptr<Connection>> arrived_;   // Have new input.
  std::vector<std::shared_ptr<Connection>> turn_;     // Have replies to write, or may read again.
  std::vector<std::shared_ptr<Connection>> waiting_;  // Have input; their clients are blocked.
  std::vector<std::shared_ptr<Connection>> held_;     // In the order in which they were held back.
  bool turn_posted_ = false;
  bool turn_due_ = false;
  bool timer_due_ = false;

  std::optional<std::int64_t> stalled_until_us_;  // On the server's clock.
  bool down_ = false;
  std::optional<std::int64_t> down_until_us_;

  boost::asio::basic_waitable_timer<std::chrono::steady_clock> timer_;
  std::optional<std::chrono::steady_clock::time_point> timer_at_;
  std::chrono::steady_clock::time_point next_cron_;
};

}  // namespace interlock::sim::serve
