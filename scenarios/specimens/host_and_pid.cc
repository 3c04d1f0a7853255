// SPDX-License-Identifier: MIT
//
// The owner is a host name and a process id: mlanett/redis-lock writes who it is instead of a token
// of its own for each hold. Two threads of one process are the same owner.
//
// What goes wrong: one thread outlives its lease, another thread of the same process acquires, the
// first one unlocks. The value compares equal, the script deletes, and the lock of the second
// thread is gone. Comparing and deleting in one step does not help if the value says too little.
// The fix is a random token for each hold. All clients of this page are threads of one process.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

Status Lock(RedisClient& redis, Attempt& attempt) {
  attempt.token = "worker-7.example:4711";
  return SetIfAbsent(redis, attempt.key, attempt.token, attempt.lease);
}

}  // namespace

Specimen HostAndPid() {
  return {MakeLock({.name = "broken/host-and-pid",
                    .summary = "its owner is the process, so threads release each other's locks",
                    .lock = Lock}),
          {{"foreign-release", "overstay", SynchronyClass::kNone}},
          {.clients = 2, .expiries = 1, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
