// SPDX-License-Identifier: MIT
#include "scenarios/locks/specimens/token_list.h"

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace interlock::scenarios::specimens {
namespace {

constexpr int kTokenLeases = 20;  ///< life of the keys, in leases

/// Every script renews all three keys: whichever is missing after twenty idle leases, all are.
constexpr std::string_view kTokensBegin =
    "local exists, tokens = KEYS[1] .. ':exists', KEYS[1] .. ':tokens' "
    "local grabbed, life = KEYS[1] .. ':grabbed', ARGV[1] "
    "local time = redis.call('time') "
    "local now = time[1] * 1000 + math.floor(time[2] / 1000) "
    "local done = 1 ";
constexpr std::string_view kEnd =
    "for _, key in ipairs({exists, tokens, grabbed}) do redis.call('pexpire', key, life) end "
    "return done";

Status RunTokenScript(RedisClient& redis, Attempt& attempt, std::string_view middle,
                      std::string_view argument, StatusCode otherwise) {
  const std::string script = std::string(kTokensBegin) + std::string(middle) + std::string(kEnd);
  return CallScript(redis, script, attempt.key,
                    {LifeOf(attempt), attempt.token, Ms(attempt.lease), argument}, 1, otherwise);
}

std::optional<std::vector<harness::Owner>> Owners(const harness::ServerView& server,
                                                  const harness::LockOptions& options) {
  std::vector<harness::Owner> owners;
  for (auto& [token, deadline] : server.Hash(GrabbedKey(KeyOf(options)))) {
    const std::int64_t expires_at_ms = std::atoll(deadline.c_str());
    if (expires_at_ms >= server.NowMs())
      owners.push_back({token, expires_at_ms, false, harness::LastMs::kOwned});
  }
  return owners;
}

}  // namespace

std::string ExistsKey(const std::string& key) { return key + ":exists"; }
std::string TokensKey(const std::string& key) { return key + ":tokens"; }
std::string GrabbedKey(const std::string& key) { return key + ":grabbed"; }

std::string LifeOf(const Attempt& attempt) { return Ms(kTokenLeases * attempt.lease); }

Status PushTokens(RedisClient& redis, const Attempt& attempt) {
  const std::string tokens = TokensKey(attempt.key);
  for (int permit = 0; permit < attempt.permits; ++permit) {
    if (Result<Reply> pushed = redis.Call({"RPUSH", tokens, "1"}); !pushed.ok()) {
      return pushed.status();
    }
  }
  return redis.Call({"PEXPIRE", tokens, LifeOf(attempt)}).status();
}

Status PrimeTokens(RedisClient& redis, Attempt& attempt) {
  return RunTokenScript(redis, attempt,
                        "if redis.call('exists', exists) == 0 then "
                        "  redis.call('del', tokens, grabbed) redis.call('set', exists, '1') "
                        "  for _ = 1, ARGV[4] do redis.call('rpush', tokens, '1') end end ",
                        std::to_string(attempt.permits), StatusCode::kProtocolError);
}

Status RecoverTokens(RedisClient& redis, Attempt& attempt) {
  return RunTokenScript(
      redis, attempt,
      "local out = redis.call('hgetall', grabbed) "
      "for i = 1, #out, 2 do if tonumber(out[i + 1]) < now then "
      "  redis.call('hdel', grabbed, out[i]) redis.call('rpush', tokens, '1') end end ",
      {}, StatusCode::kProtocolError);
}

Status TakeToken(RedisClient& redis, Attempt& attempt) {
  return RunTokenScript(
      redis, attempt,
      "if redis.call('lpop', tokens) then "
      "  redis.call('hset', grabbed, ARGV[2], string.format('%.0f', now + ARGV[3])) "
      "else done = 0 end ",
      {}, StatusCode::kNotAcquired);
}

Status ReturnToken(RedisClient& redis, Attempt& attempt) {
  return RunTokenScript(
      redis, attempt,
      "if redis.call('hdel', grabbed, ARGV[2]) == 1 then redis.call('rpush', tokens, '1') "
      "else done = 0 end ",
      {}, StatusCode::kNotOwner);
}

Status RecordToken(RedisClient& redis, Attempt& attempt) {
  return RunTokenScript(
      redis, attempt, "redis.call('hset', grabbed, ARGV[2], string.format('%.0f', now + ARGV[3])) ",
      {}, StatusCode::kProtocolError);
}

Recipe TokenListRecipe(std::string_view name, std::string_view summary, TokenSteps steps) {
  Step unlock = std::move(steps.unlock);
  return {.name = name,
          .summary = summary,
          .traits = {.kind = harness::Permits{}},
          .lock =
              [steps = std::move(steps)](RedisClient& redis, Attempt& attempt) {
                if (Status primed = steps.prime(redis, attempt); !primed.ok()) return primed;
                if (Status recovered = steps.recover(redis, attempt); !recovered.ok()) {
                  return recovered;
                }
                attempt.asked = redis.runtime().Now();
                attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
                return steps.take(redis, attempt);
              },
          .unlock = std::move(unlock),
          .owners = Owners,
          .auxiliary = {
              {":exists", kTokenLeases}, {":tokens", kTokenLeases}, {":grabbed", kTokenLeases}}};
}

}  // namespace interlock::scenarios::specimens
