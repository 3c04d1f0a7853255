// SPDX-License-Identifier: MIT
//
// LostEvent: set when one of several leases is lost; for a single lease it is what Lease::lost()
// returns. It knows the end of their validity, so no other task has to be awake for it to be set.
//
// Thread safety: as Event. The leases must outlive it.
#pragma once

#include <memory>
#include <vector>

#include <interlock/runtime.h>
#include <interlock/time.h>

namespace interlock::internal {

class HeldLease;

class LostEvent final : public Event {
 public:
  /// REQUIRES: at least one.
  explicit LostEvent(std::vector<HeldLease*> leases);

  /// Also ends the belief in all of them.
  void Set() override;
  bool IsSet() const override;
  bool WaitUntil(MonotonicTime deadline) override;

 private:
  const std::vector<HeldLease*> leases_;
  const std::shared_ptr<Event> told_;
};

}  // namespace interlock::internal
