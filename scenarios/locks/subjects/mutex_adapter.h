// SPDX-License-Identifier: MIT
//
// What the library's locks have in common as subjects; and of those with one owner, or one writer,
// where it stands in the server, and what they promise.
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

/// The key of the resource that ends like this; all of its keys begin with the first, which has no
/// ending.
std::string KeyOf(const harness::LockOptions& options, std::string_view ending = {});

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

/// What a lock of ours keeps, and what breaks, under each class of faults. See harness::Promise.
struct Keeps {
  std::string_view usual;  ///< without faults, and under all those that are not named here
  std::string_view crash;  ///< of clients, which may come back
  std::string_view pause;  ///< of any length
  std::string_view pause_breaks = {};
  std::string_view clock;  ///< a client's or the server's
  std::string_view clock_breaks = {};
  std::string_view server;  ///< restarts and errors
  std::string_view loss;    ///< of data, by a restart or by a new primary
  std::string_view loss_breaks = {};
};
/// `cluster`: it works on one, too.
std::vector<harness::Promise> PromisesOf(const Keeps& keeps, bool cluster);

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
std::vector<harness::Promise> WithOrder(std::vector<harness::Promise> promises, bool cluster);

}  // namespace interlock::scenarios::subjects
