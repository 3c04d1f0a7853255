// SPDX-License-Identifier: MIT
#include "tests/scenarios/run/counted_lock/counted_lock.h"

#include <sys/time.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <hiredis.h>

namespace acme::COUNTED_LOCK {

using interlock::harness::Answer;
using interlock::harness::CompiledLock;
using interlock::harness::LockOptions;

namespace {

int tokens_made = 0;

constexpr const char* kRelease =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

using Reply = std::unique_ptr<redisReply, void (*)(void*)>;

class CountedLock final : public CompiledLock {
 public:
  explicit CountedLock(const LockOptions& options)
      : key_(options.key_prefix + options.resource), lease_(options.lease) {}
  ~CountedLock() override { Disconnect(); }

  Answer Acquire() override {
    token_ = "token " + std::to_string(++tokens_made);
    const Reply reply = Call({"SET", key_, token_, "NX", "PX", std::to_string(lease_.count())});
    if (reply == nullptr) return Answer::kUnknown;
    return reply->type == REDIS_REPLY_STATUS ? Answer::kYes : Answer::kNo;
  }

  Answer Release() override {
    const Reply reply = Call({"EVAL", kRelease, "1", key_, token_});
    if (reply == nullptr || reply->type != REDIS_REPLY_INTEGER) return Answer::kUnknown;
    return reply->integer == 1 ? Answer::kYes : Answer::kNo;
  }

  std::string token() const override { return token_; }

 private:
  Reply Call(std::initializer_list<std::string_view> words) {
    if (redis_ == nullptr) redis_ = redisConnectWithTimeout("redis", 6379, {1, 0});
    redisReply* reply = nullptr;
    if (redis_ != nullptr && redis_->err == 0 && redisSetTimeout(redis_, {1, 0}) == REDIS_OK) {
      std::vector<const char*> parts;
      std::vector<std::size_t> sizes;
      for (const std::string_view word : words) {
        parts.push_back(word.data());
        sizes.push_back(word.size());
      }
      reply = static_cast<redisReply*>(
          redisCommandArgv(redis_, static_cast<int>(parts.size()), parts.data(), sizes.data()));
    }
    if (reply == nullptr) Disconnect();
    return {reply, &freeReplyObject};
  }

  void Disconnect() {
    if (redis_ != nullptr) redisFree(redis_);
    redis_ = nullptr;
  }

  const std::string key_;
  const std::chrono::milliseconds lease_;
  std::string token_;
  redisContext* redis_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLock> MakeCountedLock(const LockOptions& options) {
  return std::make_unique<CountedLock>(options);
}

}  // namespace acme::COUNTED_LOCK
