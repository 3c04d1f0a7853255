// SPDX-License-Identifier: MIT
#include <interlock/lease_source.h>

#include <utility>

#include "src/handed_over.h"
#include "src/lease_keeper.h"
#include "src/retry.h"

namespace interlock {
namespace {

void TellEnd(internal::LeaseGranter& granter, MonotonicTime begun,
             const Result<internal::Grant>& grant) {
  Observation end{.kind = Observation::Kind::kGaveUp, .resource = granter.resource()};
  if (grant.ok()) {
    end.kind = Observation::Kind::kGranted;
    end.token = grant->token;
    end.fencing_token = grant->fencing_token;
    end.valid_until = grant->valid_until;
  } else {
    end.status = grant.status();
  }
  granter.keeper().teller().TellSince(begun, std::move(end));
}

/// What `ask` grants. A lease keeps alive what it needs of its lock, not the lock object.
template <typename Ask>
Result<Lease> Granted(const std::shared_ptr<internal::LeaseGranter>& granter, const Ask& ask) {
  const internal::Teller& teller = granter->keeper().teller();
  const MonotonicTime begun = teller.Begin();
  Result<internal::Grant> grant = ask();
  if (teller) TellEnd(*granter, begun, grant);
  if (!grant.ok()) return grant.status();
  return Lease(granter, std::move(grant).value());
}

}  // namespace

LeaseSource::LeaseSource(std::string name, std::shared_ptr<internal::LeaseGranter> granter)
    : name_(std::move(name)), granter_(std::move(granter)) {}

Result<Lease> LeaseSource::TryAcquire() {
  return Granted(granter_, [this] { return granter_->Try(); });
}

Result<Lease> LeaseSource::AcquireFor(AnyDuration timeout, std::stop_token stop) {
  return AcquireUntil(AddSaturating(granter_->runtime().Now(), timeout), std::move(stop));
}

Result<Lease> LeaseSource::AcquireUntil(MonotonicTime deadline, std::stop_token stop) {
  if (stop.stop_requested()) return internal::StoppedBefore(granter_->resource());
  return Granted(granter_, [&] { return granter_->AcquireUntil(deadline, stop); });
}

Result<Lease> LeaseSource::Acquire(std::stop_token stop) {
  return AcquireUntil(kNever, std::move(stop));
}

Result<Lease> LeaseSource::Adopt(std::string_view handed_over) {
  const MonotonicTime begun = granter_->keeper().teller().Begin();
  Result<internal::Grant> grant = internal::GrantFromText(handed_over);
  if (!grant.ok()) return grant.status();
  const Duration lease = granter_->default_lease();
  // When it ends is not known; an answer that takes longer than a lease is worth nothing.
  grant->valid_until = AddSaturating(granter_->runtime().Now(), lease);
  const Result<MonotonicTime> extended = granter_->Extend(*grant, lease);
  if (!extended.ok()) return extended.status();
  grant->valid_until = *extended;
  if (granter_->keeper().teller()) TellEnd(*granter_, begun, grant);
  Lease adopted(granter_, std::move(*grant));
  if (!adopted.valid()) {
    adopted.Forget();
    return Status(StatusCode::kUnknownOutcome, "the answer took longer than the lease");
  }
  return adopted;
}

Result<Inspection> LeaseSource::Inspect() { return granter_->Inspect(); }

Status LeaseSource::ForceRelease(const Holder& holder) {
  internal::Grant grant;
  grant.token = holder.token;
  grant.fencing_token = holder.fencing_token;
  grant.forced = true;
  return granter_->Release(grant);
}

}  // namespace interlock
