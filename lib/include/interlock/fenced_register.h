// SPDX-License-Identifier: MIT
//
// FencedRegister: a value that refuses writes from holders whose time is over. It shows in the
// fewest lines what a store has to do so that no pause of a lock's holder can do harm, and is of
// use as it is for what lives in one process.
//
//   FencedRegister<Invoice> invoice;
//   Status written = invoice.Write(lease.fencing_token(), changed);
//
// Guarantee: once a token was seen, by a read or a write, no lower one is accepted. Equal tokens
// are the same holder. Not guaranteed: order between holders of a lock whose own fencing tokens
// do not grow, see the lock's header; nor is it for readers of a SharedMutex or several permits of
// a Semaphore, whose holders are there at the same time: it refuses the one with the lower token.
//
// The same in SQL, with the token stored beside the row, is
//   UPDATE invoice SET total = ?, fence = :token WHERE id = ? AND fence <= :token
// where "no row was changed" is the refusal; in Redis, a script that compares before it sets.
//
// Thread safety: may be used from any task.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include <interlock/result.h>

namespace interlock {

template <typename T>
class FencedRegister {
 public:
  explicit FencedRegister(T initial = T()) : value_(std::move(initial)) {}

  /// kNotOwner: a later holder has been here; nothing was changed.
  Status Write(std::uint64_t fencing_token, T value) {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (fencing_token < highest_) return Stale();
    highest_ = fencing_token;
    value_ = std::move(value);
    return Status();
  }

  /// A read that counts as an access: from now on earlier holders are refused. kNotOwner as above.
  Result<T> Read(std::uint64_t fencing_token) {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (fencing_token < highest_) return Stale();
    highest_ = fencing_token;
    return value_;
  }

 private:
  static Status Stale() {
    return Status(StatusCode::kNotOwner, "a holder with a later fencing token was here");
  }

  std::mutex mutex_;
  std::uint64_t highest_ = 0;
  T value_;
};

}  // namespace interlock
