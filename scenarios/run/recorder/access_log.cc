// SPDX-License-Identifier: MIT
#include "scenarios/run/recorder/access_log.h"

#include <memory>
#include <utility>

#include "sim/faults.h"

namespace interlock::scenarios {

struct AccessLog::Sent {
  Party who;
  GuardedResource::Visitor visitor;
  std::uint64_t value = 0;
  VirtualTime at{};
};

bool AccessLog::OnRead(Party who, const harness::Hold& shown) {
  if (log_.closed) return false;
  const std::size_t index = log_.dealing(who).hold;
  const auto read =
      log_.resource(who).guarded.Read({index, shown.fencing_token(), log_.hold(who).shared});
  const VirtualTime now = log_.now();
  log_.history(who).accesses.push_back({index, false, now, now, read.has_value()});
  log_.Note(who, read.has_value() ? "read what is guarded" : "refused as stale");
  if (!read.has_value()) log_.goals.Add(Goal::kStaleWriteRefused);
  log_.dealing(who).read = read.value_or(0);
  return read.has_value();
}

void AccessLog::Stall(int client, Duration length) {
  if (log_.closed) return;
  const int process = log_.users.ProcessOf(client);
  log_.world->Strike(process,
                     {sim::FaultKind::kPause, process, log_.world->steps(process), length});
}

void AccessLog::OnWrite(Party who, const harness::Hold& shown, std::shared_ptr<Event> answered) {
  if (log_.closed) return;
  log_.Note(who, "write");
  const Dealing& sender = log_.dealing(who);
  const Sent write{who, {sender.hold, shown.fencing_token(), false}, sender.read + 1, log_.now()};
  // The last protected effect precedes the end of the validity, unless delays are unbounded.
  const bool bounded = log_.synchrony != SynchronyClass::kArbitrary;
  const VirtualTime latest = bounded ? sender.believes_until - Duration(1) : kOpen;
  log_.world->TravelElsewhere(log_.users.ProcessOf(who.client), latest,
                              [this, write, answered = std::move(answered)] {
                                OnArrived(write);
                                answered->Set();
                              });
}

void AccessLog::OnArrived(const Sent& write) {
  if (log_.closed) return;
  const VirtualTime now = log_.now();
  const bool accepted = log_.resource(write.who).guarded.Write(write.visitor, write.value);
  log_.history(write.who).accesses.push_back({write.visitor.grant, true, write.at, now, accepted});
  log_.Note(write.who, accepted ? "its write is accepted" : "its write is refused as stale");
  if (!accepted) log_.goals.Add(Goal::kStaleWriteRefused);
  if (now - write.at >= log_.shortest_lease) log_.goals.Add(Goal::kWriteHeldUp);
}

}  // namespace interlock::scenarios
