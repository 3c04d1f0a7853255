// SPDX-License-Identifier: MIT
#include "scenarios/judge/lease_model.h"

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>
#include <set>
#include <vector>

#include "scenarios/judge/outside.h"

namespace interlock::scenarios {
namespace {

enum class Act : std::uint8_t { kAcquire, kRelease, kExtend, kNotOwner, kRefused };

struct Step {
  Act act = Act::kAcquire;
  std::size_t hold = 0;  // none for kRefused
  VirtualTime from{};
  VirtualTime to{};
  bool must = true;  // false: it may have happened, any time from `from` on
  bool shared = false;
};

/// The end of a lease, which is between these two.
struct Ends {
  std::size_t hold = 0;
  VirtualTime earliest{};
  VirtualTime latest{};
  auto operator<=>(const Ends&) const = default;
};

struct State {
  std::uint64_t done = 0;  // steps, by their bits
  VirtualTime now{};
  std::vector<Ends> held;
  auto operator<=>(const State&) const = default;
};

/// Whether another client may have held, or stood in the way, while this attempt was under way:
/// with a grant, without an answer, or for a lease after a request that was refused.
bool OthersWereAbout(const History& history, const Attempt& attempt) {
  return std::ranges::any_of(history.attempts, [&](const Attempt& other) {
    if (&other == &attempt || other.asked > attempt.answered) return false;
    const bool granted = other.answered != kOpen && other.answer == StatusCode::kOk;
    if (other.answered == kOpen || IsUnknown(other.answer)) return true;
    return granted ? attempt.asked <= other.answered && other.asked <= attempt.answered
                   : attempt.asked <= other.answered + history.lease;
  });
}

class Model {
 public:
  Model(const History& history, bool renews, const ModelLimits& limits, ModelDepth depth)
      : history_(history),
        renews_(renews),
        limits_(limits),
        depth_(depth),
        permits_(history.limits.Most()) {
    for (std::size_t i = 0; i < history.holds.size(); ++i) AddHold(i);
    for (const Renewal& renewal : history.renewals) AddRenewal(renewal);
    for (const Attempt& attempt : history.attempts) AddRefusal(attempt);
  }

  /// Returns nullopt if the search gave up.
  std::optional<bool> Explained() {
    if (steps_.size() > std::min<std::size_t>(limits_.operations, 64)) return std::nullopt;
    const bool found = Search({});
    if (!found && tried_ > limits_.steps) return std::nullopt;
    return found;
  }

 private:
  void AddHold(std::size_t index) {
    const ClientHold& hold = history_.holds[index];
    Add(Act::kAcquire, index, hold.asked, hold.told_at(), true);
    if (hold.release_called == kOpen) return;
    const bool told = hold.release_returned != kOpen;
    const bool judged = depth_ >= ModelDepth::kReleases;
    if (told && hold.release_status == StatusCode::kOk) {
      Add(Act::kRelease, index, hold.release_called, hold.release_returned, judged);
    } else if (told && hold.release_status == StatusCode::kNotOwner) {
      if (judged) Add(Act::kNotOwner, index, hold.release_called, hold.release_returned, true);
    } else if (!told || IsUnknown(hold.release_status)) {
      Add(Act::kRelease, index, hold.release_called, kOpen, false);
    }
  }

  void AddRenewal(const Renewal& renewal) {
    std::size_t index = history_.holds.size();
    for (std::size_t i = 0; i < history_.holds.size(); ++i) {
      const bool before = history_.holds[i].told_at() <= renewal.called;
      if (history_.holds[i].client == renewal.client && before) index = i;
    }
    if (index == history_.holds.size()) return;
    if (renewal.answer == StatusCode::kOk) {
      Add(Act::kExtend, index, renewal.called, renewal.answered, depth_ >= ModelDepth::kExtends);
    } else if (renewal.answered == kOpen || IsUnknown(renewal.answer)) {
      Add(Act::kExtend, index, renewal.called, kOpen, false);
    }
  }

  void AddRefusal(const Attempt& attempt) {
    const bool refused = attempt.answered != kOpen && attempt.answer == StatusCode::kNotAcquired;
    if (depth_ < ModelDepth::kRefusals || attempt.ask != Ask::kTry || !refused) return;
    if (OthersWereAbout(history_, attempt)) return;
    Add(Act::kRefused, 0, attempt.asked, attempt.answered, true);
    steps_.back().shared = attempt.shared;
  }

