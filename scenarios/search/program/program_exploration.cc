// SPDX-License-Identifier: MIT
#include "scenarios/search/program/program_exploration.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "scenarios/run/program/program_run.h"
#include "scenarios/search/explore/visited.h"
#include "sim/crashes.h"

namespace interlock::scenarios {
namespace {

constexpr std::uint64_t kMostStepsInAnInstant = 2'000;
constexpr std::uint64_t kAuditedPaths = 100;

/// One run: follows a path, and stops at a state visited before or when something is violated.
class ExploredProgramRun final : public ProgramProbe, private sim::ScenarioState {
 public:
  enum class End : std::uint8_t {
    kWhole,    ///< to its end, the second phase included
    kVisited,  ///< in a state visited before
    kBroken,   ///< something was violated
    kSpins,    ///< too many steps at one instant
  };

  /// `audit`: no state is entered, and none ends the run. All arguments outlive the run.
  ExploredProgramRun(Visited& visited, ProgramWalk& walk, bool audit)
      : visited_(visited), walk_(walk), audit_(audit) {}

  End end() const { return end_; }
  std::uint64_t strange() const { return strange_; }  ///< in an audit: states not visited before

  void OnBegin(const sim::World& world, const ProgramState& state) override {
    world_ = &world;
    state_ = &state;
    walk_.Attach(world);
  }
  void OnClients() override { has_begun_ = true; }
  void OnHeal() override { walk_.Finish(); }
  bool WantsFootprint() const override { return false; }

  bool GoOn(std::span<const sim::ReadyTask> /*ready*/) override {
    if (state_->breach) return EndBy(End::kBroken);
    if (Spins()) return EndBy(End::kSpins);
    walk_.OnPick({}, false);
    // Before the clients begin there is one process, and so one way.
    if (!walk_.BeyondPrefix() || !has_begun_ || walk_.astray()) return true;
    const sim::Digest digest = world_->Fingerprint(*this, ranks_);
    if (audit_) {
      strange_ += visited_.Contains(digest) ? 0 : 1;
      return true;
    }
    return visited_.Enter(digest, 0).fresh || EndBy(End::kVisited);
  }

 private:
  bool EndBy(End end) {
    end_ = end;
    return false;
  }

  /// Nothing takes time here, so a client that polls without rest never reaches another instant.
  bool Spins() {
    if (world_->now() != instant_) steps_ = 0;
    instant_ = world_->now();
    return ++steps_ > kMostStepsInAnInstant;
  }

  /// Clients may do different things, so none are interchangeable.
  void DescribeProcess(int process, sim::FingerprintWriter& writer) const override {
    writer.Number(static_cast<std::uint64_t>(process));
    writer.Time(world_->LocalTime(process, world_->now()).time_since_epoch());
  }

  void DescribeRest(sim::FingerprintWriter& writer) const override {
    for (const int count : walk_.spent()) writer.Number(static_cast<std::uint64_t>(count));
    writer.Number(state_->notes.size());
    for (const harness::ProgramNote& note : state_->notes) {
      writer.Number(static_cast<std::uint64_t>(note.client));
      writer.Text(note.name);
      writer.Text(note.value);
      writer.Time(note.at);
    }
  }

  Visited& visited_;
  ProgramWalk& walk_;
  const bool audit_;
  const sim::World* world_ = nullptr;
  const ProgramState* state_ = nullptr;
  bool has_begun_ = false;
  End end_ = End::kWhole;
  std::uint64_t strange_ = 0;
  sim::VirtualTime instant_{};
  std::uint64_t steps_ = 0;  // choices made in it
  std::vector<int> ranks_;   // reused for its storage
};

class ProgramExplorer {
 public:
  ProgramExplorer(const harness::Program& program, const ExploredProgram& explored,
                  const ProgramExplorationLimits& limits, ProgramExploration& result)
      : program_(program), explored_(explored), limits_(limits), result_(result) {}

  void Search() {
    std::vector<Decisions::Path> left = {{}};
    while (!left.empty() && !Ended()) {
      const Decisions::Path prefix = std::move(left.back());
      left.pop_back();
      WalkFrom(prefix, left);
    }
    result_.states = visited_.size();
    result_.complete = left.empty() && !Ended();
  }

