// SPDX-License-Identifier: MIT
#include "scenarios/cli/server_option.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scenarios/cli/values.h"
#include "sim/unknown_name.h"

namespace interlock::scenarios::cli {
namespace {

std::vector<std::string_view> ServerNames() {
  std::vector<std::string_view> names;
  for (const sim::redis::Dialect& server : sim::redis::Dialects()) names.push_back(server.name);
  return names;
}

/// `unknown server "valkey-9"; did you mean "valkey-9.1"?`, and which there are.
std::string UnknownServer(std::string_view name) {
  std::vector<std::string_view> names = ServerNames();
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  // Of several that are as near the newest that is proven: in a family versions ascend.
  std::ranges::reverse(names);
  std::stable_partition(names.begin(), names.end(),
                        [](std::string_view one) { return sim::redis::FindDialect(one)->proven; });
  return fmt::format("{} (there are {})", sim::UnknownName("server", name, names), all);
}

}  // namespace

Option AddServerOption(Command command, const sim::redis::Dialect*& server,
                       std::string_view otherwise) {
  return command
      .AddTaken(
          "--server",
          [&server](const std::string& name) { server = sim::redis::FindDialect(name); },
          fmt::format("the server to simulate: {}; default {}", fmt::join(ServerNames(), ", "),
                      otherwise))
      .Type("NAME")
      .Check([](const std::string& name) {
        return sim::redis::FindDialect(name) != nullptr ? "" : UnknownServer(name);
      });
}

std::string WithServer(std::string patterns, const sim::redis::Dialect* server) {
  if (server == nullptr) return patterns;
  return fmt::format("{}{}{}", patterns, Scenario::kOnServer, server->name);
}

Result<const sim::redis::Dialect*> TakeServer(std::string_view& patterns) {
  const std::size_t at = patterns.find(Scenario::kOnServer);
  if (at == std::string_view::npos) return nullptr;
  const std::string_view name = patterns.substr(at + 1);
  const sim::redis::Dialect* server = sim::redis::FindDialect(name);
  if (server == nullptr) return Invalid(UnknownServer(name));
  patterns = patterns.substr(0, at);
  return server;
}

void PutOn(const sim::redis::Dialect* server, std::vector<const Scenario*>& scenarios) {
  if (server == nullptr) return;
  for (const Scenario*& scenario : scenarios) scenario = &OnServer(*scenario, *server);
}

}  // namespace interlock::scenarios::cli
