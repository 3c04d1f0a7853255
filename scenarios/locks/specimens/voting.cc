// SPDX-License-Identifier: MIT
#include "scenarios/locks/specimens/voting.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kLock =
    "if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end return 0";
constexpr std::string_view kLockAndCount =
    "if not redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end "
    "local n = redis.call('incr', KEYS[1] .. ':fence') "
    "redis.call('pexpire', KEYS[1] .. ':fence', 86400000) return n";

/// What one client has to do with the servers.
struct Voters {
  Voters(harness::Environment& environment, const harness::LockOptions& options,
         const VotingRecipe& its_recipe)
      : recipe(its_recipe),
        runtime(environment.runtime),
        key(KeyOf(options)),
        lease(options.lease) {
    for (Connector* connector : environment.nodes) {
      harness::Environment one{environment.runtime, *connector, {connector}, environment.wall_ms};
      nodes.push_back(std::make_unique<RedisClient>(
          one, std::min<Duration>(recipe.socket_timeout, 64 * options.lease)));
    }
    if (recipe.starts_anywhere) first = Random() % nodes.size();
  }

  std::size_t Random() const {
    std::array<std::byte, 1> byte{};
    runtime.FillRandom(byte);
    return std::to_integer<std::size_t>(byte[0]);
  }
  RedisClient& Node(std::size_t index) { return *nodes[(first + index) % nodes.size()]; }

  /// Compares and deletes on these servers, twice where the first is not answered.
  Status Unlock(const std::string& token, const std::vector<bool>& where, std::size_t& released) {
    Status failure;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!where[i]) continue;
      Status status;
      for (int attempt = 0; attempt < 3; ++attempt) {
        status = CompareAndDelete(Node(i), key, token);
        if (status.ok() || status.code() == StatusCode::kNotOwner) break;
        if (status.code() == StatusCode::kCancelled) return status;
      }
      if (status.ok()) {
        ++released;
      } else if (status.code() != StatusCode::kNotOwner) {
        failure = status;
      }
    }
    return failure;
  }

  const VotingRecipe& recipe;
  Runtime& runtime;
  const std::string key;
  const milliseconds lease;
  std::vector<std::unique_ptr<RedisClient>> nodes;
  std::size_t first = 0;
};

struct Votes {
  std::size_t granted = 0;
  std::vector<bool> to_unlock;
  std::optional<std::uint64_t> fence;
  MonotonicTime valid_until{};
};

class VotedHold final : public harness::Hold {
 public:
  VotedHold(std::shared_ptr<Voters> voters, std::string token, Votes votes)
      : voters_(std::move(voters)), token_(std::move(token)), votes_(std::move(votes)) {}

  std::string owner_token() const override { return token_; }
  std::optional<std::uint64_t> fencing_token() const override { return votes_.fence; }
  MonotonicTime valid_until() const override { return votes_.valid_until; }

  Status Extend() override {
    const VotingRecipe& recipe = voters_->recipe;
    const MonotonicTime asked = voters_->runtime.Now();
    std::size_t extended = 0;
    for (std::size_t i = 0; i < voters_->nodes.size(); ++i) {
      const Status status = CallScript(voters_->Node(i), recipe.extend_script, voters_->key,
                                       {token_, Ms(voters_->lease)}, 1, StatusCode::kNotOwner);
      if (status.code() == StatusCode::kCancelled) return status;
      if (status.ok()) ++extended;
    }
    const auto& enough = recipe.extend_quorum ? recipe.extend_quorum : recipe.quorum;
    if (extended < enough(voters_->nodes.size())) return Status(StatusCode::kUnknownOutcome);
    votes_.valid_until = ValidFrom(asked, voters_->lease);
    return Status();
  }

  Status Release() override {
    std::size_t released = 0;
    const Status failure = voters_->Unlock(token_, votes_.to_unlock, released);
    if (failure.code() == StatusCode::kCancelled) return failure;
    if (released >= voters_->recipe.quorum(voters_->nodes.size())) return Status();
    return failure.ok() ? Status(StatusCode::kNotOwner) : Status(StatusCode::kUnknownOutcome);
  }

 private:
  std::shared_ptr<Voters> voters_;
  const std::string token_;
  Votes votes_;
};

