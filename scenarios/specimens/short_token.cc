// SPDX-License-Identifier: MIT
//
// The owner is told by the first digits of its token, as a commit is: eight of them are shown in
// the logs, and somebody who debugs by the logs stores and compares no more. A mistake of our own
// invention.
//
// What goes wrong: nothing, as long as the digits are random. But identifiers that come from one
// machine, or from a counter behind a fixed part, differ at their ends only; then two clients are
// the same owner, and one releases what the other holds. The fix is to compare the whole token. All
// else on this page is correct: it compares and deletes in one step.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

constexpr std::size_t kShown = 8;

Status Lock(RedisClient& redis, Attempt& attempt) {
  attempt.token.resize(kShown);
  return SetIfAbsent(redis, attempt.key, attempt.token, attempt.lease);
}

}  // namespace

Specimen ShortToken() {
  return {MakeLock({.name = "broken/short-token",
                    .summary = "its owner is told by the first eight digits of the token",
                    .lock = Lock}),
          {{"foreign-release", "alike-tokens", SynchronyClass::kNone}},
          {.clients = 2, .expiries = 1}};
}

}  // namespace interlock::scenarios::specimens
