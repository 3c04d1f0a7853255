// SPDX-License-Identifier: MIT
//
// A program with every command of `interlock`, which knows these locks beside Interlock's own.
#include <interlock/harness/main.h>

#include "job_lock.h"

int main(int argc, char** argv) {
  return interlock::harness::Main(argc, argv, {acme::JobLock(), acme::NaiveJobLock()});
}
