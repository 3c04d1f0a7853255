// SPDX-License-Identifier: MIT
//
// The whole program, for locks of your own:
//
//   int main(int argc, char** argv) {
//     return interlock::harness::Main(argc, argv, {std::make_shared<MySubject>()});
//   }
//
// The binary then has every command of `interlock` (check, replay, list, ...), with your locks
// beside the ones that ship with it: `my-binary check --lock acme.job-lock`.
//
// Your locks run in further processes of the same binary, `my-binary worker`: one that crashes,
// overflows its stack, exits, takes more than 1 GiB of memory or hangs (--watchdog) costs its own
// verdicts, by LK017, and no others'. Non-guarantee: what main does before it calls Main, your
// subjects' constructors included, is done in each of them, and nothing isolates it.
#pragma once

#include <memory>
#include <vector>

#include <interlock/harness/lock.h>

namespace interlock::harness {

/// Returns the process's exit code: 0 pass, 1 violated, 2 inconclusive, 3 a threshold of `contend`
/// is crossed, 4 a promise of `guarantees` is broken, 64 usage, 65 bad input, 69
/// real Redis not reachable, 70 internal fault, 130 and 143 after a signal. A reader that closes
/// the pipe on stdout (`| head`) changes nothing about that; an output that cannot be written for
/// another reason, such as a full disk, gives 70. To be called once, from main: SIGPIPE is ignored
/// from then on. Subjects must have distinct names of at most 64 characters from [a-z0-9./_-].
int Main(int argc, char** argv, std::vector<std::shared_ptr<const Subject>> subjects = {});

}  // namespace interlock::harness
