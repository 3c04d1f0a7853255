// SPDX-License-Identifier: MIT
#include "tests/scenarios/versions/together.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stop_token>
#include <utility>

namespace interlock::scenarios::testing {

OtherSubject::OtherSubject(std::string name, std::shared_ptr<const harness::Subject> inner)
    : name_(std::move(name)), inner_(std::move(inner)) {}

std::unique_ptr<harness::Lock> OtherSubject::NewLock(harness::Environment& environment,
                                                     const harness::LockOptions& options) const {
  return inner_->NewLock(environment, options);
}
std::optional<std::vector<harness::Owner>> OtherSubject::Owners(
    const harness::ServerView& server, const harness::LockOptions& options) const {
  return inner_->Owners(server, options);
}
std::vector<harness::AuxiliaryKey> OtherSubject::AuxiliaryKeys(
    const harness::LockOptions& options) const {
  return inner_->AuxiliaryKeys(options);
}
std::optional<OtherSubject::Time> OtherSubject::HandOverBound(const Options& of) const {
  return inner_->HandOverBound(of);
}
std::optional<OtherSubject::Time> OtherSubject::PassedOverBound(const Options& of) const {
  return inner_->PassedOverBound(of);
}
std::int64_t OtherSubject::CommandsPerLease(const Options& of) const {
  return inner_->CommandsPerLease(of);
}
std::optional<OtherSubject::Time> OtherSubject::KeptAliveAtMost(const Options& of) const {
  return inner_->KeptAliveAtMost(of);
}

namespace {

/// What a client of the earlier version reaches. Outlives its lock.
class OldEnvironment {
 public:
  OldEnvironment(const harness::Environment& today, const std::shared_ptr<const OldWords>& words)
      : primary_(today.connector, words), environment_{today.runtime, primary_, {}} {
    for (Connector* node : today.nodes) {
      nodes_.push_back(std::make_unique<OldConnector>(*node, words));
      environment_.nodes.push_back(nodes_.back().get());
    }
  }
  OldEnvironment(const OldEnvironment&) = delete;
  OldEnvironment& operator=(const OldEnvironment&) = delete;

  harness::Environment& get() { return environment_; }

 private:
  OldConnector primary_;
  std::vector<std::unique_ptr<OldConnector>> nodes_;
  harness::Environment environment_;
};

class OldLock final : public harness::Lock {
 public:
  OldLock(const harness::Subject& subject, const harness::Environment& today,
          const harness::LockOptions& options, const std::shared_ptr<const OldWords>& words)
      : environment_(today, words), lock_(subject.NewLock(environment_.get(), options)) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override { return lock_->TryAcquire(); }
  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    return lock_->AcquireUntil(deadline);
  }
  Status CountDown(const std::string& party) override { return lock_->CountDown(party); }
  Status SetLimit(int limit) override { return lock_->SetLimit(limit); }
  Result<std::unique_ptr<harness::Hold>> TryAcquireShared() override {
    return lock_->TryAcquireShared();
  }
  Result<std::unique_ptr<harness::Hold>> AcquireSharedUntil(MonotonicTime deadline) override {
    return lock_->AcquireSharedUntil(deadline);
  }
  Result<std::unique_ptr<harness::Hold>> AcquireUnlessStopped(
      MonotonicTime deadline, const std::stop_token& stop) override {
    return lock_->AcquireUnlessStopped(deadline, stop);
  }
  Result<std::unique_ptr<harness::Hold>> AcquireSharedUnlessStopped(
      MonotonicTime deadline, const std::stop_token& stop) override {
    return lock_->AcquireSharedUnlessStopped(deadline, stop);
  }
  Result<std::vector<harness::SeenHolder>> Inspect() override { return lock_->Inspect(); }
  Status ForceRelease(const harness::SeenHolder& holder) override {
    return lock_->ForceRelease(holder);
  }

