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

void RedisClient::RunBeside(std::string_view name, std::function<void()> body) {
  tasks_.push_back(runtime().Spawn(name, std::move(body)));
}

std::string NewToken(Runtime& runtime) {
  std::array<std::byte, 16> bytes{};
  runtime.FillRandom(bytes);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string token;
  token.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    const auto value = std::to_integer<unsigned>(byte);
    token += kDigits[value >> 4U];
    token += kDigits[value & 15U];
  }
  return token;
}

Status CompareAndDelete(RedisClient& redis, const std::string& key, const std::string& token) {
  constexpr std::string_view kScript =
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) "
      "else return 0 end";
  return ExpectInteger(redis.Call({"EVAL", kScript, "1", key, token}), 1, StatusCode::kNotOwner);
}

Status SetIfAbsent(RedisClient& redis, const std::string& key, const std::string& token,
                   std::chrono::milliseconds lease) {
  const Result<Reply> reply =
      redis.Call({"SET", key, token, "NX", "PX", std::to_string(lease.count())});
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

}  // namespace interlock::scenarios::specimens
