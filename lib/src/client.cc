// SPDX-License-Identifier: MIT
#include <interlock/client.h>

#include <chrono>
#include <utility>

#include "src/client_core.h"
#include "src/retry.h"

namespace interlock {

Client::Client(Runtime& runtime, Connector& connector, ClientOptions options)
    : core_(std::make_unique<internal::ClientCore>(runtime, connector, std::move(options))) {}

Client::~Client() = default;

Status Client::status() const { return Validate(options()); }

Runtime& Client::runtime() const { return core_->runtime(); }

const ClientOptions& Client::options() const { return core_->options(); }

std::string Client::endpoint() const { return core_->endpoint(); }

Duration Client::overrun_bound() const {
  const ClientOptions& used = options();
  const Duration replicas =
      used.acknowledged_by.replicas > 0 ? used.acknowledged_by.timeout : Duration(0);
  const Duration round = used.connect_timeout + used.command_timeout + replicas;
  // The extra millisecond is the shortest sleep in the server, see BlockFor.
  return (2 + used.cleanup_attempts) * round + internal::ShortPauses(used.cleanup_attempts) +
         std::chrono::milliseconds(1);
}

}  // namespace interlock
