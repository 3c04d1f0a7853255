// SPDX-License-Identifier: MIT
//
// The only source of nondeterminism in a run: every decision that is not data (which task goes
// first, how long a message travels, what happens to requests in flight when a client dies) is one
// draw. Values come from a ChoiceSource: a seed, a tape, or a strategy of the caller.
//
// - 0 is always the calm choice: go on, least delay, oldest first, nothing goes wrong.
// - Any tape is a valid run: a recorded value beyond the bound is clamped, past the end it is 0. So
//   a shrinker may cut, zero and edit tapes freely.
// - Lanes keep unrelated decisions apart: deleting a scheduling decision does not shift the
//   network's.
// - Draws of every source are recorded, so any run replays from its tape.
//
// Random bytes for the code under test are *not* drawn here (see SimRuntime::FillRandom).
// Thread safety: one run, one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/faults.h"

namespace interlock::sim {

enum class Lane : std::uint8_t { kSchedule, kNetwork, kFault };
inline constexpr std::size_t kLanes = 3;

/// What a client is about to do at one of its steps (see faults.h).
enum class StepKind : std::uint8_t {
  kConnect,
  kBeforeSend,
  kAfterSend,
  kReply,  ///< a reply has arrived and is about to be read
  kClock,
  kWait,  ///< on an event, or for a task
  kMark,  ///< World::Step
};

/// A task that may run next.
struct Candidate {
  int process = 0;
  std::uint32_t task = 0;      ///< unique in the world
  std::uint64_t pending = 0;   ///< hash of what it is about to do; 0: unknown
  std::uint64_t resource = 0;  ///< hash of the resource it touches; 0: none, or unknown
};

/// Recorded choices. Equal tapes give equal runs (for the same workload and fault plan).
struct Tape {
  std::array<std::vector<std::uint32_t>, kLanes> lanes;
  std::size_t size() const { return lanes[0].size() + lanes[1].size() + lanes[2].size(); }
  bool operator==(const Tape&) const = default;
};

/// splitmix64 (Steele, Lea, Flood 2014): derives well mixed, independent seeds from one.
std::uint64_t MixSeed(std::uint64_t seed, std::uint64_t stream);

/// Makes the decisions. Each method returns a value in [0, bound) with 2 <= bound <= 2^32 - 1.
class ChoiceSource {
 public:
  virtual ~ChoiceSource() = default;
  ChoiceSource() = default;
  ChoiceSource(const ChoiceSource&) = delete;
  ChoiceSource& operator=(const ChoiceSource&) = delete;

  virtual std::uint32_t Draw(Lane lane, std::uint32_t bound) = 0;

  /// Which of at least two tasks goes next; the calm one is first. Called only if sees_candidates;
  /// otherwise a scheduling choice is a Draw.
  virtual std::uint32_t PickTask(std::span<const Candidate> candidates) {
    return Draw(Lane::kSchedule, static_cast<std::uint32_t>(candidates.size()));
  }
  /// How long a message from or to `process` travels; 0 is the shortest time.
  virtual std::uint32_t PickLatency(int /*process*/, std::uint32_t bound) {
    return Draw(Lane::kNetwork, bound);
  }
  /// A fault that strikes right now, at step `step` of `process`, in addition to the plan's. Called
  /// until it returns nothing, and only if injects_faults.
  virtual std::optional<Fault> InjectFault(int /*process*/, int /*step*/, StepKind /*kind*/) {
    return std::nullopt;
  }
  /// The process's position in its program from now on, as numbered by the scenario. Called only if
  /// follows_places.
  virtual void OnPlace(int /*process*/, std::uint64_t /*place*/) {}

  // Queried once, before the first choice.
  virtual bool sees_candidates() const { return false; }
  virtual bool injects_faults() const { return false; }
  virtual bool follows_places() const { return false; }
};

/// xoshiro256** (Blackman, Vigna 2018), one generator per lane.
class SeededSource final : public ChoiceSource {
 public:
  explicit SeededSource(std::uint64_t seed);
  std::uint32_t Draw(Lane lane, std::uint32_t bound) override;

 private:
  std::array<std::array<std::uint64_t, 4>, kLanes> generators_;
};

/// Replays a tape; any tape will do, see above.
class TapeSource final : public ChoiceSource {
 public:
  explicit TapeSource(Tape tape);
  std::uint32_t Draw(Lane lane, std::uint32_t bound) override;

 private:
  const Tape tape_;
  std::array<std::size_t, kLanes> positions_{};
};

class RunMirror;

class Choices {
 public:
  static Choices FromSeed(std::uint64_t seed);                      ///< a SeededSource
  static Choices FromTape(Tape tape);                               ///< a TapeSource
  static Choices FromSource(std::unique_ptr<ChoiceSource> source);  ///< REQUIRES: not null

  /// A value in [0, bound). REQUIRES: 1 <= bound <= 2^32 - 1. A bound of 1 draws nothing.
  std::uint32_t Draw(Lane lane, std::uint32_t bound) {
    return bound <= 1 ? 0 : Record(lane, bound, source_->Draw(lane, bound));
  }
  /// A draw on the schedule lane. REQUIRES: sees_candidates(), not empty.
  std::uint32_t PickTask(std::span<const Candidate> candidates) {
    if (candidates.size() <= 1) return 0;
    const auto bound = static_cast<std::uint32_t>(candidates.size());
    return Record(Lane::kSchedule, bound, source_->PickTask(candidates));
  }
  /// A draw on the network lane.
  std::uint32_t PickLatency(int process, std::uint32_t bound) {
    return bound <= 1 ? 0 : Record(Lane::kNetwork, bound, source_->PickLatency(process, bound));
  }
  /// A fault to inject, with its process and step set. REQUIRES: injects_faults().
  std::optional<Fault> InjectFault(int process, int step, StepKind kind);
  /// REQUIRES: follows_places().
  void NotePlace(int process, std::uint64_t place) { source_->OnPlace(process, place); }

  bool sees_candidates() const { return sees_candidates_; }
  bool injects_faults() const { return injects_faults_; }
  bool follows_places() const { return source_->follows_places(); }

  /// The draws so far, from any source, without each lane's trailing zeros.
  Tape TakeTape();
  /// The injected faults, in order: the run's plan with these appended, and its tape, replay the
  /// run without the source.
  const FaultPlan& injected() const { return injected_; }

  std::uint64_t draws() const { return draws_; }
  /// Those of one lane: the place of the next one in a tape.
  std::size_t recorded(Lane lane) const {
    return recorded_.lanes[static_cast<std::size_t>(lane)].size();
  }

  /// The mirror to notify of this run; null: none. It outlives the run.
  void set_mirror(RunMirror* mirror) { mirror_ = mirror; }
  RunMirror* mirror() const { return mirror_; }

 private:
  explicit Choices(std::unique_ptr<ChoiceSource> source);
  std::uint32_t Record(Lane lane, std::uint32_t bound, std::uint32_t value);

  std::unique_ptr<ChoiceSource> source_;
  bool sees_candidates_;
  bool injects_faults_;
  Tape recorded_;
  FaultPlan injected_;
  std::uint64_t draws_ = 0;
  RunMirror* mirror_ = nullptr;
};

}  // namespace interlock::sim
