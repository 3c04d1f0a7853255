// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/real/servers_here.h"

#include <fmt/format.h>

#include "sim/machine/admin.h"

namespace interlock::scenarios::drive {

Result<std::vector<HiredisOptions>> ServersHere(std::string_view urls) {
  auto servers = sim::machine::ParseTargets(urls, true);
  if (!servers.ok()) return servers.status();
  for (const HiredisOptions& server : *servers) {
    if (!sim::machine::IsOnThisMachine(server)) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("{} is not this machine (127.0.0.0/8, ::1, localhost or a Unix "
                                "socket), and foreign clients are led to no other one",
                                server.host));
    }
    if (server.tls) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("{}:{} is reached by TLS, which the relay between clients and "
                                "server does not speak: give a redis:// URL",
                                server.host, server.port));
    }
  }
  return servers;
}

}  // namespace interlock::scenarios::drive
