// SPDX-License-Identifier: MIT
#include "renewed_lock.h"

#include <hiredis/hiredis.h>
#include <sys/time.h>

#include <cstdint>
#include <cstdio>
#include <random>
#include <utility>

namespace acme {

namespace {

constexpr const char* kDeleteIfMine =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
constexpr const char* kExtendIfMine =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then "
    "return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";

/// Less than all of it, as clocks drift.
std::chrono::milliseconds Believed(std::chrono::milliseconds lease) { return lease - lease / 100; }

std::string NewToken() {
  std::random_device device;
  std::string token;
  for (int word = 0; word < 4; ++word) {
    char digits[9];
    std::snprintf(digits, sizeof(digits), "%08x", static_cast<unsigned>(device()));
    token += digits;
  }
  return token;
}

}  // namespace

void RenewedLock::Closer::operator()(redisContext* context) const { redisFree(context); }

RenewedLock::RenewedLock(std::string host, int port, std::string key,
                         std::chrono::milliseconds lease, Care care)
    : host_(std::move(host)), port_(port), key_(std::move(key)), lease_(lease), care_(care) {}

RenewedLock::~RenewedLock() { StopThread(); }

int RenewedLock::Ask(Connection& connection, const std::vector<std::string>& words) const {
  const std::int64_t us = std::chrono::microseconds(lease_).count() / 10;
  const timeval timeout{us / 1'000'000, us % 1'000'000};
  if (connection == nullptr) {
    connection.reset(redisConnectWithTimeout(host_.c_str(), port_, timeout));
    if (connection == nullptr || connection->err != 0 ||
        redisSetTimeout(connection.get(), timeout) != REDIS_OK) {
      connection.reset();
      return -1;
    }
  }
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (const std::string& word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  auto* const reply = static_cast<redisReply*>(redisCommandArgv(
      connection.get(), static_cast<int>(words.size()), texts.data(), sizes.data()));
  if (reply == nullptr) {
    connection.reset();  // a reply that is late must not answer the next command
    return -1;
  }
  int answer = -1;
  if (reply->type == REDIS_REPLY_INTEGER) answer = static_cast<int>(reply->integer);
  if (reply->type == REDIS_REPLY_STATUS) answer = 1;
  if (reply->type == REDIS_REPLY_NIL) answer = 0;
  freeReplyObject(reply);
  return answer;
}

int RenewedLock::Acquire() {
  StopThread();
  token_ = NewToken();
  const Clock::time_point asked = Clock::now();
  const int answer =
      Ask(connection_, {"SET", key_, token_, "NX", "PX", std::to_string(lease_.count())});
  if (answer != 1) return answer;
  stop_ = false;
  valid_until_ = asked + Believed(lease_);
  thread_ = std::thread([this] { Renew(); });
  return 1;
}

void RenewedLock::Renew() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!changed_.wait_for(lock, lease_ / 3, [this] { return stop_; })) {
    lock.unlock();
    const Clock::time_point asked = Clock::now();
    const std::string lease = std::to_string(lease_.count());
    const int extended = care_ == Care::kFull
                             ? Ask(of_thread_, {"EVAL", kExtendIfMine, "1", key_, token_, lease})
                             : Ask(of_thread_, {"PEXPIRE", key_, lease});
    lock.lock();
    if (extended == 1) valid_until_ = asked + Believed(lease_);
    if (extended == 0) return;
  }
}

void RenewedLock::AskThreadToStop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  stop_ = true;
  changed_.notify_all();
}

void RenewedLock::StopThread() {
  AskThreadToStop();
  if (thread_.joinable()) thread_.join();
}

int RenewedLock::Release() {
  if (care_ == Care::kFull) {
    StopThread();
  } else {
    AskThreadToStop();
  }
  return Ask(connection_, {"EVAL", kDeleteIfMine, "1", key_, token_});
}

RenewedLock::Clock::time_point RenewedLock::valid_until() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return valid_until_;
}

}  // namespace acme
