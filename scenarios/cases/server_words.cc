// SPDX-License-Identifier: MIT
#include "scenarios/cases/server_words.h"

#include <fmt/format.h>

namespace interlock::scenarios {

std::string BackendOf(const sim::redis::Dialect& server) {
  if (&server == &sim::redis::DefaultDialect()) return "sim";
  return fmt::format("sim {}", server.name);
}

std::optional<std::string> WhyUnproven(const sim::redis::Dialect& server) {
  if (server.proven) return std::nullopt;
  return fmt::format(
      "{} is known from documents only: no server of that version was compared with "
      "it",
      server.name);
}

}  // namespace interlock::scenarios
