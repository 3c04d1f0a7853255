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
  const int cleanups = options().cleanup_attempts;
  // The extra millisecond is the shortest sleep in the server, see BlockFor.
  return (2 + cleanups) * core_->LongestGrant() + internal::ShortPauses(cleanups) +
         std::chrono::milliseconds(1);
}

}  // namespace interlock
