// SPDX-License-Identifier: MIT
//
// What the library's semaphores have in common as subjects: where their permits stand in the
// server, and what they promise.
//
// Thread safety: as harness::Subject.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

namespace interlock::scenarios::subjects {

class PermitAdapter : public harness::Subject {
 public:
  harness::Traits traits() const override;
  harness::ExploredBound explored() const override { return {.tasks_in_order = false}; }
  std::vector<harness::Promise> Promises() const override;
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override;
  std::optional<std::chrono::milliseconds> HandOverBound(
      const harness::LockOptions& options) const override;
  std::chrono::milliseconds OverrunBound(const harness::LockOptions& options) const override;
  std::chrono::milliseconds BarredFor(const harness::LockOptions& options) const override;
  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override;

 protected:
  /// See harness::Permits::limit_stands.
  virtual std::chrono::milliseconds LimitStands() const = 0;
};

}  // namespace interlock::scenarios::subjects
