// SPDX-License-Identifier: MIT
#include "scenarios/locks/specimens/token_list.h"

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

namespace interlock::scenarios::specimens {
namespace {

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

std::vector<harness::Owner> Owners(const harness::ServerView& server,
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

Status AcquireToken(RedisClient& redis, Attempt& attempt, const Step& prime, const Step& recover,
                    const Step& take) {
  if (Status primed = prime(redis, attempt); !primed.ok()) return primed;
  if (Status recovered = recover(redis, attempt); !recovered.ok()) return recovered;
  attempt.asked = redis.runtime().Now();
  attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
  return take(redis, attempt);
}

Recipe TokenListRecipe() {
  Recipe recipe;
  recipe.traits = {.kind = harness::Permits{}};
  recipe.lock = [](RedisClient& redis, Attempt& attempt) {
    return AcquireToken(redis, attempt, PrimeTokens, RecoverTokens, TakeToken);
  };
  recipe.unlock = ReturnToken;
  recipe.owners = [](const harness::ServerView& server, const harness::LockOptions& options) {
    return std::optional<std::vector<harness::Owner>>(Owners(server, options));
  };
  recipe.auxiliary = [](const harness::LockOptions& options) {
    const std::string key = KeyOf(options);
    const auto life = kTokenLeases * options.lease;
    return std::vector<harness::AuxiliaryKey>{
        {ExistsKey(key), life}, {TokensKey(key), life}, {GrabbedKey(key), life}};
  };
  return recipe;
}

}  // namespace interlock::scenarios::specimens