  void Add(Act act, std::size_t hold, VirtualTime from, VirtualTime to, bool must) {
    Step step{act, hold, from, to, must, false};
    if (act != Act::kRefused) step.shared = history_.holds[hold].shared;
    steps_.push_back(step);
  }

  bool IsDone(const State& state, std::size_t step) const { return (state.done >> step & 1U) != 0; }

  bool Search(const State& state) {
    if (++tried_ > limits_.steps || !seen_.insert(state).second) return false;
    VirtualTime first_end = kOpen;  // what begins later cannot come next
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].must && !IsDone(state, i)) first_end = std::min(first_end, steps_[i].to);
    }
    if (first_end == kOpen) return true;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (IsDone(state, i) || steps_[i].from > first_end) continue;
      State next = state;
      next.done |= std::uint64_t{1} << i;
      next.now = std::max(state.now, steps_[i].from);
      if (next.now <= steps_[i].to && Do(steps_[i], next) && Search(next)) return true;
    }
    return false;
  }

  /// Returns false if the step cannot happen in this state at any instant that is left for it.
  bool Do(const Step& step, State& state) const {
    const auto held =
        std::ranges::find_if(state.held, [&](const Ends& ends) { return ends.hold == step.hold; });
    const bool owns = held != state.held.end() && held->latest >= state.now;
    switch (step.act) {
      case Act::kAcquire:
        return Acquire(step, state);
      case Act::kRelease:
        if (!owns) return false;
        state.held.erase(held);
        return true;
      case Act::kExtend:
        if (!owns) return false;
        *held = EndsOf(step, state.now);
        return true;
      case Act::kNotOwner:
        if (held == state.held.end()) return true;
        state.now = std::max(state.now, held->earliest);
        return state.now <= step.to;
      case Act::kRefused:
        return HoldersOf(step, state, [&](const Ends& ends) { return ends.latest >= state.now; }) >=
               permits_;
    }
    return false;
  }

  /// Acquires as soon as enough leases may have ended.
  bool Acquire(const Step& step, State& state) const {
    std::vector<VirtualTime> instants = {state.now};
    for (const Ends& ends : state.held) instants.push_back(std::max(state.now, ends.earliest));
    std::ranges::sort(instants);
    for (const VirtualTime at : instants) {
      if (at > step.to) return false;
      const auto goes_on = [&](const Ends& ends) { return ends.earliest > at; };
      if (HoldersOf(step, state, goes_on) >= permits_) continue;
      state.now = at;
      if (permits_ == 1) {  // any holder in the way has ended by then
        std::erase_if(state.held,
                      [&](const Ends& ends) { return Conflict(step, history_.holds[ends.hold]); });
      }
      state.held.push_back(EndsOf(step, at));
      std::ranges::sort(state.held);
      return true;
    }
    return false;
  }

  /// The number of holders in the step's way whose lease goes on.
  template <typename GoesOn>
  int HoldersOf(const Step& step, const State& state, const GoesOn& goes_on) const {
    return static_cast<int>(std::ranges::count_if(state.held, [&](const Ends& ends) {
      return Conflict(step, history_.holds[ends.hold]) && goes_on(ends);
    }));
  }

  Ends EndsOf(const Step& step, VirtualTime at) const {
    const Duration drift = history_.lease / 100 + std::chrono::milliseconds(2);
    const VirtualTime latest =
        renews_ || step.to == kOpen ? kOpen : step.to + history_.lease + drift;
    return {step.hold, at + history_.lease - drift, latest};
  }

  const History& history_;
  const bool renews_;
  const ModelLimits limits_;
  const ModelDepth depth_;
  const int permits_;
  std::vector<Step> steps_;
  std::set<State> seen_;
  std::size_t tried_ = 0;
};

}  // namespace

ModelAnswer SearchModel(const History& history, const harness::Traits& traits, ModelDepth deepest,
                        const ModelLimits& limits) {
  // During a lock-delay a resource has no owner, but is not free.
  if (traits.lock_delay) deepest = ModelDepth::kGrants;
  for (const ModelDepth depth :
       {ModelDepth::kGrants, ModelDepth::kReleases, ModelDepth::kExtends, ModelDepth::kRefusals}) {
    if (depth > deepest) break;
    const std::optional<bool> explained = Model(history, traits.renews, limits, depth).Explained();
    if (!explained.has_value()) return {std::nullopt, true};
    if (!*explained) return {depth, false};
  }
  return {};
}

}  // namespace interlock::scenarios
