// SPDX-License-Identifier: MIT
//
// How oracles name clients and instants in messages.
#pragma once

#include <string>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// "C1" for client 0; the probe counts as a client.
std::string ClientName(int client);

/// Virtual milliseconds with three decimals: "1200.250 ms"; "the end of time" for kOpen.
std::string Instant(VirtualTime time);

}  // namespace interlock::scenarios
