// SPDX-License-Identifier: MIT
//
// The recorder's part about what the lock guards: the model of it lives here, because what is sent
// to it travels in the world that the recorder observes.
#include <utility>

#include "scenarios/recorder.h"

namespace interlock::scenarios {

bool Recorder::OnRead(int client, const harness::Hold& shown) {
  if (closed_) return false;
  const std::size_t index = state(client).hold;
  const auto read = guarded_resource_.Read({index, shown.fencing_token()});
  const VirtualTime now = world_->now();
  history_.accesses.push_back({index, false, now, now, read.has_value()});
  Note(client, read.has_value() ? "read what is guarded" : "refused as stale");
  if (!read.has_value()) goals_.Add(Goal::kStaleWriteRefused);
  state(client).read = read.value_or(0);
  return read.has_value();
}

void Recorder::Stall(int client, Duration length) {
  if (closed_) return;
  world_->Strike(client, {sim::FaultKind::kPause, client, world_->steps(client), length});
}

void Recorder::OnWrite(int client, const harness::Hold& shown, std::shared_ptr<Event> answered) {
  if (closed_) return;
  Note(client, "write");
  const VirtualTime now = world_->now();
  const Sent write{
      client, {state(client).hold, shown.fencing_token()}, state(client).read + 1, now};
  // The last protected effect comes before the validity's end, unless delays are not bounded.
  const bool bounded = synchrony_ != SynchronyClass::kArbitrary;
  const VirtualTime latest = bounded ? state(client).believes_until - Duration(1) : kOpen;
  world_->TravelElsewhere(client, latest, [this, write, answered = std::move(answered)] {
    OnArrived(write);
    answered->Set();
  });
}

void Recorder::OnArrived(const Sent& write) {
  if (closed_) return;
  const VirtualTime now = world_->now();
  const bool accepted = guarded_resource_.Write(write.visitor, write.value);
  history_.accesses.push_back({write.visitor.grant, true, write.at, now, accepted});
  Note(write.client, accepted ? "its write is accepted" : "its write is refused as stale");
  if (!accepted) goals_.Add(Goal::kStaleWriteRefused);
  if (now - write.at >= history_.lease) goals_.Add(Goal::kWriteHeldUp);
}

}  // namespace interlock::scenarios
