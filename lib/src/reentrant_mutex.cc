// SPDX-License-Identifier: MIT
#include <interlock/reentrant_mutex.h>

#include <chrono>
#include <cstddef>
#include <utility>

#include "src/lease_protocol.h"
#include "src/scripts/reentrant_scripts.h"

namespace interlock {

ReentrantMutex::Owner::Owner(std::string name, std::shared_ptr<internal::LeaseGranter> granter,
                             std::string id)
    : LeaseSource(std::move(name), std::move(granter)), id_(std::move(id)) {}

Result<ReentrantMutex> ReentrantMutex::Create(Client& client, std::string name,
                                              ReentrantMutexOptions options) {
  for (const Status& valid : {client.status(), ValidateName(name), Validate(options)}) {
    if (!valid.ok()) return valid;
  }
  return ReentrantMutex(client, std::move(name), std::move(options));
}

ReentrantMutex::ReentrantMutex(Client& client, std::string name, ReentrantMutexOptions options)
    : client_(&client), name_(std::move(name)), options_(std::move(options)) {}

ReentrantMutex::Owner ReentrantMutex::NewOwner() { return MakeOwner(client_->core().NewToken()); }

Result<ReentrantMutex::Owner> ReentrantMutex::OwnerOf(std::string id) {
  constexpr std::size_t kMostBytes = 128;
  if (id.empty() || id.size() > kMostBytes) {
    return Status(StatusCode::kInvalidArgument, "owner id is " + std::to_string(id.size()) +
                                                    " bytes long; allowed is 1 to 128 bytes");
  }
  return MakeOwner(std::move(id));
}

Result<Inspection> ReentrantMutex::Inspect() { return Nobody().Inspect(); }

Status ReentrantMutex::ForceRelease(const Holder& holder) { return Nobody().ForceRelease(holder); }

ReentrantMutex::Owner ReentrantMutex::MakeOwner(std::string id) {
  auto scripts = std::make_shared<const internal::ReentrantScripts>(
      options_.key_prefix, name_, std::chrono::floor<std::chrono::milliseconds>(options_.lease),
      id);
  auto protocol = std::make_shared<internal::LeaseProtocol>(
      client_->core(), std::move(scripts), options_.drift_per_mille, options_.retry);
  return Owner(name_, std::move(protocol), std::move(id));
}

}  // namespace interlock
