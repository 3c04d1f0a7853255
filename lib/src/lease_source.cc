// SPDX-License-Identifier: MIT
#include <interlock/lease_source.h>

#include <utility>

namespace interlock {
namespace {

/// A lease keeps alive what it needs of its lock, not the lock object.
Result<Lease> ToLease(const std::shared_ptr<internal::LeaseGranter>& granter,
                      Result<internal::Grant> grant) {
  if (!grant.ok()) return grant.status();
  return Lease(granter, std::move(grant).value());
}

}  // namespace

LeaseSource::LeaseSource(std::string name, std::shared_ptr<internal::LeaseGranter> granter)
    : name_(std::move(name)), granter_(std::move(granter)) {}

Result<Lease> LeaseSource::TryAcquire() { return ToLease(granter_, granter_->Try()); }

Result<Lease> LeaseSource::AcquireFor(Duration timeout) {
  return AcquireUntil(AddSaturating(granter_->runtime().Now(), timeout));
}

Result<Lease> LeaseSource::AcquireUntil(MonotonicTime deadline) {
  return ToLease(granter_, granter_->AcquireUntil(deadline));
}

Result<Lease> LeaseSource::Acquire() { return AcquireUntil(kNever); }

}  // namespace interlock
