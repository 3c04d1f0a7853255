// SPDX-License-Identifier: MIT
//
// What the real servers here are like. Thread safety: any thread.
#pragma once

#include "sim/machine/redis_server.h"
#include "sim/redis/dialect.h"

namespace interlock::scenarios::real {

/// Redis 7.0, which is compared with them, if there is none.
inline const sim::redis::Dialect& OfThisMachine() {
  static const auto version = sim::machine::RedisServer::FindVersion();
  const sim::redis::Dialect* found =
      version.ok() ? sim::redis::DialectOfVersion(version->valkey, version->number) : nullptr;
  return found != nullptr ? *found : sim::redis::DefaultDialect();
}

}  // namespace interlock::scenarios::real
