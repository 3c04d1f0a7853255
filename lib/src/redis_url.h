// SPDX-License-Identifier: MIT
//
// Where a Redis is, as text: the checks and the formatting that go with ParseRedisUrl.
// Pure functions; thread safe.
#pragma once

#include <string>

#include <interlock/hiredis_connector.h>
#include <interlock/result.h>

namespace interlock {

/// kInvalidArgument if an option is out of its documented range.
Status CheckHiredisOptions(const HiredisOptions& options);

/// For messages: "redis://127.0.0.1:6379/0" or "redis+unix:///run/redis.sock?db=0"; never
/// credentials.
std::string FormatEndpoint(const HiredisOptions& options);

}  // namespace interlock
