// SPDX-License-Identifier: MIT
//
// The service's turns, and everything driven by time: timeouts, expiry, the end of stalls and
// delays.
#include <algorithm>
#include <chrono>
#include <utility>

#include <boost/asio/post.hpp>

#include "sim/serve/service.h"
#include "sim/serve/timers.h"

namespace interlock::sim::serve {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Corresponds to the default hz of redis-server.
constexpr milliseconds kCronPeriod{100};

}  // namespace

void Service::Start() {
  next_cron_ = steady_clock::now() + kCronPeriod;
  ScheduleTimer();
}

std::int64_t Service::RealUs() const {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<microseconds>(now).count();
}

void Service::SetServerTime() { server_.SetTime(clock_.Now(RealUs())); }

void Service::AddToTurn(Connection& connection) {
  if (std::exchange(connection.notes.in_turn, true)) return;
  turn_.push_back(connection.shared_from_this());
  PostTurn();
}

void Service::PostTurn() {
  if (std::exchange(turn_posted_, true)) return;
  boost::asio::post(io_.get_executor(), [this] { turn_due_ = true; });
}

void Service::EndTurn() {
  turn_posted_ = false;
  ResumeWaiting();
  std::vector<std::shared_ptr<Connection>> turn;
  turn.swap(turn_);
  for (const auto& connection : turn) {
    connection->notes.in_turn = false;
    if (connection->notes.doomed && connection->open()) {
      HangUp(*connection, false);
    } else {
      connection->Flush();
    }
  }
  // Reading comes after all writing: by now the first clients may have responded, and an attempt
  // that finds nothing costs a system call.
  for (const auto& connection : turn) {
    if (connection->notes.executing == 0) connection->Read();
  }
  ScheduleTimer();
  turn.clear();
  if (turn_.empty()) turn_.swap(turn);
}

// Serves commands pipelined after one that blocked: the client may be free again.
void Service::ResumeWaiting() {
  if (waiting_.empty()) return;
  for (const auto& connection : std::exchange(waiting_, {})) {
    connection->notes.waiting = false;
    Serve(*connection);
  }
}

void Service::Hold(Connection& connection, redis::Argv argv, std::optional<std::int64_t> until_us) {
  connection.notes.held = std::move(argv);
  connection.notes.held_until_us = until_us;
  held_.push_back(connection.shared_from_this());
}

void Service::ReleaseHeld() {
  if (held_.empty()) return;
  for (const auto& connection : std::exchange(held_, {})) {
    Connection::Notes& notes = connection->notes;
    if (notes.hanging_up || !notes.held) continue;
    if (stalled_until_us_ || notes.held_until_us.value_or(INT64_MIN) > server_.time_us()) {
      held_.push_back(connection);
      continue;
    }
    const bool delayed = notes.held_until_us.has_value();
    redis::Argv argv = std::move(*notes.held);
    notes.held.reset();
    // A delayed command has met its fault already; one that a stall held back has not.
    if (delayed) {
      Execute(*connection, argv);
    } else {
      Dispatch(*connection, argv);
    }
    Serve(*connection);
    if (notes.abandoned && !notes.held && !notes.hanging_up) HangUp(*connection, false);
    AddToTurn(*connection);
  }
}

void Service::EndStall() {
  stalled_until_us_.reset();
  for (const auto& connection : held_) {
    if (connection->notes.held_until_us) connection->notes.held_until_us = INT64_MIN;
  }
  ClockMoved();
}

void Service::ClockMoved() {
  // Inside a script, work that falls due has to wait; the end of the turn takes care of it.
  if (depth_ == 0) CatchUp(true);
  PostTurn();
}

void Service::CatchUp(bool expire) {
  const std::int64_t now_us = clock_.Now(RealUs());
  if (stalled_until_us_ && *stalled_until_us_ <= now_us) stalled_until_us_.reset();
  if (down_until_us_ && *down_until_us_ <= now_us) Restart();
  if (!stalled_until_us_ && !down_) {
    RunTimersUntil(server_, now_us);
    if (expire) server_.RunActiveExpiry();
  }
  ReleaseHeld();
}

void Service::OnTimer() {
  timer_at_.reset();
  const bool cron = steady_clock::now() >= next_cron_;
  if (cron) {
    next_cron_ = steady_clock::now() + kCronPeriod;
    for (const auto& [serial, connection] : connections_) CheckOutputLimit(*connection);
  }
  if (depth_ == 0) CatchUp(cron);
  PostTurn();
}

// The next due time, on the server's clock; nullopt: nothing will fall due.
std::optional<std::int64_t> Service::NextDueUs() const {
  std::optional<std::int64_t> due_us;
  const auto consider = [&due_us](std::optional<std::int64_t> at_us) {
    if (at_us && (!due_us || *at_us < *due_us)) due_us = at_us;
  };
  consider(stalled_until_us_);
  consider(down_until_us_);
  if (!stalled_until_us_ && !down_) consider(server_.NextTimerUs());
  for (const auto& connection : held_) consider(connection->notes.held_until_us);
  return due_us;
}

void Service::ScheduleTimer() {
  steady_clock::time_point at = next_cron_;
  if (const auto due_us = NextDueUs(); due_us && depth_ == 0) {
    const auto wait_us = clock_.RealUntil(RealUs(), *due_us);
    constexpr std::int64_t kLongUs = 1'000'000;
    if (wait_us && *wait_us < kLongUs) {
      at = std::min(at, steady_clock::now() + microseconds(*wait_us));
    }
  }
  if (timer_at_ && *timer_at_ <= at) return;
  timer_at_ = at;
  timer_.expires_at(at);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) timer_due_ = true;
  });
}

}  // namespace interlock::sim::serve
