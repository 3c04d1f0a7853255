// SPDX-License-Identifier: MIT
#include "scenarios/cases/goals.h"

namespace interlock::scenarios {

std::string_view Name(Goal goal) {
  static constexpr std::array<std::string_view, kGoalCount> kNames = {
      "contended",
      "refused",
      "waiter granted",
      "waiter timed out",
      "unknown outcome reported",
      "lease expired while held",
      "lost lease released while another held",
      "lease extended",
      "extension of a lost lease asked for",
      "client crashed while holding",
      "client crashed in its section",
      "reply lost after the grant",
      "client paused in its section",
      "client paused past its lease",
      "half-open connection served",
      "recovered after a crash",
      "lease over before its grant was learned of",
      "asked for validity after its end",
      "stale write refused",
      "write held up past the lease",
      "renewal raced the expiry",
      "reply to an executed release lost",
      "waiter woken as it timed out",
      "holder crashed while every permit was out",
      "waiter overtaken",
      "running grant lost by its server",
      "granted again when the faults were over",
      "two readers were inside at once",
      "a writer waited for readers",
      "a reader waited for a writer",
      "lease renewed by itself",
      "loss told to its holder",
      "split vote without a quorum",
      "minority of votes given back",
      "extended by a bare quorum",
      "latch waited for while closed",
      "open latch waited for",
      "party counted down again",
      "waiter died in the line",
      "hand-over crossed a crash",
      "refused for another limit",
      "limit set while permits were out",
      "limit set below the permits out",
      "waiter let in by another limit",
      "latch forgotten after its life",
      "latch remembered beyond its first life",
      "waiter stopped",
      "grant met a stop",
      "holder forced out by an operator",
      "holder called of its loss",
      "renewal after the lease was over",
  };
  return kNames[static_cast<std::size_t>(goal)];
}

void Count(const GoalSet& reached, GoalCounts& counts) {
  for (std::size_t i = 0; i < kGoalCount; ++i) {
    if (reached.Has(static_cast<Goal>(i))) ++counts[i];
  }
}

}  // namespace interlock::scenarios
