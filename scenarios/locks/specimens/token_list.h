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

#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {

inline constexpr int kTokenLeases = 20;  ///< life of the keys, in leases

std::string ExistsKey(const std::string& key);
std::string TokensKey(const std::string& key);
std::string GrabbedKey(const std::string& key);

/// The life of the keys of this attempt's lock, as an argument.
std::string LifeOf(const Attempt& attempt);

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

/// All three in turn, each only if the one before went well.
Status AcquireToken(RedisClient& redis, Attempt& attempt, const Step& prime, const Step& recover,
                    const Step& take);

/// A recipe with the correct steps, the owners and the keys filled in.
Recipe TokenListRecipe();

}  // namespace interlock::scenarios::specimens
