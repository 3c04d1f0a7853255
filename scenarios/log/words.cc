// SPDX-License-Identifier: MIT
#include "scenarios/log/words.h"

#include <fmt/format.h>

namespace interlock::scenarios {

std::string ClientName(int client) {
  return client < 0 ? std::string("somebody") : fmt::format("C{}", client + 1);
}

std::string Instant(VirtualTime time) {
  if (time == kOpen) return "the end of time";
  const auto us = time.count() / 1000;
  return fmt::format("{}.{:03} ms", us / 1000, us % 1000);
}

}  // namespace interlock::scenarios
