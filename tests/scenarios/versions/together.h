// SPDX-License-Identifier: MIT
//
// Locks of which some clients are of one sort and some of another, as in a fleet that is upgraded
// one by one.
//
// Thread safety: as harness::Subject.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

#include "tests/scenarios/versions/old_connector.h"

namespace interlock::scenarios::testing {

/// Another lock under a name of its own. What it promises and how it is judged stays; so a lock of
/// two sorts derives from this.
class OtherSubject : public harness::Subject {
 public:
  OtherSubject(std::string name, std::shared_ptr<const harness::Subject> inner);

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return inner_->summary(); }
  harness::Traits traits() const override { return inner_->traits(); }
  harness::ExploredBound explored() const override { return inner_->explored(); }
  std::vector<harness::Promise> Promises() const override { return inner_->Promises(); }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override;
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override;
  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override;

  using Options = harness::LockOptions;
  using Time = std::chrono::milliseconds;
  Time WakeUpBound(const Options& of) const override { return inner_->WakeUpBound(of); }
  std::optional<Time> HandOverBound(const Options& of) const override;
  std::optional<Time> PassedOverBound(const Options& of) const override;
  Time OverrunBound(const Options& of) const override { return inner_->OverrunBound(of); }
  Time StopBound(const Options& of) const override { return inner_->StopBound(of); }
  std::int64_t CommandsPerLease(const Options& of) const override;
  Time BarredFor(const Options& of) const override { return inner_->BarredFor(of); }
  Time StaysTakenFor(const Options& of) const override { return inner_->StaysTakenFor(of); }
  Time KeptAliveFor(const Options& of) const override { return inner_->KeptAliveFor(of); }
  std::optional<Time> KeptAliveAtMost(const Options& of) const override;
  Time LongestLease(const Options& of) const override { return inner_->LongestLease(of); }
  Time DriftAllowance(const Options& of) const override { return inner_->DriftAllowance(of); }

 protected:
  const harness::Subject& inner() const { return *inner_; }

 private:
  const std::string name_;
  const std::shared_ptr<const harness::Subject> inner_;
};

/// `today`, all of whose clients speak as those of the earlier version.
std::shared_ptr<const harness::Subject> OldSubject(std::shared_ptr<const harness::Subject> today,
                                                   std::shared_ptr<const OldWords> words);

/// Each lock object is one of `judged_as` or one of `other`, as the run draws it; a client that
/// comes back may be of the other sort. Their keys are those of both.
std::shared_ptr<const harness::Subject> Together(std::shared_ptr<const harness::Subject> judged_as,
                                                 std::shared_ptr<const harness::Subject> other);

/// The same of two sorts that do not wake each other: a waiter may look only when the lease of a
/// holder of the other sort is over.
std::shared_ptr<const harness::Subject> TogetherUnwoken(
    std::shared_ptr<const harness::Subject> judged_as,
    std::shared_ptr<const harness::Subject> other);

}  // namespace interlock::scenarios::testing
