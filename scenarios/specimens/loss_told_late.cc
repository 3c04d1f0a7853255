// SPDX-License-Identifier: MIT
//
// The loss that is told when the renewal comes back: in node-redlock's using(), swarthy's semaphore
// and RedLock.net the watchdog is also the one who tells of a loss, so while its own call hangs
// nobody does (1000 ms of lease, not aborted after 2900 ms).
//
// What goes wrong: the reply to a renewal is lost or held up. The watchdog waits for it, the lease
// ends meanwhile, another client enters, and the holder, who was promised to be told, works on. The
// fix is a timer of its own, armed with the validity's end, which waits for no server. Lock, unlock
// and the renewal itself are correct.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/renewed.h"

namespace interlock::scenarios::specimens {
namespace {

void Watch(RedisClient& redis, Kept& kept) {
  if (RenewEachThird(redis, kept) == StatusCode::kNotOwner) kept.lost->Set();
}

}  // namespace

Specimen LossToldLate() {
  return {MakeRenewedLock({.name = "broken/loss-told-late",
                           .summary = "tells of a loss when its renewal has come back, not before",
                           .watchdog = Watch,
                           .tells = true}),
          {{"false-validity", "pause", SynchronyClass::kBounded}},
          {.clients = 1, .expiries = 1, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
