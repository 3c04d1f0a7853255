// SPDX-License-Identifier: MIT
#include <interlock/lease.h>

#include <utility>

#include "src/held_lease.h"

namespace interlock {

namespace {

Status HoldsNothing() { return Status(StatusCode::kNotOwner, "this handle holds nothing"); }

}  // namespace

Lease::Lease(std::shared_ptr<internal::LeaseBackend> backend, internal::Grant grant)
    : token_(grant.token),
      fencing_token_(grant.fencing_token),
      held_(std::make_shared<internal::HeldLease>(std::move(backend), std::move(grant))) {}

Lease::Lease(Lease&& other) noexcept
    : token_(std::move(other.token_)),
      fencing_token_(std::exchange(other.fencing_token_, 0)),
      held_(std::move(other.held_)) {}

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this == &other) return *this;
  if (held_ != nullptr) held_->Drop();
  token_ = std::move(other.token_);
  fencing_token_ = std::exchange(other.fencing_token_, 0);
  held_ = std::move(other.held_);
  return *this;
}

Lease::~Lease() {
  if (held_ != nullptr) held_->Drop();
}

bool Lease::valid() const { return held_ != nullptr && held_->Valid(); }

MonotonicTime Lease::valid_until() const {
  return held_ != nullptr ? held_->valid_until() : MonotonicTime();
}

Duration Lease::remaining() const { return held_ != nullptr ? held_->Remaining() : Duration(0); }

Status Lease::Extend() { return held_ != nullptr ? held_->Extend(std::nullopt) : HoldsNothing(); }

Status Lease::Extend(Duration lease) {
  return held_ != nullptr ? held_->Extend(lease) : HoldsNothing();
}

Status Lease::KeepAlive(AnyDuration max_hold) {
  return held_ != nullptr ? held_->KeepAlive(max_hold) : HoldsNothing();
}

bool Lease::is_lost() const { return held_ != nullptr && held_->Ended(); }

Event& Lease::lost() { return held_->lost(); }

void Lease::OnLost(std::function<void()> callback) { held_->OnLost(std::move(callback)); }

Status Lease::Release() noexcept { return held_ != nullptr ? held_->Release() : HoldsNothing(); }

Result<std::string> Lease::HandOver() {
  return held_ != nullptr ? held_->HandOver() : HoldsNothing();
}

void Lease::Forget() noexcept {
  if (held_ != nullptr) held_->Close();
}

}  // namespace interlock
