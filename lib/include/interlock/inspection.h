// SPDX-License-Identifier: MIT
//
// Inspection: who holds a resource and how many wait for it, as the server sees it; for operators.
//
//   Result<Inspection> now = mutex.Inspect();
//   if (!now.ok()) return now.status();
//   for (const Holder& holder : now->holders) Print(holder.label, holder.remaining);
//
// Guarantee: one instant of the server. Not guaranteed: that it is still so when the answer
// arrives.
//
// Thread safety: plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/time.h>

namespace interlock {

struct Holder {
  std::string token;  ///< as Lease::token
  /// Time until its lease ends by the server's clock: 0 or more, MutexOptions::lock_delay included.
  Duration remaining{};
  std::uint64_t fencing_token = 0;  ///< 0: the server keeps none for each permit or reader

  /// ClientOptions::label of the client that acquired it; empty if it had none.
  std::string_view label() const {
    const std::size_t at = token.find('@');
    return std::string_view(token).substr(0, at == std::string::npos ? 0 : at);
  }
};

struct Inspection {
  std::vector<Holder> holders;
  /// The waiters that the server knows of, including dead ones that were not yet passed over.
  /// nullopt: the waiters of this lock leave no trace there.
  std::optional<std::int64_t> waiters;
};

}  // namespace interlock
