// SPDX-License-Identifier: MIT
//
// What is said first on a new connection: AUTH and SELECT, or a PING.
//
// Guarantee: if it succeeds, the server takes commands of this user on this database. The answer to
// AUTH may quote the password ("unknown command 'AUTH', with args ..."), so only its first word is
// passed on.
//
// Thread safety: may be called from any task.
#pragma once

#include <string>

#include <interlock/connection.h>
#include <interlock/hiredis_connector.h>
#include <interlock/result.h>
#include <interlock/time.h>

namespace interlock {

/// One round trip. kUnavailable: no answer before `deadline`, or a refusal that passes by itself;
/// kInvalidArgument: the server refused what `options` say. YIELDS.
Status Greet(Connection& connection, const HiredisOptions& options, const std::string& endpoint,
             MonotonicTime deadline);

}  // namespace interlock
