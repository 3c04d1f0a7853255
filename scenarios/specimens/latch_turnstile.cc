// SPDX-License-Identifier: MIT
//
// The turnstile: whoever wants to pass pops the element and pushes it back for the next, and the
// list is all that there is to look at: it holds an element exactly as long as the latch is open.
//
// What goes wrong: between its two commands a client has the element, and nobody else does. It dies
// there, or the reply of the pop is lost: the list stays empty, everybody who comes later is told
// that the latch is closed, and whoever waits waits for ever. The fix is to keep what is asked
// about apart from what wakes: to look at the count, and to pop for nothing but sleep.
#include <algorithm>
#include <chrono>

#include "scenarios/specimens/latch.h"
#include "scenarios/specimens/pages.h"

namespace interlock::scenarios::specimens {
namespace {

/// A look takes its time too: a blocking pop without a time-out of its own would wait for ever.
constexpr std::chrono::milliseconds kLook(1);

Status Await(RedisClient& redis, const LatchCall& call) {
  LatchCall looking = call;
  looking.deadline = std::max(call.deadline, AddSaturating(redis.runtime().Now(), kLook));
  while (redis.runtime().Now() < looking.deadline) {
    const Result<Reply> rung = HearBell(redis, looking);
    if (!rung.ok()) return rung.status();
    if (rung->IsArray()) return RingBell(redis, call);
  }
  return Status(StatusCode::kTimeout, "not open in time");
}

}  // namespace

Specimen LatchTurnstile() {
  return {MakeLatch({.name = "broken/latch-turnstile",
                     .summary = "takes the element that means open, and puts it back",
                     .await = Await}),
          {{"deadlock", "crash", SynchronyClass::kNone},
           {"spurious-refusal", "crash", SynchronyClass::kNone}},
          {.clients = 2, .crashes = 1}};
}

}  // namespace interlock::scenarios::specimens
