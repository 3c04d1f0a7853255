// SPDX-License-Identifier: MIT
#include "scenarios/search/program/program_search.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "scenarios/cases/strategies.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

constexpr std::uint64_t kFirstTwice = 4;  // runs from the first on that are made twice
constexpr std::uint64_t kTwiceOneIn = 16;

ProgramResult RunAgain(sim::Universe& universe, const harness::Program& program,
                       const ProgramCase& one, bool keep_events) {
  sim::Choices choices = sim::Choices::FromTape(one.tape);
  return RunProgram(universe, program, one.workload, choices, keep_events);
}

bool AreLike(const std::optional<Breach>& one, const std::optional<Breach>& other) {
  return one.has_value() == other.has_value() && (!one || one->IsLike(*other));
}

bool AreEqual(const ProgramResult& once, const ProgramResult& again) {
  return once.trace_hash == again.trace_hash && AreLike(once.breach, again.breach);
}

std::string TextOf(const sim::TraceEvent& event) {
  const std::string who = event.process < 0 ? "the servers" : ClientName(event.process);
  return fmt::format("{} at {}: {}", who, Instant(event.time), event.text);
}

class ProgramSearcher {
 public:
  ProgramSearcher(const harness::Program& program, const Workload& calm,
                  const ProgramSearchOptions& options)
      : program_(program), calm_(calm), options_(options) {}

  ProgramSearchResult ResultOf(const ProgramCase& one, std::uint64_t runs) {
    result_.runs = runs;
    Settle(one, RunAgain(universe_, program_, one, false), /*twice=*/true);
    return std::move(result_);
  }

  ProgramSearchResult Search() {
    std::uint64_t done = 0;  // commands and notes
    std::vector<int> steps;
    for (std::uint64_t i = 0; i < options_.runs; ++i) {
      const std::uint64_t seed =
          SeedWithStrategy(sim::MixSeed(options_.seed, i), /*only=*/std::nullopt);
      sim::Choices choices = i == 0 ? sim::Choices::FromTape({}) : ChoicesOfRun(seed);
      ProgramCase one;
      one.workload = i == 0 ? calm_ : DrawFaults(calm_, options_.limits, steps, seed);
      const ProgramResult run = RunProgram(universe_, program_, one.workload, choices);
      one.tape = choices.TakeTape();
      ++result_.runs;
      done += run.commands + run.notes;
      if (i == 0) steps = run.steps;
      if (!Settle(one, run, i < kFirstTwice || i % kTwiceOneIn == 0)) return std::move(result_);
    }
    if (done == 0) {
      result_.no_verdict =
          "no client sent a command to a server or made a note, so nothing was put to the test";
    }
    return std::move(result_);
  }

 private:
  /// Returns whether the search goes on.
  bool Settle(const ProgramCase& one, const ProgramResult& run, bool twice) {
    if (twice || run.breach) {
      if (!AreEqual(run, RunAgain(universe_, program_, one, false))) {
        SetNoVerdict(one, WhyUnequal(one));
        return false;
      }
    }
    if (run.inconclusive && !run.breach) {
      SetNoVerdict(one, *run.inconclusive);
      return false;
    }
    if (!run.breach) return true;
    // Each escape prints where it came from, and needs no faults.
    const bool escaped = run.breach->kind == BreachKind::kInvariantEscaped;
    const int budget = escaped ? 0 : options_.shrink_runs;
    FoundBreach found{one, ShrinkProgram(universe_, program_, one, *run.breach, budget),
                      *run.breach};
    const ProgramResult smallest = RunAgain(universe_, program_, found.shrunk.smallest, false);
    if (!AreLike(smallest.breach, run.breach)) {
      SetNoVerdict(found.shrunk.smallest, WhyUnequal(found.shrunk.smallest));
      return false;
    }
    found.breach = *smallest.breach;
    result_.found = std::move(found);
    return false;
  }

  void SetNoVerdict(const ProgramCase& one, std::string why) {
    result_.no_verdict = std::move(why);
    result_.token = TokenOf(one, program_);
  }

  std::string WhyUnequal(const ProgramCase& one) {
    const ProgramResult once = RunAgain(universe_, program_, one, true);
    const std::string how = HowTheyDiffer(once, RunAgain(universe_, program_, one, true));
    return fmt::format(
        "run {} was not the same when it was made again: a client or an invariant "
        "depends on more than it is given, such as a variable that runs share{}{}",
        result_.runs, how.empty() ? "" : ". ", how);
  }

  const harness::Program& program_;
  const Workload& calm_;
  const ProgramSearchOptions& options_;
  sim::Universe universe_;
  ProgramSearchResult result_;
};

}  // namespace

std::string HowTheyDiffer(const ProgramResult& once, const ProgramResult& again) {
  const auto same = [](const sim::TraceEvent& one, const sim::TraceEvent& other) {
    return one.time == other.time && one.process == other.process && one.kind == other.kind &&
           one.text == other.text;
  };
  const auto [first, second] = std::ranges::mismatch(once.events, again.events, same);
  const bool ended = first == once.events.end();
  const bool ended_again = second == again.events.end();
  if (ended && ended_again) {
    if (AreLike(once.breach, again.breach)) return {};
    return "Only what the invariants said was different";
  }
  return fmt::format("First {}, then {}", ended ? "it was over" : TextOf(*first),
                     ended_again ? "it was over" : TextOf(*second));
}

ProgramSearchResult SearchProgram(const harness::Program& program, const Workload& calm,
                                  const ProgramSearchOptions& options) {
  return ProgramSearcher(program, calm, options).Search();
}

ProgramSearchResult ResultOf(const harness::Program& program, const ProgramCase& one,
                             std::uint64_t runs, int shrink_runs) {
  ProgramSearchOptions options;
  options.shrink_runs = shrink_runs;
  return ProgramSearcher(program, one.workload, options).ResultOf(one, runs);
}

}  // namespace interlock::scenarios
