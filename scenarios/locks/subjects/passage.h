// SPDX-License-Identifier: MIT
//
// What a latch grants: a client that is let through holds nothing, see harness::Latch. And for how
// long a latch lives.
//
// Thread safety: as harness::Hold.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <interlock/harness/lock.h>

namespace interlock::scenarios::subjects {

class Passage final : public harness::Hold {
 public:
  std::string owner_token() const override { return ""; }
  MonotonicTime valid_until() const override { return kNever; }
  Status Release() override { return Status(); }
};

inline std::chrono::milliseconds LifeOf(const harness::LockOptions& options) {
  constexpr std::chrono::hours kLongerThanAnyRun(7 * 24);
  return options.life.count() > 0 ? options.life : kLongerThanAnyRun;
}

inline Result<std::unique_ptr<harness::Hold>> ToPassage(const Status& opened) {
  if (!opened.ok()) return opened;
  return std::unique_ptr<harness::Hold>(std::make_unique<Passage>());
}

}  // namespace interlock::scenarios::subjects
