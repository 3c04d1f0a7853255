// SPDX-License-Identifier: MIT
//
// A served Redis: the fake behind many connections, on one thread. Work is done in turns: whatever
// has arrived is executed, then every connection's replies are written at once, and only then is
// more read.
//
// Hazard: a script that runs for too long calls back (PollWhileBusy), and then other connections'
// handlers run inside it. So nothing that a handler needs may live in a list that another walks,
// and what would take the fake apart waits until nothing is on the stack.
//
// Thread safety: none; all on the thread of the io_context.
#pragma once

#include <cstdint>
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

#include "scenarios/cli/serve_clock.h"
#include "scenarios/cli/serve_control.h"
#include "scenarios/cli/serve_faults.h"
#include "scenarios/cli/serve_options.h"
#include "scenarios/serve/connection.h"

namespace interlock::scenarios::cli {

class Service : private serve::Connection::Owner, private ControlTarget, private sim::redis::Sink {
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
  void Add(serve::Socket socket, std::string peer);
  /// What a client's SHUTDOWN does. REQUIRES: called before Start.
  void SetShutdown(std::function<void()> shutdown) { shutdown_ = std::move(shutdown); }
  /// So many commands are on the stack: a busy script lets others run inside it.
  int depth() const { return depth_; }

 private:
  using Clients = std::unordered_map<sim::redis::ClientId, serve::Connection*>;

  void OnBytes(serve::Connection& connection) override;
  void OnGone(serve::Connection& connection) override;

  void OnReply(sim::redis::ClientId client, const sim::redis::Value& value) override;
  void OnClosed(sim::redis::ClientId client) override;

  std::int64_t RealUs() const override;
  void ClockMoved() override;
  void StallUntil(std::int64_t unix_us) override { stalled_until_us_ = unix_us; }
  void EndStall() override;
  std::optional<std::int64_t> stalled_until_us() const override { return stalled_until_us_; }
  bool down() const override { return down_; }
  std::optional<std::int64_t> down_until_us() const override { return down_until_us_; }
  bool HalfOpen(sim::redis::ClientId client) override;
  bool Crash(bool power_lost, std::optional<std::int64_t> until_us) override;
  bool Restart() override;

  // Commands.
  void PollInsideScript();
  void Serve(serve::Connection& connection);
  bool ServeNext(serve::Connection& connection);
  void Dispatch(serve::Connection& connection, sim::redis::Argv& argv);
  void Steer(serve::Connection& connection, const sim::redis::Argv& argv);
  void Strike(serve::Connection& connection, const sim::redis::Argv& argv,
              const CommandFault& fault);
  void Execute(serve::Connection& connection, const sim::redis::Argv& argv);
  void Reply(serve::Connection& connection, const sim::redis::Value& value);

  // Connections.
  serve::Connection* Find(sim::redis::ClientId client);
  void Register(serve::Connection& connection);
  void Forget(serve::Connection& connection);
  void HangUp(serve::Connection& connection, bool reset);
  void Hold(serve::Connection& connection, sim::redis::Argv argv,
            std::optional<std::int64_t> until_us);
  void CheckOutputLimit(serve::Connection& connection);

  // Turns and time.
  void AddToTurn(serve::Connection& connection);
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
  sim::redis::Server server_;
  ServeClock clock_;
  FaultPlan faults_;
  Control control_;
  std::function<void()> shutdown_;
  std::mt19937_64 random_{std::random_device()()};

  std::map<std::uint64_t, std::shared_ptr<serve::Connection>> connections_;  // By serial number.
  Clients clients_;
  std::uint64_t last_serial_ = 0;
  serve::Connection* current_ =
      nullptr;     // Its command is being executed, by the fake or by control_.
  int depth_ = 0;  // So many commands are on the stack.

  std::vector<std::shared_ptr<serve::Connection>>
      turn_;  // Have replies to write, or may read again.
  std::vector<std::shared_ptr<serve::Connection>>
      waiting_;  // Have input; their clients are blocked.
  std::vector<std::shared_ptr<serve::Connection>>
      held_;  // In the order in which they were held back.
  bool turn_posted_ = false;

  std::optional<std::int64_t> stalled_until_us_;  // On the server's clock.
  bool down_ = false;
  std::optional<std::int64_t> down_until_us_;

  boost::asio::basic_waitable_timer<std::chrono::steady_clock> timer_;
  std::optional<std::chrono::steady_clock::time_point> timer_at_;
  std::chrono::steady_clock::time_point next_cron_;
};

}  // namespace interlock::scenarios::cli
