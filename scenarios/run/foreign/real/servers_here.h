// SPDX-License-Identifier: MIT
//
// The real servers that foreign clients may be led to: only those of this machine, because whatever
// the clients do is done to them. Pure function.
#pragma once

#include <string_view>
#include <vector>

#include <interlock/hiredis_connector.h>
#include <interlock/result.h>

namespace interlock::scenarios::drive {

/// `urls`: separated by commas. kInvalidArgument: one is malformed, leads to another machine, or
/// needs TLS, which the relay does not speak.
Result<std::vector<HiredisOptions>> ServersHere(std::string_view urls);

}  // namespace interlock::scenarios::drive
