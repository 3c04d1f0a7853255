// SPDX-License-Identifier: MIT
#include "scenarios/locks/subjects/multi_adapter.h"

#include <functional>
#include <iterator>
#include <utility>

namespace interlock::scenarios::subjects {
namespace {

/// One of the leases of a MultiLease, to be looked at.
class Part final : public harness::Hold {
 public:
  explicit Part(const Lease& lease) : lease_(&lease) {}

  std::string owner_token() const override { return lease_->token(); }
  std::optional<std::uint64_t> fencing_token() const override { return lease_->fencing_token(); }
  std::optional<bool> valid() const override { return lease_->valid(); }
  MonotonicTime valid_until() const override { return lease_->valid_until(); }
  Status Release() override {
    return Status(StatusCode::kInvalidArgument, "it is released with the others");
  }

 private:
  const Lease* lease_;
};

class Whole final : public harness::Hold {
 public:
  Whole(std::shared_ptr<const void> client, MultiLease leases, Renewal renewal)
      : client_(std::move(client)), leases_(std::move(leases)), renewal_(renewal) {
    for (const Lease& lease : leases_.leases()) parts_.emplace_back(lease);
  }
  /// As that of a LeaseHold.
  ~Whole() override { leases_.Forget(); }
  Whole(const Whole&) = delete;
  Whole& operator=(const Whole&) = delete;

  std::string owner_token() const override { return parts_.front().owner_token(); }
  std::optional<std::uint64_t> fencing_token() const override {
    return parts_.front().fencing_token();
  }
  std::optional<bool> valid() const override { return leases_.valid(); }
  MonotonicTime valid_until() const override { return leases_.valid_until(); }
  const Hold& Part(std::size_t index) const override { return parts_[index]; }
  Event* lost() override { return renewal_.wanted() ? &leases_.lost() : nullptr; }
  bool OnLost(std::function<void()> callback) override {
    if (renewal_.wanted()) leases_.OnLost(std::move(callback));
    return renewal_.wanted();
  }
  Status Extend() override { return OfAll(leases_.Extend()); }
  Status Release() override { return OfAll(leases_.Release()); }

 private:
  /// One that was not held any more says nothing of the others.
  static Status OfAll(Status status) {
    if (status.code() != StatusCode::kNotOwner) return status;
    return Status(StatusCode::kLeaseLost, status.message());
  }

  std::shared_ptr<const void> client_;
  MultiLease leases_;
  const Renewal renewal_;
  std::vector<subjects::Part> parts_;
};

}  // namespace

harness::Traits MultiAdapter::traits() const {
  return {.can_extend = true, .fencing = true, .several = true, .concurrent = true};
}

/// Besides what is waited for, what is had may have to be given back.
std::chrono::milliseconds MultiAdapter::OverrunBound(const harness::LockOptions& options) const {
  return 2 * MutexAdapter::OverrunBound(options);
}

std::vector<harness::AuxiliaryKey> MultiAdapter::AuxiliaryKeys(
    const harness::LockOptions& options) const {
  std::vector<harness::AuxiliaryKey> keys = MutexAdapter::AuxiliaryKeys(options);
  for (const std::string& name : options.several) {
    if (name == options.resource) continue;
    harness::LockOptions beside = options;
    beside.resource = name;
    std::vector<harness::AuxiliaryKey> more = MutexAdapter::AuxiliaryKeys(beside);
    keys.insert(keys.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
  }
  return keys;
}

std::unique_ptr<harness::Hold> ToHold(std::shared_ptr<const void> client, MultiLease leases,
                                      Renewal renewal) {
  return std::make_unique<Whole>(std::move(client), std::move(leases), renewal);
}

}  // namespace interlock::scenarios::subjects
