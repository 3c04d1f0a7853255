// SPDX-License-Identifier: MIT
#include "scenarios/locks/specimens/latch.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "scenarios/locks/specimens/recipe.h"
#include "scenarios/locks/subjects/passage.h"

namespace interlock::scenarios::specimens {
namespace {

using std::chrono::milliseconds;
using subjects::LifeOf;

class RecipeLatch final : public harness::Lock {
 public:
  RecipeLatch(harness::Environment& environment, const harness::LockOptions& options,
              const LatchRecipe& recipe)
      : redis_(environment, milliseconds(2000)), recipe_(recipe) {
    call_.key = KeyOf(options);
    call_.parties = options.parties;
    call_.life = Ms(LifeOf(options));
    call_.patience = options.lease;
  }

  Status CountDown(const std::string& party) override {
    call_.party = party;
    return recipe_.count_down(redis_, call_);
  }
  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    return AcquireUntil(redis_.runtime().Now());
  }
  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    call_.deadline = deadline;
    return subjects::ToPassage(recipe_.await(redis_, call_));
  }

 private:
  RedisClient redis_;
  const LatchRecipe& recipe_;  // the subject's, which outlives every run
  LatchCall call_;
};

class LatchSubject final : public RecipeSubject<LatchRecipe, RecipeLatch> {
 public:
  using RecipeSubject::RecipeSubject;

  harness::Traits traits() const override { return {.kind = harness::Latch{}}; }
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    return NoOwners(server, options);
  }
  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override {
    const std::string key = KeyOf(options);
    return {{key, LifeOf(options)}, {key + ":*", LifeOf(options)}};
  }
};

}  // namespace

Status CountDownCorrectly(RedisClient& redis, const LatchCall& call) {
  return CountBy(redis, call,
                 "redis.call('sadd', KEYS[1], ARGV[1]) "
                 "redis.call('pexpire', KEYS[1], ARGV[3]) "
                 "if redis.call('scard', KEYS[1]) < tonumber(ARGV[2]) then return 1 end ");
}

Status CountBy(RedisClient& redis, const LatchCall& call, std::string_view script) {
  constexpr std::string_view kRing =
      "local bell = KEYS[1] .. ':bell' "
      "redis.call('del', bell) "
      "redis.call('rpush', bell, '1') "
      "return redis.call('pexpire', bell, ARGV[3])";
  return CallScript(redis, std::string(script).append(kRing), call.key,
                    {call.party, std::to_string(call.parties), call.life}, 1,
                    StatusCode::kUnavailable);
}

Result<bool> SetIsFull(RedisClient& redis, const LatchCall& call) {
  const Result<Reply> count = redis.Call({"SCARD", call.key});
  if (!count.ok()) return count.status();
  if (count->IsInteger()) return count->integer >= call.parties;
  return Status(StatusCode::kUnavailable, count->text);
}

LatchLook CounterIsFull(std::string_view ending) {
  return [ending](RedisClient& redis, const LatchCall& call) -> Result<bool> {
    const Result<Reply> count = redis.Call({"GET", std::string(call.key).append(ending)});
    if (!count.ok()) return count.status();
    if (count->IsError()) return Status(StatusCode::kUnavailable, count->text);
    return !count->IsNil() && std::stoll(count->text) >= call.parties;
  };
}

LatchStep AwaitBy(LatchLook look) {
  return [look = std::move(look)](RedisClient& redis, const LatchCall& call) {
    for (;;) {
      const Result<bool> open = look(redis, call);
      if (!open.ok()) return open.status();
      if (*open) return RingBell(redis, call);
      if (redis.runtime().Now() >= call.deadline) break;
      if (const Result<Reply> rung = HearBell(redis, call); !rung.ok()) return rung.status();
    }
    return Status(StatusCode::kTimeout, "not open in time");
  };
}

Result<Reply> HearBell(RedisClient& redis, const LatchCall& call) {
  Attempt attempt;
  attempt.deadline = call.deadline;
  return BlockingPop(redis, attempt, call.bell(), call.patience);
}

Status RingBell(RedisClient& redis, const LatchCall& call) {
  constexpr std::string_view kScript =
      "redis.call('del', KEYS[1]) "
      "redis.call('rpush', KEYS[1], '1') "
      "return redis.call('pexpire', KEYS[1], ARGV[1])";
  return CallScript(redis, kScript, call.bell(), {call.life}, 1, StatusCode::kUnavailable);
}

std::shared_ptr<const harness::Subject> MakeLatch(LatchRecipe recipe) {
  return std::make_shared<const LatchSubject>(std::move(recipe));
}

}  // namespace interlock::scenarios::specimens
