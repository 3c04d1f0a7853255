// SPDX-License-Identifier: MIT
//
// The recorder's part about what the lock guards: the model of it lives here, because what is sent
// to it travels in the world that the recorder observes.
#include <utility>

#include "scenarios/log/recorder.h"

namespace interlock::scenarios {

struct Recorder::Sent {
  Party who;
  GuardedResource::Visitor visitor;
  std::uint64_t value = 0;
  VirtualTime at{};
};

bool Recorder::OnRead(Party who, const harness::Hold& shown) {
  if (closed_) return false;
  const std::size_t index = dealing(who).hold;
  const auto read = resource(who).guarded.Read({index, shown.fencing_token(), hold(who).shared});
  const VirtualTime now = world_->now();
  history(who).accesses.push_back({index, false, now, now, read.has_value()});
  Note(who, read.has_value() ? "read what is guarded" : "refused as stale");
  if (!read.has_value()) goals_.Add(Goal::kStaleWriteRefused);
  dealing(who).read = read.value_or(0);
  return read.has_value();
}

void Recorder::Stall(int client, Duration length) {
  if (closed_) return;
  const int process = users_.ProcessOf(client);
  world_->Strike(process, {sim::FaultKind::kPause, process, world_->steps(process), length});
}

void Recorder::OnWrite(Party who, const harness::Hold& shown, std::shared_ptr<Event> answered) {
  if (closed_) return;
  Note(who, "write");
  const Dealing& sender = dealing(who);
  const Sent write{
      who, {sender.hold, shown.fencing_token(), false}, sender.read + 1, world_->now()};
  // The last protected effect comes before the validity's end, unless delays are not bounded.
  const bool bounded = synchrony_ != SynchronyClass::kArbitrary;
  const VirtualTime latest = bounded ? sender.believes_until - Duration(1) : kOpen;
  world_->TravelElsewhere(users_.ProcessOf(who.client), latest,
                          [this, write, answered = std::move(answered)] {
                            OnArrived(write);
                            answered->Set();
                          });
}

void Recorder::OnArrived(const Sent& write) {
  if (closed_) return;
  const VirtualTime now = world_->now();
  const bool accepted = resource(write.who).guarded.Write(write.visitor, write.value);
  history(write.who).accesses.push_back({write.visitor.grant, true, write.at, now, accepted});
  Note(write.who, accepted ? "its write is accepted" : "its write is refused as stale");
  if (!accepted) goals_.Add(Goal::kStaleWriteRefused);
  if (now - write.at >= lease()) goals_.Add(Goal::kWriteHeldUp);
}

}  // namespace interlock::scenarios
