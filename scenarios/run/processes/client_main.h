// SPDX-License-Identifier: MIT
//
// The body of a client process, after the fork.
//
// Guarantee: ends the process without running destructors, so nothing is sent that the program has
// not seen; dies where its plan says so. Thread safety: none.
#pragma once

#include <sys/types.h>

#include "scenarios/run/processes/client_process.h"

namespace interlock::scenarios::real {

struct ClientChannels {
  int report = -1;   ///< events are written here
  int barrier = -1;  ///< reaches end-of-file once all clients are there
  pid_t parent = -1;
};

[[noreturn]] void RunClientProcess(const ClientTask& task, const ClientChannels& channels) noexcept;

}  // namespace interlock::scenarios::real