 private:
  OldEnvironment environment_;
  const std::unique_ptr<harness::Lock> lock_;
};

/// A sorted set that holds owners is where it was then.
class OldView final : public harness::ServerView {
 public:
  explicit OldView(const harness::ServerView& today) : today_(today) {}

  std::optional<std::string> String(std::string_view key) const override {
    return today_.String(key);
  }
  std::vector<std::string> List(std::string_view key) const override { return today_.List(key); }
  std::vector<std::pair<std::string, std::string>> Hash(std::string_view key) const override {
    return today_.Hash(key);
  }
  std::vector<std::pair<std::string, double>> SortedSet(std::string_view key) const override {
    return today_.SortedSet(OldWords::KeyOf("permits-inspect", key));
  }
  std::optional<std::int64_t> ExpiresAtMs(std::string_view key) const override {
    return today_.ExpiresAtMs(key);
  }
  std::int64_t NowMs() const override { return today_.NowMs(); }
  bool IsConnected(std::int64_t client_id) const override { return today_.IsConnected(client_id); }

 private:
  const harness::ServerView& today_;
};

class Old final : public OtherSubject {
 public:
  Old(std::shared_ptr<const harness::Subject> today, std::shared_ptr<const OldWords> words)
      : OtherSubject("old/" + std::string(today->name()), today), words_(std::move(words)) {}

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<OldLock>(inner(), environment, options, words_);
  }
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    return inner().Owners(OldView(server), options);
  }

 private:
  const std::shared_ptr<const OldWords> words_;
};

class Both final : public OtherSubject {
 public:
  Both(std::shared_ptr<const harness::Subject> judged_as,
       std::shared_ptr<const harness::Subject> other, bool wake_each_other)
      : OtherSubject(std::string(judged_as->name()) + "+" + std::string(other->name()), judged_as),
        other_(std::move(other)),
        wake_each_other_(wake_each_other) {}

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    std::array<std::byte, 1> drawn{};
    environment.runtime.FillRandom(drawn);
    const bool other = std::to_integer<int>(drawn[0]) % 2 == 1;
    return (other ? *other_ : inner()).NewLock(environment, options);
  }

  /// Most often both sorts keep them in one place.
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    auto owners = inner().Owners(server, options);
    const auto others = other_->Owners(server, options);
    if (!owners.has_value() || !others.has_value()) return std::nullopt;
    for (const harness::Owner& owner : *others) {
      const auto same = [&](const harness::Owner& one) { return one.token == owner.token; };
      if (std::none_of(owners->begin(), owners->end(), same)) owners->push_back(owner);
    }
    return owners;
  }

  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override {
    std::vector<harness::AuxiliaryKey> keys = inner().AuxiliaryKeys(options);
    const std::vector<harness::AuxiliaryKey> others = other_->AuxiliaryKeys(options);
    keys.insert(keys.end(), others.begin(), others.end());
    return keys;
  }

  std::optional<Time> HandOverBound(const Options& of) const override {
    return wake_each_other_ ? inner().HandOverBound(of) : std::nullopt;
  }

 private:
  const std::shared_ptr<const harness::Subject> other_;
  const bool wake_each_other_;
};

}  // namespace

std::shared_ptr<const harness::Subject> OldSubject(std::shared_ptr<const harness::Subject> today,
                                                   std::shared_ptr<const OldWords> words) {
  return std::make_shared<Old>(std::move(today), std::move(words));
}

std::shared_ptr<const harness::Subject> Together(std::shared_ptr<const harness::Subject> judged_as,
                                                 std::shared_ptr<const harness::Subject> other) {
  return std::make_shared<Both>(std::move(judged_as), std::move(other), true);
}

std::shared_ptr<const harness::Subject> TogetherUnwoken(
    std::shared_ptr<const harness::Subject> judged_as,
    std::shared_ptr<const harness::Subject> other) {
  return std::make_shared<Both>(std::move(judged_as), std::move(other), false);
}

}  // namespace interlock::scenarios::testing
