// SPDX-License-Identifier: MIT
#include <interlock/shared_mutex.h>

#include <chrono>

#include "src/lease_protocol.h"
#include "src/scripts/shared_scripts.h"

namespace interlock {

Result<SharedMutex> SharedMutex::Create(Client& client, std::string name,
                                        SharedMutexOptions options) {
  for (Status valid : {client.status(), ValidateName(name), Validate(options)}) {
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
                                                     options.prefer_writers)));
}

Status SharedMutex::Upgrade(const Lease& /*read*/) const {
  return Status(StatusCode::kInvalidArgument,
                "a read lease of " + name() +
                    " cannot become a write lease: two readers that both upgrade would wait for "
                    "each other; release it, acquire the write lease, and read again");
}

}  // namespace interlock
