// SPDX-License-Identifier: MIT
//
// EXISTS, GET, compare, DEL: the first unlock of the second founding text, there shown as what not
// to write. It does ask whose lock it is; but the answer is old when the DEL arrives.
//
// What goes wrong: after the comparison the lease runs out, Redis removes the key, another client
// locks, and the DEL releases that client's lock. It takes a pause or a delay of the rest of the
// lease at just that place, which is why it passes every test and then happens in production. Seen
// in Spring Integration (2023), leshan, kombu. The fix is to compare and delete in one Lua script.
// The lock of this page is the correct one.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Unlock(RedisClient& redis, Attempt& attempt) {
  const Status present =
      ExpectInteger(redis.Call({"EXISTS", attempt.key}), 1, StatusCode::kNotOwner);
  if (!present.ok()) return present;
  const Result<Reply> value = redis.Call({"GET", attempt.key});
  if (!value.ok()) return value.status();
  if (value->text != attempt.token) return Status(StatusCode::kNotOwner, "another's lock");
  return ExpectInteger(redis.Call({"DEL", attempt.key}), 1, StatusCode::kNotOwner);
}

}  // namespace

Specimen GetCompareDel() {
  return {MakeLock({.name = "broken/get-compare-del",
                    .summary = "unlocks by GET, a comparison in the client, and DEL",

                    .unlock = Unlock,
                    .folds_errors = true}),
          {{"foreign-release", "pause", SynchronyClass::kArbitrary}},
          {.clients = 2, .expiries = 1, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
