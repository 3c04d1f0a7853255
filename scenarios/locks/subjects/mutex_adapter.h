// SPDX-License-Identifier: MIT
//
// What the library's locks with one owner, or one writer, have in common as subjects: where the
// owner stands in the server, and what they promise.
//
// Thread safety: as harness::Subject.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

namespace interlock::scenarios::subjects {

/// The first key of the resource, and what all of its keys begin with.
std::string KeyOf(const harness::LockOptions& options);
/// The one of them that ends like this.
std::string KeyOf(const harness::LockOptions& options, std::string_view ending);

/// As KeyOf, for a look at the server, one of which follows every command: a name is rarely long
/// enough to need memory of its own.
class KeyText {
 public:
  explicit KeyText(const harness::LockOptions& options, std::string_view ending = {});
  KeyText(const KeyText&) = delete;
  KeyText& operator=(const KeyText&) = delete;

  std::string_view view() const { return view_; }

 private:
  std::array<char, 128> short_;
  std::string long_;
  std::string_view view_;
};

class MutexAdapter : public harness::Subject {
 public:
  harness::Traits traits() const override {
    return {.can_extend = true,
            .fencing = true,
            .stops = true,
            .operators = true,
            .concurrent = true,
            .recalls_releases = true};
  }
  /// A client has no tasks of its own but those that renew.
  harness::ExploredBound explored() const override {
    // A lock that renews is never late, unless its holder dies.
    return {.late_returns = !traits().renews, .tasks_in_order = traits().renews};
  }
  std::vector<harness::Promise> Promises() const override;
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override;
  std::optional<std::chrono::milliseconds> HandOverBound(
      const harness::LockOptions& options) const override;
  std::chrono::milliseconds OverrunBound(const harness::LockOptions& options) const override;
  std::chrono::milliseconds BarredFor(const harness::LockOptions& options) const override;
  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override;
};

/// The same promises, of a lock that also keeps an order among waiters whom the server can hear.
std::vector<harness::Promise> WithOrder(std::vector<harness::Promise> promises);

}  // namespace interlock::scenarios::subjects
