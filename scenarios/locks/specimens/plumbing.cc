// SPDX-License-Identifier: MIT
#include "scenarios/locks/specimens/plumbing.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace interlock::scenarios::specimens {

Status RedisClient::Open() {
  if (connection_ != nullptr && !connection_->broken()) return Status();
  connection_.reset();
  Result<std::unique_ptr<Connection>> opened = environment_.connector.Connect(Overdue());
  if (!opened.ok()) return opened.status();
  connection_ = std::move(opened).value();
  return Status();
}

Result<Reply> RedisClient::Call(std::initializer_list<std::string_view> argv) {
  return Call(std::span<const std::string_view>(argv.begin(), argv.size()));
}

Result<Reply> RedisClient::Call(std::span<const std::string_view> argv) {
  if (Status opened = Open(); !opened.ok()) return opened;
  return connection_->Call(argv, Overdue());
}

Result<Reply> RedisClient::CallUntil(std::initializer_list<std::string_view> argv,
                                     MonotonicTime deadline) {
  if (Status opened = Open(); !opened.ok()) return opened;
  return connection_->Call(std::span<const std::string_view>(argv.begin(), argv.size()),
                           std::min(deadline, latest_));
}

void RedisClient::SleepUnlessStopped(Duration length, const std::stop_token& stop) {
  const std::unique_ptr<Event> woken = runtime().NewEvent();
  const std::stop_callback wake(stop, [&woken] { woken->Set(); });
  woken->WaitUntil(AddSaturating(runtime().Now(), length));
}

void RedisClient::RunBeside(std::string_view name, std::function<void(RedisClient& its_own)> body) {
  tasks_.push_back(runtime().Spawn(name, [environment = environment_, timeout = socket_timeout_,
                                          body = std::move(body)]() mutable {
    RedisClient its_own(environment, timeout);
    body(its_own);
  }));
}

std::string NewToken(Runtime& runtime) {
  std::array<std::byte, 16> bytes{};
  runtime.FillRandom(bytes);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<char, 2 * bytes.size()> token;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto value = std::to_integer<unsigned>(bytes[i]);
    token[2 * i] = kDigits[value >> 4U];
    token[2 * i + 1] = kDigits[value & 15U];
  }
  return {token.data(), token.size()};
}

std::string KeyOf(const harness::LockOptions& options) {
  return options.key_prefix + options.resource;
}

std::string Ms(std::chrono::milliseconds length) { return std::to_string(length.count()); }

std::string InSeconds(std::chrono::milliseconds timeout) {
  const std::string decimals = std::to_string(1000 + timeout.count() % 1000).substr(1);
  return std::to_string(timeout.count() / 1000) + "." + decimals;
}

Status CompareAndDelete(RedisClient& redis, const std::string& key, const std::string& token) {
  constexpr std::string_view kScript =
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) "
      "else return 0 end";
  return ExpectInteger(redis.Call({"EVAL", kScript, "1", key, token}), 1, StatusCode::kNotOwner);
}

Status SetIfAbsent(RedisClient& redis, const std::string& key, const std::string& token,
                   std::chrono::milliseconds lease) {
  return SetIfAbsent(redis, key, token, "PX", Ms(lease));
}

Status SetIfAbsent(RedisClient& redis, const std::string& key, const std::string& token,
                   std::string_view unit, const std::string& lease) {
  const Result<Reply> reply = redis.Call({"SET", key, token, "NX", unit, lease});
  if (!reply.ok()) return reply.status();
  return reply->IsStatus("OK") ? Status() : Status(StatusCode::kNotAcquired, "taken");
}

Status CallScript(RedisClient& redis, std::string_view script, const std::string& key,
                  std::initializer_list<std::string_view> arguments, std::int64_t expected,
                  StatusCode otherwise) {
  std::vector<std::string_view> argv = {"EVAL", script, "1", key};
  argv.insert(argv.end(), arguments);
  return ExpectInteger(redis.Call(argv), expected, otherwise);
}

Status ExpectInteger(const Result<Reply>& reply, std::int64_t expected, StatusCode otherwise) {
  if (!reply.ok()) return reply.status();
  if (reply->IsInteger() && reply->integer == expected) return Status();
  return Status(otherwise, reply->IsError() ? reply->text : std::string());
}

bool Failed(const Status& status, StatusCode no) {
  return !status.ok() && status.code() != no && status.code() != StatusCode::kCancelled;
}

}  // namespace interlock::scenarios::specimens
