// SPDX-License-Identifier: MIT
#include "scenarios/shrink/shrink.h"

#include <algorithm>
#include <utility>

#include "scenarios/guard.h"

namespace interlock::scenarios {
namespace {

class Shrinker {
 public:
  Shrinker(sim::Universe& universe, const RunCase& run_case, GeneratedWorkload found,
           sim::Tape tape, Judged property, int budget, const std::atomic<bool>* stop)
      : universe_(universe),
        case_(run_case),
        workload_(std::move(found)),
        tape_(std::move(tape)),
        property_(property),
        budget_(budget),
        stop_(stop) {}

  ShrinkResult Run() {
    const int all = budget_;
    budget_ = all * 2 / 3;  // the rest is for the last pass
    bool smaller = true;
    while (smaller && !Ended()) {
      smaller = ShrinkTape();
      while (!Ended() && ShrinkWorkload()) smaller = true;
    }
    budget_ = all;
    smallest_ = workload_.value();
    while (!Ended() && (DeleteOne() || ShrinkTape())) {
    }
    return {std::move(smallest_), std::move(tape_), tries_, shrinks_};
  }

 private:
  bool Ended() const { return tries_ >= budget_ || (stop_ != nullptr && *stop_); }

  bool Fails(const Workload& workload, const sim::Tape& tape) {
    if (Ended()) return false;
    ++tries_;
    return FailsWith(workload, sim::Choices::FromTape(tape));
  }

  bool FailsFresh(const Workload& workload, std::uint64_t seed) {
    if (Ended()) return false;
    ++tries_;
    return FailsWith(workload, sim::Choices::FromSeed(seed));
  }

  bool FailsWith(const Workload& workload, sim::Choices choices) {
    GuardProgress();
    const RunResult result = RunOnce(universe_, case_, workload, choices);
    if (result.Find(property_) == nullptr) return false;
    ++shrinks_;
    // What was really drawn: a shorter run needs no more, and clamped values are now exact.
    tape_ = choices.TakeTape();
    return true;
  }

  /// One step down RapidCheck's tree: fewer clients, operations, faults; smaller numbers. A smaller
  /// workload asks for other choices, so the calm tape is tried beside the present one.
  bool ShrinkWorkload() {
    return workload_.Descend([this](const Workload& smaller) {
      return Fails(smaller, tape_) || (tape_.size() > 0 && Fails(smaller, {}));
    });
  }

  const Workload& Current() const {
    return smallest_.clients.empty() ? workload_.value() : smallest_;
  }

  /// RapidCheck's tree offers no deletions any more below a smaller number, and what was drawn for
  /// the larger case may not fit the smaller one. So at the end every part is once more taken out
  /// by hand, under the present choices, calm ones and a few fresh ones.
  bool Accept(const Workload& smaller) {
    constexpr std::uint64_t kFreshTries = 12;
    bool fails = Fails(smaller, tape_) || (tape_.size() > 0 && Fails(smaller, {}));
    for (std::uint64_t seed = 0; !fails && seed < kFreshTries; ++seed) {
      fails = FailsFresh(smaller, seed);
    }
    if (fails) smallest_ = smaller;
    return fails;
  }

  bool DeleteOne() {
    for (std::size_t client = smallest_.clients.size(); client-- > 0;) {
      if (smallest_.clients.size() > 2 &&
          Accept(Without(
              smallest_, [&](Workload& w) { return &w.clients; }, client))) {
        return true;
      }
      for (std::size_t i = smallest_.clients[client].faults.size(); i-- > 0;) {
        if (Accept(Without(
                smallest_, [&](Workload& w) { return &w.clients[client].faults; }, i))) {
          return true;
        }
      }
      for (std::size_t i = smallest_.clients[client].operations.size(); i-- > 0;) {
        if (Accept(Without(
                smallest_, [&](Workload& w) { return &w.clients[client].operations; }, i))) {
          return true;
        }
      }
    }
    return false;
  }

  template <typename Place>
  static Workload Without(Workload workload, const Place& place, std::size_t index) {
    auto* parts = place(workload);
    parts->erase(parts->begin() + static_cast<std::ptrdiff_t>(index));
    return workload;
  }

  /// All calm; then each lane cut and zeroed in halving pieces.
  bool ShrinkTape() {
    if (tape_.size() == 0) return false;
    if (Fails(Current(), {})) return true;
    bool smaller = false;
    for (std::size_t lane = 0; lane < sim::kLanes; ++lane) {
      for (std::size_t piece = std::max<std::size_t>(tape_.lanes[lane].size(), 1); piece > 0;
           piece /= 2) {
        for (std::size_t from = 0; from < tape_.lanes[lane].size(); from += piece) {
          smaller = Calm(lane, from, piece) || smaller;
        }
      }
    }
    return smaller;
  }

  bool Calm(std::size_t lane, std::size_t from, std::size_t piece) {
    if (Ended()) return false;
    sim::Tape calmer = tape_;
    auto& values = calmer.lanes[lane];
    const std::size_t to = std::min(values.size(), from + piece);
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(from);
    const auto last = values.begin() + static_cast<std::ptrdiff_t>(to);
    if (std::all_of(first, last, [](std::uint32_t value) { return value == 0; })) return false;
    std::fill(first, last, 0U);
    return Fails(Current(), calmer);
  }

  sim::Universe& universe_;
  const RunCase& case_;
  GeneratedWorkload workload_;
  Workload smallest_;  ///< of the last pass
  sim::Tape tape_;
  const Judged property_;
  int budget_;
  const std::atomic<bool>* const stop_;
  int tries_ = 0;
  int shrinks_ = 0;
};

}  // namespace

ShrinkResult Shrink(sim::Universe& universe, const RunCase& run_case, GeneratedWorkload found,
                    sim::Tape tape, Judged property, int budget, const std::atomic<bool>* stop) {
  return Shrinker(universe, run_case, std::move(found), std::move(tape), property, budget, stop)
      .Run();
}

}  // namespace interlock::scenarios
