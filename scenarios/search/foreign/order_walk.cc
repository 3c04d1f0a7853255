// SPDX-License-Identifier: MIT
#include "scenarios/search/foreign/order_walk.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/log/words.h"
#include "sim/redis/text.h"
#include "sim/trace.h"

namespace interlock::scenarios::drive {
namespace {

sim::ReadyTask TaskOf(const PossibleStep& step) {
  return {step.client, static_cast<std::uint32_t>(step.connection)};
}

/// Time and faults commute with nothing.
bool CanSleep(const PossibleStep& step) { return step.client >= 0 && !step.fault; }

std::string_view FaultText(const PlacedFault& fault) {
  if (fault.ends) return " after slots have moved";
  switch (fault.strike) {
    case Strike::kCrash:
      return fault.before ? " with a crash before" : " with a crash after";
    case Strike::kLostRequest:
      return " lost";
    case Strike::kLostReply:
      return " with its reply lost";
    case Strike::kExpiry:
      return " after an expiry";
    case Strike::kFailover:
      return fault.before ? " with a failover before" : " with a failover after";
    case Strike::kReshard:
    case Strike::kSlotMigration:
    case Strike::kLateClaim:
      return " after slots began to move";
    default:
      return " with a fault";
  }
}

std::uint64_t HashOf(std::span<const PossibleStep> steps, Duration now, std::uint64_t hash) {
  const auto mix = [&hash](std::uint64_t number) { hash = sim::MixSeed(hash, number); };
  mix(static_cast<std::uint64_t>(now / std::chrono::microseconds(1)));
  mix(steps.size());
  for (const PossibleStep& step : steps) {
    mix(static_cast<std::uint64_t>(step.client));
    mix(step.connection);
    if (step.fault) {
      mix(static_cast<std::uint64_t>(step.fault->strike) * 2 + (step.fault->before ? 1 : 0));
      if (step.fault->ends) mix(1);
    }
    if (step.argv == nullptr) continue;
    mix(step.argv->size());
    hash = sim::HashBytes(sim::redis::ToLower(step.argv->front()), hash);
  }
  return hash;
}

}  // namespace

std::string ToText(std::span<const PossibleStep> steps) {
  constexpr std::size_t kWords = 2;
  std::string text;
  for (const PossibleStep& step : steps) {
    if (!text.empty()) text += ", ";
    if (step.client < 0) {
      text += "time";
      continue;
    }
    text += ClientName(step.client);
    for (std::size_t i = 0; i < std::min(kWords, step.argv->size()); ++i) {
      text += " " + (*step.argv)[i];
    }
    if (step.fault) text += FaultText(*step.fault);
  }
  return text;
}

/// Hands the walk's choices to the run.
class OrderWalk::Chooser final : public sim::ChoiceSource {
 public:
  explicit Chooser(const OrderWalk& walk) : walk_(walk) {}
  std::uint32_t Draw(sim::Lane /*lane*/, std::uint32_t /*bound*/) override { return 0; }
  std::uint32_t PickTask(std::span<const sim::Candidate> /*candidates*/) override {
    return walk_.chosen_;
  }
  bool sees_candidates() const override { return true; }

