// SPDX-License-Identifier: MIT
#include "scenarios/search/program/program_search.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "scenarios/cases/strategies.h"
#include "scenarios/log/words.h"
#include "scenarios/run/parallel.h"
#include "sim/crashes.h"

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
    if (!Try(0)) return std::move(result_);
    const bool parallel = options_.jobs > 1 && options_.runs > 1;
    for (std::uint64_t i = parallel ? FirstToStop() : 1; i < options_.runs; ++i) {
      if (!Try(i)) return std::move(result_);
    }
    result_.runs = options_.runs;
    if (done_ == 0) {
      result_.no_verdict =
          "no client sent a command to a server or made a note, so nothing was put to the test";
    }
    return std::move(result_);
  }

 private:
  struct Tried {
    ProgramCase one;
    ProgramResult run;
  };

  Tried RunAt(sim::Universe& universe, std::uint64_t i) const {
    const std::uint64_t seed =
        SeedWithStrategy(sim::MixSeed(options_.seed, i), /*only=*/std::nullopt);
    sim::Choices choices = i == 0 ? sim::Choices::FromTape({}) : ChoicesOfRun(seed);
    Tried tried;
    tried.one.workload = i == 0 ? calm_ : DrawFaults(calm_, options_.limits, steps_, seed);
    tried.run = RunProgram(universe, program_, tried.one.workload, choices);
    tried.one.tape = choices.TakeTape();
    return tried;
  }

  static bool IsMadeTwice(std::uint64_t i) { return i < kFirstTwice || i % kTwiceOneIn == 0; }

  /// Returns whether the search goes on after this run.
  bool Try(std::uint64_t i) {
    const Tried tried = RunAt(universe_, i);
    result_.runs = i + 1;
    done_ += tried.run.commands + tried.run.notes;
    if (i == 0) steps_ = tried.run.steps;
    return Settle(tried.one, tried.run, IsMadeTwice(i));
  }

  /// The first run after the calm one that is the search's last; options_.runs: there is none.
  /// Looked for by all jobs.
  std::uint64_t FirstToStop() {
    std::atomic<std::uint64_t> first = options_.runs;
    const auto stops = [this](sim::Universe& universe, std::uint64_t i) {
      const Tried tried = RunAt(universe, i);
      done_ += tried.run.commands + tried.run.notes;
      if (tried.run.breach || tried.run.inconclusive) return true;
      return IsMadeTwice(i) && !AreEqual(tried.run, RunAgain(universe, program_, tried.one, false));
    };
    const auto new_piece = [&]() -> Piece {
      const auto universe = std::make_shared<sim::Universe>();
      const auto handler = std::make_shared<sim::CrashHandler>();
      return [&, universe, handler](std::size_t index) {
        const std::uint64_t i = index + 1;
        std::uint64_t known = first;
        if (i > known || !stops(*universe, i)) return;
        while (i < known && !first.compare_exchange_weak(known, i)) continue;
      };
    };
    InParallel(options_.jobs, options_.runs - 1, new_piece, [] {});
    return first;
  }

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
  const sim::CrashHandler crash_handler_;
  sim::Universe universe_;
  std::vector<int> steps_;               // of each client, in the calm run
  std::atomic<std::uint64_t> done_ = 0;  // commands and notes
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
