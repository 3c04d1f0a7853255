// SPDX-License-Identifier: MIT
#include <interlock/shared_mutex.h>

#include <chrono>
#include <utility>

#include "src/client_core.h"
#include "src/lease_protocol.h"
#include "src/scripts/shared_scripts.h"

namespace interlock {

Result<SharedMutex> SharedMutex::Create(Client& client, std::string name,
                                        SharedMutexOptions options) {
  for (const Status& valid : {client.status(), ValidateName(name), Validate(options)}) {
    if (!valid.ok()) return valid;
  }
  const auto lease = std::chrono::floor<std::chrono::milliseconds>(options.lease);
  const auto side = [&](std::unique_ptr<const internal::LockScripts> scripts) {
    return Side(name,
                std::make_shared<internal::LeaseProtocol>(client.core(), std::move(scripts),
                                                          options.drift_per_mille, options.retry));
  };
  return SharedMutex(
      side(std::make_unique<internal::ReaderScripts>(options.key_prefix, name, lease)),
      side(std::make_unique<internal::WriterScripts>(options.key_prefix, name, lease,
                                                     options.prefer_writers)),
      client.core(), std::make_shared<const internal::SharedKeys>(options.key_prefix, name));
}

SharedMutex::SharedMutex(Side reader, Side writer, internal::ClientCore& client,
                         std::shared_ptr<const internal::SharedKeys> keys)
    : reader_(std::move(reader)),
      writer_(std::move(writer)),
      client_(&client),
      keys_(std::move(keys)) {}

Result<Inspection> SharedMutex::Inspect() {
  const auto answer = client_->Run(internal::InspectBoth(*keys_), internal::Use::kPooled);
  return answer.ok() ? internal::ParseInspection(answer->reply) : answer.status();
}

Status SharedMutex::ForceRelease(const Holder& holder) {
  Status released = reader_.ForceRelease(holder);
  return released.code() == StatusCode::kNotOwner ? writer_.ForceRelease(holder) : released;
}

Status SharedMutex::Upgrade(const Lease& /*read*/) const {
  return Status(StatusCode::kInvalidArgument,
                "a read lease of " + name() +
                    " cannot become a write lease: two readers that both upgrade would wait for "
                    "each other; release it, acquire the write lease, and read again");
}

}  // namespace interlock