 private:
  const OrderWalk& walk_;
};

OrderWalk::OrderWalk(OrderPrefix prefix, bool reduce, Habits& habits)
    : prefix_(std::move(prefix)),
      reduce_(reduce),
      habits_(habits),
      share_(prefix_.share),
      beyond_(prefix_.rest.empty()) {}

void OrderWalk::Wander(std::uint64_t seed) { wander_ = sim::MixSeed(seed, 1) | 1; }

std::unique_ptr<sim::ChoiceSource> OrderWalk::Source() { return std::make_unique<Chooser>(*this); }

void OrderWalk::OnTaken(sim::redis::Footprint touched) {
  if (!reduce_ || !beyond_) return;
  if (!taken_) touched.TouchAll();
  const sim::ReadyTask task = taken_ ? taken_->task : sim::ReadyTask{-1};
  asleep_.Wake(task, touched);
  if (!taken_) return;
  const Taken taken = *std::exchange(taken_, std::nullopt);
  habits_[{task.process, taken.text}] = touched;
  if (taken.branch && !touched.global()) {
    left_[*taken.branch].asleep.Add({task, std::move(touched)});
  }
}

bool OrderWalk::OnSteps(std::span<const PossibleStep> steps, Duration now) {
  hash_ = HashOf(steps, now, hash_);
  if (!beyond_) return InPrefix(steps, hash_);
  return Beyond(steps);
}

bool OrderWalk::InPrefix(std::span<const PossibleStep> steps, std::uint64_t seen) {
  if (steps.size() == 1) {
    chosen_ = 0;
    return true;
  }
  const std::size_t place = path_.size();
  const bool last = place == prefix_.path.size();
  if (seen != prefix_.seen[place]) {
    return GoAstray(steps, last ? std::string_view(prefix_.ready) : std::string_view());
  }
  if (last) {
    beyond_ = true;
    asleep_ = prefix_.asleep;
    Branch(steps, prefix_.rest, prefix_.share);
    return true;
  }
  seen_.push_back(seen);
  path_.push_back(prefix_.path[place]);
  chosen_ = path_.back();
  return true;
}

bool OrderWalk::GoAstray(std::span<const PossibleStep> steps, std::string_view expected) {
  astray_ = fmt::format(
      "at its choice {} it met {}{}", path_.size() + 1, ToText(steps),
      expected.empty() ? " and other steps before" : fmt::format(", instead of {}", expected));
  return false;
}

bool OrderWalk::Beyond(std::span<const PossibleStep> steps) {
  std::vector<std::uint32_t> awake;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    if (!CanSleep(steps[i]) || !asleep_.Has(TaskOf(steps[i]))) awake.push_back(i);
  }
  if (awake.empty()) {
    pruned_ = true;
    return false;
  }
  if (wander_ != 0) {
    wander_ = sim::MixSeed(wander_, awake.size());
    const std::size_t taken = wander_ % awake.size();
    knuth_ *= static_cast<double>(awake.size());
    LeaveBehind(steps, awake, taken);
    Choose(steps, awake[taken]);
    return true;
  }
  share_ /= static_cast<double>(awake.size());
  Branch(steps, std::move(awake), share_);
  return true;
}

/// Takes the first of these and leaves the others.
void OrderWalk::Branch(std::span<const PossibleStep> steps, std::vector<std::uint32_t> awake,
                       double share) {
  const std::uint32_t first = awake.front();
  std::optional<std::size_t> branch;
  if (steps.size() > 1) {
    seen_.push_back(hash_);
    if (awake.size() > 1) {
      awake.erase(awake.begin());
      branch = left_.size();
      left_.push_back({path_, std::move(awake), asleep_, share, seen_, ToText(steps)});
    }
    path_.push_back(first);
  }
  Choose(steps, first);
  if (taken_) taken_->branch = branch;
}

/// What a search of all runs would have taken before, and so put to sleep.
void OrderWalk::LeaveBehind(std::span<const PossibleStep> steps,
                            const std::vector<std::uint32_t>& awake, std::size_t taken) {
  if (!reduce_) return;
  for (std::size_t i = 0; i < taken; ++i) {
    const PossibleStep& step = steps[awake[i]];
    if (!CanSleep(step)) continue;
    const auto habit = habits_.find({step.client, sim::redis::ToText(*step.argv)});
    if (habit == habits_.end() || habit->second.global()) continue;
    asleep_.Add({TaskOf(step), habit->second});
  }
}

void OrderWalk::Choose(std::span<const PossibleStep> steps, std::uint32_t index) {
  chosen_ = index;
  const PossibleStep& step = steps[index];
  taken_.reset();
  if (!reduce_ || !CanSleep(step)) return;
  taken_ = Taken{TaskOf(step), sim::redis::ToText(*step.argv), std::nullopt};
}

std::string OrderWalk::Astray() const {
  if (beyond_ || !astray_.empty()) return astray_;
  return fmt::format("it ended after {} choices, before it met {}", path_.size(), prefix_.ready);
}

std::vector<OrderPrefix> OrderWalk::TakeLeft() { return std::move(left_); }

}  // namespace interlock::scenarios::drive
