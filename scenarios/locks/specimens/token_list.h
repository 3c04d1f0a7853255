// SPDX-License-Identifier: MIT
//
// A semaphore whose permits are tokens in a list, as the Ruby gem redis-semaphore has it: a client
// pops a token to enter, and pushes it back to leave. Beside the list stand a hash of the tokens
// that are out, each with its owner and the end of its lease, from which the tokens of the dead are
// taken back; and a key that says whether the tokens have been made.
//
// The steps here are the correct ones, each atomic; a specimen replaces the one that its story is
// about. All three keys live for twenty leases after the last command, unless a specimen forgets
// it.
//
// Thread safety: stateless.
#pragma once

#include <string>
#include <string_view>

#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {

std::string ExistsKey(const std::string& key);
std::string TokensKey(const std::string& key);
std::string GrabbedKey(const std::string& key);

/// The life of the keys of this attempt's lock, as an argument.
std::string LifeOf(const Attempt& attempt);

/// Pushes all tokens, one by one, and gives the list its life.
Status PushTokens(RedisClient& redis, const Attempt& attempt);

/// Makes the tokens if that has not been done.
Status PrimeTokens(RedisClient& redis, Attempt& attempt);

/// Puts back the tokens whose leases have ended.
Status RecoverTokens(RedisClient& redis, Attempt& attempt);

/// Pops a token and records its owner. kNotAcquired: there is none.
Status TakeToken(RedisClient& redis, Attempt& attempt);

/// Takes the owner's entry out and pushes its token, if it is there. kNotOwner: it is not.
Status ReturnToken(RedisClient& redis, Attempt& attempt);

/// Writes down that the attempt's owner has a token now, until a lease from now on.
Status RecordToken(RedisClient& redis, Attempt& attempt);

/// A lock is the first three in turn, each only if the one before went well. Those that are not
/// given are correct.
struct TokenSteps {
  Step prime = PrimeTokens;
  Step recover = RecoverTokens;
  Step take = TakeToken;
  Step unlock = ReturnToken;
};

Recipe TokenListRecipe(std::string_view name, std::string_view summary, TokenSteps steps);

}  // namespace interlock::scenarios::specimens