  /// Walks random paths, on which every state must have been visited.
  void Audit() {
    std::uint64_t strange = 0;
    for (std::uint64_t i = 0; i < std::min(kAuditedPaths, result_.runs) && !Ended(); ++i) {
      auto source = std::make_unique<ProgramWalk>(explored_, std::string_view());
      source->Wander(i + 1);
      ProgramWalk& walk = *source;
      ExploredProgramRun probe(visited_, walk, /*audit=*/true);
      sim::Choices choices = sim::Choices::FromSource(std::move(source));
      RunProgram(universe_, program_, explored_.workload, choices, false, &probe);
      strange += probe.strange();
    }
    if (strange > 0) SetNoVerdict(kUnlike);
  }

 private:
  static constexpr std::string_view kUnlike =
      "the program did not do again what it had done: a client or an invariant depends on more "
      "than it is given, such as a variable that runs share";

  bool Ended() const { return result_.found || !result_.no_verdict.empty(); }

  void SetNoVerdict(std::string_view why) {
    result_.no_verdict = why;
    result_.complete = false;
  }

  void WalkFrom(const Decisions::Path& prefix, std::vector<Decisions::Path>& left) {
    auto source = std::make_unique<ProgramWalk>(explored_, prefix);
    ProgramWalk& walk = *source;
    ExploredProgramRun probe(visited_, walk, /*audit=*/false);
    sim::Choices choices = sim::Choices::FromSource(std::move(source));
    const ProgramResult run =
        RunProgram(universe_, program_, explored_.workload, choices, false, &probe);
    ++result_.runs;
    result_.commands += run.commands;
    if (walk.astray()) return SetNoVerdict(kUnlike);
    if (run.breach) return Consider(*run.breach, choices);
    if (run.inconclusive) return SetNoVerdict(*run.inconclusive);
    if (probe.end() == ExploredProgramRun::End::kSpins) {
      return SetNoVerdict("a client repeats something without a Sleep, so no time passes");
    }
    for (std::size_t i = prefix.size(); i < walk.path().size(); ++i) {
      for (int other = walk.widths()[i] - 1; other > 0; --other) {
        left.push_back(walk.path().substr(0, i) + static_cast<char>(other));
      }
    }
    if (visited_.size() > limits_.most_states) {
      SetNoVerdict(fmt::format("there are more than {} states", limits_.most_states));
    } else if (limits_.deadline && std::chrono::steady_clock::now() >= *limits_.deadline) {
      SetNoVerdict(fmt::format("the time was up after {} states", visited_.size()));
    }
  }

  /// A run that was stopped half-way is judged again up to its calm end, because only what replays
  /// is reported.
  void Consider(const Breach& breach, sim::Choices& choices) {
    ProgramCase found{WithFaults(explored_.workload, choices.injected()), choices.TakeTape()};
    sim::Choices again = sim::Choices::FromTape(found.tape);
    const ProgramResult replayed = RunProgram(universe_, program_, found.workload, again);
    if (!replayed.breach || !replayed.breach->IsLike(breach)) return SetNoVerdict(kUnlike);
    result_.found = std::move(found);
  }

  const harness::Program& program_;
  const ExploredProgram& explored_;
  const ProgramExplorationLimits& limits_;
  ProgramExploration& result_;
  sim::Universe universe_;
  Visited visited_;
};

}  // namespace

ProgramExploration ExploreProgram(const harness::Program& program, ExploredProgram explored,
                                  const ProgramExplorationLimits& limits) {
  const sim::CrashHandler crash_handler;
  ProgramExploration result;
  int most = 0;
  for (const FaultLimit& limit : explored.limits) most += limit.most;
  for (explored.faults = 0; explored.faults <= most; ++explored.faults) {
    ProgramExplorer explorer(program, explored, limits, result);
    explorer.Search();
    if (result.complete && explored.faults == most) explorer.Audit();
    if (!result.complete) break;
  }
  if (result.complete && result.commands == 0) {
    result.no_verdict = "no client sent a command to a server, so nothing was put to the test";
    result.complete = false;
  }
  return result;
}

}  // namespace interlock::scenarios
