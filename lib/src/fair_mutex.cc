// SPDX-License-Identifier: MIT
#include <interlock/fair_mutex.h>

#include <chrono>
#include <memory>
#include <utility>

#include "src/line_protocol.h"
#include "src/scripts/fair_scripts.h"

namespace interlock {

Result<FairMutex> FairMutex::Create(Client& client, std::string name, FairMutexOptions options) {
  using std::chrono::milliseconds;
  for (const Status& valid : {client.status(), ValidateName(name), Validate(options)}) {
    if (!valid.ok()) return valid;
  }
  auto scripts = std::make_shared<const internal::FairScripts>(
      options.key_prefix, name, std::chrono::floor<milliseconds>(options.lease),
      internal::LineRule{std::chrono::ceil<milliseconds>(options.grace),
                         std::chrono::ceil<milliseconds>(options.retry.max_wait)});
  auto protocol = std::make_shared<internal::LineProtocol>(client.core(), std::move(scripts),
                                                           options.drift_per_mille, options.retry);
  return FairMutex(std::move(name), std::move(protocol));
}

}  // namespace interlock
