// SPDX-License-Identifier: MIT
#include "sim/serve/setup.h"

#include <cstddef>
#include <utility>

namespace interlock::sim::serve {
namespace {

// The memory that scripts may use on a machine that has other things to do.
constexpr std::size_t kScriptMemory = std::size_t{2} << 30;

void ShowSurroundings(redis::Server& server, const ServeOptions& options, int port) {
  std::string addresses;
  for (const std::string& address : options.addresses) {
    addresses += (addresses.empty() ? "" : " ") + address;
  }
  redis::ShowParameter(server, "bind", addresses);
  redis::ShowParameter(server, "port", std::to_string(port));
  redis::ShowParameter(server, "unixsocket", options.unix_socket);
  redis::ShowParameter(server, "maxclients", std::to_string(options.max_clients));
  if (options.allow_remote) redis::ShowParameter(server, "protected-mode", "no");
}

}  // namespace

std::optional<std::string> SetUp(redis::Server& server, const ServeOptions& options, int port,
                                 std::function<redis::Buffers(redis::ClientId)> buffers_of) {
  server.SetUnmodelledIsError(true);
  server.SetScriptMemory(kScriptMemory);
  redis::SetUnreplicated(server);
  redis::SetBuffersOf(server, std::move(buffers_of));
  ShowSurroundings(server, options, port);
  for (const auto& [name, value] : options.parameters) {
    const std::string error = server.Configure(name, value);
    if (!error.empty()) return "--config " + name + "=" + value + ": " + error;
  }
  return std::nullopt;
}

}  // namespace interlock::sim::serve
