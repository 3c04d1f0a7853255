// SPDX-License-Identifier: MIT
#include <interlock/mutex.h>

#include <chrono>
#include <utility>

#include "src/lease_protocol.h"
#include "src/scripts.h"

namespace interlock {

Result<Mutex> Mutex::Create(Client& client, std::string name, MutexOptions options) {
  for (Status valid : {client.status(), ValidateName(name), Validate(options)}) {
    if (!valid.ok()) return valid;
  }
  internal::ScriptContext context{
      .dialect = internal::Dialect::kMutex,
      .keys = internal::ResourceKeys(internal::Dialect::kMutex, options.key_prefix, name),
      .lease = std::chrono::floor<std::chrono::milliseconds>(options.lease),
      .permits = 1};
  auto protocol = std::make_shared<internal::LeaseProtocol>(client.core(), std::move(context),
                                                            options.drift_per_mille, options.retry);
  return Mutex(std::move(name), std::move(protocol));
}

Mutex::Mutex(std::string name, std::shared_ptr<internal::LeaseProtocol> protocol)
    : name_(std::move(name)), protocol_(std::move(protocol)) {}

Result<Lease> Mutex::TryAcquire() { return internal::ToLease(protocol_, protocol_->Try()); }

Result<Lease> Mutex::AcquireFor(Duration timeout) {
  return AcquireUntil(AddSaturating(protocol_->Now(), timeout));
}

Result<Lease> Mutex::AcquireUntil(MonotonicTime deadline) {
  return internal::ToLease(protocol_, protocol_->AcquireUntil(deadline));
}

Result<Lease> Mutex::Acquire() { return AcquireUntil(kNever); }

}  // namespace interlock
