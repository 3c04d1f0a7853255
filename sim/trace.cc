// SPDX-License-Identifier: MIT
#include "sim/trace.h"

#include <utility>

#include "sim/check.h"
#include "sim/choices.h"
#include "sim/run_mirror.h"

namespace interlock::sim {

void Trace::Mix(VirtualTime time, int process, TraceKind kind, std::uint64_t hash) {
  const std::uint64_t what =
      (static_cast<std::uint64_t>(static_cast<std::uint32_t>(process)) << 8) |
      static_cast<std::uint64_t>(kind);
  std::uint64_t state = HashNumber(static_cast<std::uint64_t>(time.count()), hash_);
  state = HashNumber(what, state);
  state = HashNumber(hash, state);
  hash_ = state ^ (state >> 32);
}

void Trace::AddText(VirtualTime time, int process, TraceKind kind, std::string_view text) {
  AddLazily(time, process, kind, HashBytes(text, 0), 0, [text] { return std::string(text); });
}

void Trace::Keep(TraceEvent event) {
  event.step = ++step_;
  event.hash = hash_;
  event.draws = choices_.draws();
  events_.push_back(std::move(event));
  if (choices_.mirror() != nullptr) choices_.mirror()->OnEvent(events_.back());
  if (step_ == awaited_step_) then_();
}

void Trace::CallAt(std::uint64_t step, std::function<void()> then) {
  Require(keep_events_, "a step is awaited in a trace that counts none");
  awaited_step_ = step;
  then_ = std::move(then);
}

void Trace::Annotate(VirtualTime time, int process, TraceKind kind, std::string_view text) {
  if (!keep_events_) return;
  auto place = events_.end();
  while (place != events_.begin() && std::prev(place)->time > time) --place;
  place = events_.insert(place, TraceEvent{time, process, kind, std::string(text)});
  if (choices_.mirror() != nullptr) choices_.mirror()->OnEvent(*place);
}

}  // namespace interlock::sim