class VotingLock final : public harness::Lock {
 public:
  VotingLock(harness::Environment& environment, const harness::LockOptions& options,
             const VotingRecipe& recipe)
      : voters_(std::make_shared<Voters>(environment, options, recipe)) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    std::string token = NewToken(voters_->runtime);
    Votes votes;
    if (Status asked = Ask(token, votes); !asked.ok()) return asked;
    const bool in_time = voters_->runtime.Now() < votes.valid_until;
    if (in_time && votes.granted >= voters_->recipe.quorum(voters_->nodes.size())) {
      return std::unique_ptr<harness::Hold>(
          std::make_unique<VotedHold>(voters_, std::move(token), std::move(votes)));
    }
    if (!voters_->recipe.losers_unlock) return Status(StatusCode::kNotAcquired);
    std::size_t released = 0;
    const Status undone = voters_->Unlock(token, votes.to_unlock, released);
    if (undone.code() == StatusCode::kCancelled) return undone;
    return Status(undone.ok() ? StatusCode::kNotAcquired : StatusCode::kUnknownOutcome);
  }

  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    MonotonicTime next = voters_->runtime.Now();
    for (;;) {
      auto hold = TryAcquire();
      if (hold.ok() || hold.code() == StatusCode::kCancelled) return hold;
      const MonotonicTime now = voters_->runtime.Now();
      if (now >= deadline) {
        if (hold.code() == StatusCode::kNotAcquired) return Status(StatusCode::kTimeout);
        return hold;
      }
      const Duration rhythm = voters_->recipe.fixed_rhythm;
      if (rhythm.count() > 0) {
        while (next <= now) next += rhythm;
      } else {
        next = now + milliseconds(50) + voters_->Random() % 200 * milliseconds(1);
      }
      voters_->runtime.NewEvent()->WaitUntil(std::min(next, deadline));
    }
  }

 private:
  Status Ask(const std::string& token, Votes& votes) {
    const VotingRecipe& recipe = voters_->recipe;
    MonotonicTime since = voters_->runtime.Now();
    votes.to_unlock.assign(voters_->nodes.size(), false);
    for (std::size_t i = 0; i < voters_->nodes.size(); ++i) {
      if (i > 0 && recipe.pace.count() > 0) {
        voters_->runtime.NewEvent()->WaitUntil(since + static_cast<int>(i) * recipe.pace);
      }
      const std::string lease = Ms(voters_->lease);
      const Result<Reply> reply = voters_->Node(i).Call(
          {"EVAL", recipe.counts ? kLockAndCount : kLock, "1", voters_->key, token, lease});
      if (!reply.ok()) {
        if (reply.code() == StatusCode::kCancelled) return reply.status();
        votes.to_unlock[i] = recipe.unlocks_unsure && reply.outcome() == Outcome::kUnknown;
        continue;
      }
      if (!reply->IsInteger() || reply->integer == 0) continue;
      ++votes.granted;
      votes.to_unlock[i] = true;
      const auto count = static_cast<std::uint64_t>(reply->integer);
      if (recipe.counts) votes.fence = std::max(votes.fence.value_or(0), count);
    }
    if (recipe.believes_from_last_reply) since = voters_->runtime.Now();
    votes.valid_until = ValidFrom(since, voters_->lease);
    return Status();
  }

  std::shared_ptr<Voters> voters_;
};

class VotingSubject final : public RecipeSubject<VotingRecipe, VotingLock> {
 public:
  using RecipeSubject::RecipeSubject;

  harness::Traits traits() const override {
    return {
        .can_extend = !recipe_.extend_script.empty(), .fencing = recipe_.counts, .quorum = true};
  }
  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override {
    if (!recipe_.counts) return {};
    return {{KeyOf(options) + ":fence", std::chrono::hours(24)}};
  }
  milliseconds WakeUpBound(const harness::LockOptions& options) const override {
    const Duration rhythm = recipe_.fixed_rhythm;
    if (rhythm.count() == 0) return options.lease;
    return std::chrono::duration_cast<milliseconds>(rhythm) + options.lease / 8;
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> MakeVoting(VotingRecipe recipe) {
  return std::make_shared<const VotingSubject>(std::move(recipe));
}

}  // namespace interlock::scenarios::specimens
