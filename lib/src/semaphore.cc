// SPDX-License-Identifier: MIT
#include <interlock/semaphore.h>

#include <chrono>
#include <utility>

#include "src/client_core.h"
#include "src/lease_protocol.h"
#include "src/scripts/permit_scripts.h"

namespace interlock {

using std::chrono::milliseconds;

Result<Semaphore> Semaphore::Create(Client& client, std::string name, SemaphoreOptions options) {
  for (const Status& valid : {client.status(), ValidateName(name), Validate(options)}) {
    if (!valid.ok()) return valid;
  }
  auto scripts = std::make_shared<const internal::PermitScripts>(
      options.key_prefix, name, std::chrono::floor<milliseconds>(options.lease),
      options.limit.value_or(0));
  auto protocol = std::make_shared<internal::LeaseProtocol>(client.core(), scripts,
                                                            options.drift_per_mille, options.retry);
  return Semaphore(std::move(name), std::move(protocol), client.core(), std::move(scripts));
}

Semaphore::Semaphore(std::string name, std::shared_ptr<internal::LeaseGranter> granter,
                     internal::ClientCore& client,
                     std::shared_ptr<const internal::PermitScripts> scripts)
    : LeaseSource(std::move(name), std::move(granter)),
      client_(&client),
      scripts_(std::move(scripts)) {}

Status Semaphore::SetLimit(int limit) {
  if (Status valid = ValidateLimit(limit); !valid.ok()) return valid;
  const auto answer = client_->Run(scripts_->SetLimit(limit), internal::Use::kPooled);
  return answer.ok() ? internal::ParseFlag(answer->reply).status() : answer.status();
}

Result<Semaphore::Count> Semaphore::Counts() {
  const auto answer = client_->Run(scripts_->Count(), internal::Use::kPooled);
  if (!answer.ok()) return answer.status();
  const Result<internal::PermitCount> count = internal::ParseCount(answer->reply);
  if (!count.ok()) return count.status();
  return Count{static_cast<int>(count->limit), static_cast<int>(count->out)};
}

}  // namespace interlock
