// SPDX-License-Identifier: MIT
#include "scenarios/cases/server_words.h"

#include <fmt/format.h>

namespace interlock::scenarios {

std::string BackendOf(const sim::redis::Dialect& server, std::string_view what) {
  if (&server == &sim::redis::DefaultDialect()) return std::string(what);
  return fmt::format("{} {}{}", what, server.name, server.proven ? "" : " (documents only)");
}

std::optional<std::string> WhyUnproven(const sim::redis::Dialect& server) {
  if (server.proven) return std::nullopt;
  return fmt::format(
      "{} is known from documents only: no server of that version was compared with "
      "it",
      server.name);
}

}  // namespace interlock::scenarios
