// SPDX-License-Identifier: MIT
#include "tests/redis/differential/tested_server.h"

#include <iostream>
#include <stdexcept>
#include <string>

#include "tests/support/redis_server.h"

namespace interlock::testing {

using sim::redis::Dialect;

const Dialect& TestedDialect() {
  static const Dialect& found = []() -> const Dialect& {
    const auto version = RedisServer::FindVersion();
    if (!version.ok()) throw std::runtime_error(std::string(version.status().message()));
    const Dialect* like = sim::redis::DialectOfVersion(version->valkey, version->number);
    const std::string text = version->text();
    if (like == nullptr) throw std::runtime_error("no dialect is like " + text);
    std::cout << "compared with " << text << ", as " << like->name << "\n";
    return *like;
  }();
  return found;
}

}  // namespace interlock::testing
