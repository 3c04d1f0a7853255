// SPDX-License-Identifier: MIT
//
// How many errors have been sent, by their first word, as INFO lists them. Scripts can make up any
// word, so newer servers limit how many there are. Sources: Redis 8.0.6, Valkey 8.1.1 and 9.1.2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "sim/redis/dialect.h"

namespace interlock::sim::redis {

class ErrorCounts {
 public:
  using Counts = std::map<std::string, std::int64_t, std::less<>>;

  /// `made_up`: by a script, and not by a command that it has called.
  void Count(const Dialect& dialect, std::string_view word, bool made_up) {
    constexpr std::size_t kMost = 128;
    if (stopped_) return;
    auto at = counts_.find(word);
    if (at == counts_.end() && counts_.size() >= kMost) {
      if (dialect.IsIn(kNewerRedis)) return Stop();
      if (dialect.valkey && made_up) at = counts_.try_emplace("ERRORSTATS_OVERFLOW").first;
    }
    if (at == counts_.end()) at = counts_.try_emplace(std::string(word)).first;
    ++at->second;
  }
  void Reset() {
    counts_.clear();
    stopped_ = false;
  }
  const Counts& counts() const { return counts_; }

 private:
  void Stop() {
    stopped_ = true;
    counts_ = {{"ERRORSTATS_DISABLED", 1}};
  }

  Counts counts_;
  bool stopped_ = false;  // Until the next Reset.
};

}  // namespace interlock::sim::redis
