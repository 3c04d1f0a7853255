// SPDX-License-Identifier: MIT
#include <interlock/lease.h>

#include <algorithm>
#include <utility>

namespace interlock {

Lease::Lease(std::shared_ptr<internal::LeaseBackend> backend, internal::Grant grant)
    : backend_(std::move(backend)), grant_(std::move(grant)) {}

Lease::Lease(Lease&& other) noexcept
    : backend_(std::move(other.backend_)),
      grant_(std::move(other.grant_)),
      state_(std::exchange(other.state_, State::kEmpty)),
      release_status_(std::move(other.release_status_)) {}

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this == &other) return *this;
  if (state_ == State::kHeld) (void)Release();
  backend_ = std::move(other.backend_);
  grant_ = std::move(other.grant_);
  state_ = std::exchange(other.state_, State::kEmpty);
  release_status_ = std::move(other.release_status_);
  return *this;
}

Lease::~Lease() {
  if (state_ == State::kHeld) (void)Release();
}

bool Lease::valid() const { return state_ == State::kHeld && backend_->Now() < grant_.valid_until; }

Duration Lease::remaining() const {
  if (state_ != State::kHeld) return Duration(0);
  return std::max(grant_.valid_until - backend_->Now(), Duration(0));
}

Status Lease::Extend() {
  if (state_ == State::kEmpty) return Status(StatusCode::kNotOwner, "this handle holds nothing");
  return Extend(backend_->default_lease());
}

Status Lease::Extend(Duration lease) {
  if (state_ != State::kHeld) return Status(StatusCode::kNotOwner, "it is no longer held");
  if (!valid()) return Status(StatusCode::kLeaseLost, "the lease was over before it was extended");
  const Result<MonotonicTime> extended = backend_->Extend(grant_, lease);
  if (extended.ok()) {
    grant_.valid_until = std::max(grant_.valid_until, *extended);
  } else if (extended.code() == StatusCode::kNotOwner) {
    state_ = State::kLost;
  }
  return extended.status();
}

Status Lease::Release() noexcept {
  switch (state_) {
    case State::kEmpty:
      return Status(StatusCode::kNotOwner, "this handle holds nothing");
    case State::kLost:
      return Status(StatusCode::kNotOwner, "the lease was lost");
    case State::kReleased:
      return release_status_;
    case State::kHeld:
    case State::kUnreleased:
      break;
  }
  // Before the call, which may take its time: the belief must not outlive the wish to release.
  state_ = State::kUnreleased;
  Status released = backend_->Release(grant_);
  const StatusCode code = released.code();
  if (code == StatusCode::kOk || code == StatusCode::kNotOwner) {
    state_ = State::kReleased;
    release_status_ = released;
  }
  return released;
}

void Lease::Forget() noexcept {
  state_ = State::kEmpty;
  backend_.reset();
}

}  // namespace interlock
