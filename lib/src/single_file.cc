// SPDX-License-Identifier: MIT
#include <interlock/single_file.h>

#include <chrono>
#include <utility>

#include "src/lease_protocol.h"
#include "src/scripts.h"

namespace interlock {

Result<SingleFile> SingleFile::Create(Client& client, SingleFileOptions options) {
  for (Status valid : {client.status(), Validate(options)}) {
    if (!valid.ok()) return valid;
  }
  internal::ScriptContext context{
      .dialect = internal::Dialect::kPermits,
      .keys = internal::ResourceKeys(internal::Dialect::kPermits, options.key_prefix, options.name),
      .lease = std::chrono::floor<std::chrono::milliseconds>(options.expire_in),
      .permits = options.concurrency};
  auto protocol = std::make_shared<internal::LeaseProtocol>(client.core(), std::move(context),
                                                            options.drift_per_mille, options.retry);
  return SingleFile(std::move(options.name), std::move(protocol));
}

SingleFile::SingleFile(std::string name, std::shared_ptr<internal::LeaseProtocol> protocol)
    : name_(std::move(name)), protocol_(std::move(protocol)) {}

Result<Lease> SingleFile::TryAcquire() { return internal::ToLease(protocol_, protocol_->Try()); }

Result<Lease> SingleFile::AcquireFor(Duration timeout) {
  return AcquireUntil(AddSaturating(protocol_->Now(), timeout));
}

Result<Lease> SingleFile::AcquireUntil(MonotonicTime deadline) {
  return internal::ToLease(protocol_, protocol_->AcquireUntil(deadline));
}

Result<Lease> SingleFile::Acquire() { return AcquireUntil(kNever); }

}  // namespace interlock
