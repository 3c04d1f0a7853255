// SPDX-License-Identifier: MIT
//
// The append-only log of a run and a running 64-bit hash over it. The hash covers step kind,
// process, virtual time and bytes, field by field: never an address, a thread id, a float or
// padding. The same (workload, fault plan, tape) gives the same hash in every build.
//
// Keeping the events costs memory and time, so they are kept only on request (a replay); the hash
// is the same either way. Thread safety: one run, one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <interlock/time.h>

#include "sim/hash.h"

namespace interlock::sim {

/// The run's single global clock, readable only by the world. 0 is the start of the run.
using VirtualTime = Duration;

enum class TraceKind : std::uint8_t {
  kStart,    ///< a task begins; text: its name
  kEnd,      ///< a task has returned
  kConnect,  ///< text: "ok" or the reason of the refusal
  kSend,     ///< a command leaves the client; text: the command line
  kExecute,  ///< the server executes it; text: the command line
  kReply,    ///< the server answers; text: the reply
  kReceive,  ///< the client has the reply; text: the reply
  kBroken,   ///< a connection breaks as the client sees it; text: why
  kExpired,  ///< a key's deadline passed; text: the key
  kFault,    ///< a fault of the plan takes effect; text: kind and length
  kResume,   ///< a pause is over
  kHeal,     ///< phase 2 begins: no more faults
  kNote,     ///< from the scenario: acquire, grant, enter, leave, release, lost, ...; text: which
};

struct TraceEvent {
  VirtualTime time{};
  int process = -1;  ///< -1: the world or the server on its own
  TraceKind kind = TraceKind::kNote;
  std::string text;
  /// Its number among the run's hashed events, from 1; 0: an annotation.
  std::uint64_t step = 0;
  std::uint64_t hash = 0;   ///< the trace's, up to and including this event
  std::uint64_t draws = 0;  ///< choices made before it
  /// For kSend to kReceive: number of its process's command, from 1; 0: a push. Not hashed.
  std::uint64_t command = 0;
};

class Choices;

class Trace {
 public:
  /// `choices` outlives the trace. If not `hashed`, the hash stays 0.
  Trace(bool keep_events, bool hashed, const Choices& choices)
      : keep_events_(keep_events), hashed_(hashed), choices_(choices) {}

  void Add(VirtualTime time, int process, TraceKind kind, std::string_view text) {
    if (hashed_ || keep_events_) AddText(time, process, kind, text);
  }
  /// Like Add, for command lines and replies that are rendered only if events are kept: `hash` is a
  /// hash of the bytes, `render` makes the text.
  template <typename Render>
  void AddLazily(VirtualTime time, int process, TraceKind kind, std::uint64_t hash,
                 std::uint64_t command, Render&& render) {
    if (hashed_) Mix(time, process, kind, hash);
    if (!keep_events_) return;
    TraceEvent event{time, process, kind, render()};
    event.command = command;
    Keep(std::move(event));
  }
  /// Keeps an event (if events are kept) outside the hash, because it follows from hashed events
  /// and would be too expensive to find in every run. Inserted by time.
  void Annotate(VirtualTime time, int process, TraceKind kind, std::string_view text);

  /// Calls `then` right after the event of this step, from inside the run. Events must be kept.
  void CallAt(std::uint64_t step, std::function<void()> then);

  std::uint64_t hash() const { return hashed_ ? hash_ : 0; }
  bool hashed() const { return hashed_; }
  bool keeps_events() const { return keep_events_; }
  const std::vector<TraceEvent>& events() const { return events_; }

 private:
  void AddText(VirtualTime time, int process, TraceKind kind, std::string_view text);
  void Mix(VirtualTime time, int process, TraceKind kind, std::uint64_t hash);
  void Keep(TraceEvent event);

  const bool keep_events_;
  const bool hashed_;
  const Choices& choices_;
  std::uint64_t hash_ = 0x9e3779b97f4a7c15;
  std::vector<TraceEvent> events_;
  std::uint64_t step_ = 0;  // of the last event; counted only if events are kept
  std::uint64_t awaited_step_ = 0;
  std::function<void()> then_;
};

}  // namespace interlock::sim
