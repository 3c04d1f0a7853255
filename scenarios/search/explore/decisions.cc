// SPDX-License-Identifier: MIT
#include "scenarios/search/explore/decisions.h"

#include <stdexcept>

namespace interlock::scenarios {

Decisions::Decisions(std::string_view prefix) : prefix_(prefix) {
  constexpr std::size_t kMoreDecisions = 64;
  path_.reserve(prefix.size() + kMoreDecisions);
  widths_.reserve(prefix.size() + kMoreDecisions);
}

std::uint32_t Decisions::Decide(const Decision& decision) {
  if (finished_) return 0;
  if (decision.width > 255) throw std::length_error("a decision has more than 255 alternatives");
  std::uint32_t chosen = decision.first;
  const bool beyond = BeyondPrefix();
  if (!beyond) {
    chosen = static_cast<unsigned char>(prefix_[path_.size()]);
    if (chosen >= decision.width) {
      OnAstray();
      return 0;
    }
  }
  if (beyond && decision.open && wander_ != 0) {
    wander_ = sim::MixSeed(wander_, path_.size());
    chosen = static_cast<std::uint32_t>(wander_ % decision.width);
  }
  path_.push_back(static_cast<char>(chosen));
  widths_.push_back(static_cast<std::uint8_t>(decision.remember ? decision.width : 1));
  return chosen;
}

void Decisions::OnAstray() {
  throw std::logic_error("a prefix led elsewhere when it was repeated");
}

}  // namespace interlock::scenarios
