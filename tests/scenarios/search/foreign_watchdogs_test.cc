// SPDX-License-Identifier: MIT
//
// Watchdogs without an end, and locks that tell nothing of their tokens or of a loss: a sound lock
// that has these habits passes.
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/locks/specimens/recipe.h"
#include "scenarios/locks/specimens/renewed_recipe.h"
#include "tests/scenarios/search/foreign_habits_fixture.h"

namespace interlock::scenarios {
namespace {

using specimens::RedisClient;

std::shared_ptr<const harness::Subject> KeptForAsLongAsItIsHeld() {
  return specimens::MakeRenewedLock(
      {.name = "test/kept",
       .summary = "keeps each lease alive for as long as it is held",
       .watchdog = [](RedisClient& redis, specimens::Kept& kept) { RenewEachThird(redis, kept); }});
}

TEST(ForeignHabitsTest, ALeaseThatNeverRunsOutNeedNotBeLost) {
  EXPECT_EQ(RowsNotPassed(KeptForAsLongAsItIsHeld(), {"overstay", "lost-push"}, 300), "");
}

/// As another one, but without an answer to those who ask, or tokens.
class MutedHold final : public harness::Hold {
 public:
  MutedHold(std::unique_ptr<harness::Hold> hold, bool shows_token)
      : hold_(std::move(hold)), shows_token_(shows_token) {}
  std::string owner_token() const override { return shows_token_ ? hold_->owner_token() : ""; }
  MonotonicTime valid_until() const override { return hold_->valid_until(); }
  Event* lost() override { return hold_->lost(); }
  Status Release() override { return hold_->Release(); }

 private:
  const std::unique_ptr<harness::Hold> hold_;
  const bool shows_token_;
};

class MutedLock final : public harness::Lock {
 public:
  MutedLock(std::unique_ptr<harness::Lock> lock, bool shows_tokens)
      : lock_(std::move(lock)), shows_tokens_(shows_tokens) {}
  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    return Muted(lock_->TryAcquire());
  }
  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    return Muted(lock_->AcquireUntil(deadline));
  }

 private:
  Result<std::unique_ptr<harness::Hold>> Muted(Result<std::unique_ptr<harness::Hold>> hold) const {
    if (!hold.ok()) return hold;
    return std::unique_ptr<harness::Hold>(
        std::make_unique<MutedHold>(std::move(hold).value(), shows_tokens_));
  }

  const std::unique_ptr<harness::Lock> lock_;
  const bool shows_tokens_;
};

class MutedSubject final : public harness::Subject {
 public:
  MutedSubject(std::shared_ptr<const harness::Subject> lock, bool shows_tokens)
      : lock_(std::move(lock)), shows_tokens_(shows_tokens) {}
  std::string_view name() const override { return lock_->name(); }
  std::string_view summary() const override { return lock_->summary(); }
  harness::Traits traits() const override { return lock_->traits(); }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<MutedLock>(lock_->NewLock(environment, options), shows_tokens_);
  }
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    return lock_->Owners(server, options);
  }
  std::chrono::milliseconds WakeUpBound(const harness::LockOptions& options) const override {
    return lock_->WakeUpBound(options);
  }

 private:
  const std::shared_ptr<const harness::Subject> lock_;
  const bool shows_tokens_;
};

TEST(ForeignHabitsTest, ARenewedLeaseCountsOnTheClockUntilItIsGivenBack) {
  EXPECT_EQ(RowsNotPassed(KeptForAsLongAsItIsHeld(), {"chaos"}, 1500).find("LK006"),
            std::string::npos);
}

TEST(ForeignHabitsTest, ALockWithoutTokensNeedNotShowAny) {
  const auto lock = Habit({.name = "test/no-tokens",
                           .summary = "shows neither its tokens nor who owns it",
                           .owners = [](const harness::ServerView&, const harness::LockOptions&) {
                             return std::optional<std::vector<harness::Owner>>();
                           }});
  EXPECT_EQ(RowsNotPassed(std::make_shared<const MutedSubject>(lock, false), {"contention"}, 100),
            "");
}

// Nothing goes wrong in `nested`, so nobody needs to be told of a loss.
TEST(ForeignHabitsTest, WhoCannotAskSeesThatTheValidityHasMoved) {
  const auto kept = specimens::MakeRenewedLock(
      {.name = "test/kept-and-told",
       .summary = "keeps each lease alive for as long as it is held, and tells of losses",
       .watchdog =
           [](RedisClient& redis, specimens::Kept& one) {
             if (RenewEachThird(redis, one) == StatusCode::kNotOwner) one.lost->Set();
           },
       .tells = true});
  EXPECT_EQ(RowsNotPassed(std::make_shared<const MutedSubject>(kept, true), {"nested"}, 300), "");
}

}  // namespace
}  // namespace interlock::scenarios
