// SPDX-License-Identifier: MIT
#include <interlock/mutex.h>

#include <chrono>
#include <memory>
#include <utility>

#include "src/lease_protocol.h"
#include "src/scripts/mutex_scripts.h"
#include "src/scripts/native_scripts.h"

namespace interlock {

Result<Mutex> Mutex::Create(Client& client, std::string name, MutexOptions options) {
  for (const Status& valid : {client.status(), ValidateName(name), Validate(options)}) {
    if (!valid.ok()) return valid;
  }
  const auto lease = std::chrono::floor<std::chrono::milliseconds>(options.lease);
  const auto delay = std::chrono::ceil<std::chrono::milliseconds>(options.lock_delay);
  std::shared_ptr<const internal::LockScripts> scripts;
  if (options.fencing) {
    scripts =
        std::make_shared<const internal::MutexScripts>(options.key_prefix, name, lease, delay);
  } else {
    scripts =
        std::make_shared<const internal::NativeScripts>(options.key_prefix, name, lease, delay);
  }
  auto protocol = std::make_shared<internal::LeaseProtocol>(client.core(), std::move(scripts),
                                                            options.drift_per_mille, options.retry);
  return Mutex(std::move(name), std::move(protocol));
}

}  // namespace interlock
