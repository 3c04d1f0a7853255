// SPDX-License-Identifier: MIT
//
// What a relay costs: the round trip of a PING with and without it, whatever the clients are.
//
// REQUIRES: nothing else is measured meanwhile. Thread safety: none; it has a thread of its own,
// which has ended when it returns.
#pragma once

#include <interlock/hiredis_connector.h>
#include <interlock/result.h>
#include <interlock/time.h>

namespace interlock::scenarios::drive {

struct PingCost {
  Duration direct{};   ///< median
  Duration relayed{};  ///< median
};

/// kUnavailable: the server does not answer, or there is no port.
Result<PingCost> MeasurePing(const HiredisOptions& server);

}  // namespace interlock::scenarios::drive
