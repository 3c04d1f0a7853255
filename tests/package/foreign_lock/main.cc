// SPDX-License-Identifier: MIT
//
// All that a user writes to have their own lock judged: an adapter (acme_lock.cc) and this.
#include <interlock/harness/main.h>

#include "acme_lock.h"

int main(int argc, char** argv) {
  return interlock::harness::Main(argc, argv, {acme::SoundLock(), acme::BlindReleaseLock()});
}
