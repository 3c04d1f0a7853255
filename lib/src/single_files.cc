// SPDX-License-Identifier: MIT
#include <interlock/single_files.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <interlock/client.h>
#include <interlock/connection.h>
#include <interlock/hiredis_connector.h>

#include "src/annotated_mutex.h"

namespace interlock {

using internal::AnnotatedMutex;
using internal::MutexGuard;

class SingleFiles::Servers {
 public:
  Servers(Runtime& runtime, ClientOptions clients)
      : runtime_(runtime), clients_(std::move(clients)) {}

  /// The one for this server; lives as long as this.
  Result<Client*> ClientOf(const std::string& host, std::uint16_t port) {
    MutexGuard guard(mutex_);
    Server& server = servers_[{host, port}];
    if (server.client == nullptr) {
      auto connector = MakeHiredisConnector(runtime_, HiredisOptions{.host = host, .port = port});
      if (!connector.ok()) return connector.status();
      server.connector = std::move(*connector);
      server.client = std::make_unique<Client>(runtime_, *server.connector, clients_);
    }
    return server.client.get();
  }

 private:
  struct Server {
    std::unique_ptr<Connector> connector;
    std::unique_ptr<Client> client;
  };

  Runtime& runtime_;
  const ClientOptions clients_;
  AnnotatedMutex mutex_;
  std::map<std::pair<std::string, std::uint16_t>, Server> servers_ INTERLOCK_GUARDED_BY(mutex_);
};

SingleFiles::SingleFiles(Runtime& runtime, SingleFileOptions defaults, ClientOptions clients)
    : defaults_(std::move(defaults)),
      servers_(std::make_unique<Servers>(runtime, std::move(clients))) {}

SingleFiles::~SingleFiles() = default;

Result<SingleFile> SingleFiles::Make(const std::function<void(SingleFileOptions&)>& change) {
  SingleFileOptions options = defaults_;
  if (change) change(options);
  const Result<Client*> client = servers_->ClientOf(options.host, options.port);
  if (!client.ok()) return client.status();
  return SingleFile::Create(*client.value(), std::move(options));
}

}  // namespace interlock
