// SPDX-License-Identifier: MIT
//
// A program with every command of `interlock`, which knows these locks beside Interlock's own.
#include <interlock/harness/main.h>

#include "adapters.h"

int main(int argc, char** argv) {
  return interlock::harness::Main(argc, argv,
                                  {acme::CLock(), acme::NaiveCLock(), acme::RenewedLockSubject(),
                                   acme::NaiveRenewedLockSubject()});
}
