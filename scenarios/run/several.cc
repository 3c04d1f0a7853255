// SPDX-License-Identifier: MIT
#include "scenarios/run/several.h"

#include <cstddef>
#include <utility>

namespace interlock::scenarios {
namespace {

/// Calls `tell(party, index)` for each of the resources.
template <typename Tell>
void ForEach(Party who, const Tell& tell) {
  for (int i = 0; i < kMostAtOnce; ++i) {
    tell(Party{who.client, who.resource + i}, static_cast<std::size_t>(i));
  }
}

}  // namespace

void EventsOfEach::OnAsk(Party who, const Operation& operation) {
  ForEach(who, [&](Party each, std::size_t) { events_.OnAsk(each, operation); });
}

void EventsOfEach::OnStop(Party who) {
  ForEach(who, [&](Party each, std::size_t) { events_.OnStop(each); });
}

void EventsOfEach::OnRefused(Party who, const Status& status) {
  ForEach(who, [&](Party each, std::size_t) { events_.OnRefused(each, status); });
}

void EventsOfEach::OnGranted(Party who, const harness::Hold& hold) {
  ForEach(who, [&](Party each, std::size_t i) { events_.OnGranted(each, hold.Part(i)); });
}

void EventsOfEach::OnEnter(Party who) {
  ForEach(who, [&](Party each, std::size_t) { events_.OnEnter(each); });
}

bool EventsOfEach::OnRead(Party who, const harness::Hold& hold) {
  return events_.OnRead(who, hold.Part(0));
}

void EventsOfEach::OnWrite(Party who, const harness::Hold& hold, std::shared_ptr<Event> answered) {
  events_.OnWrite(who, hold.Part(0), std::move(answered));
}

void EventsOfEach::OnLeave(Party who) {
  ForEach(who, [&](Party each, std::size_t) { events_.OnLeave(each); });
}

void EventsOfEach::OnExtend(Party who) {
  ForEach(who, [&](Party each, std::size_t) { events_.OnExtend(each); });
}

void EventsOfEach::OnExtended(Party who, const Status& status, const harness::Hold& hold) {
  ForEach(who, [&](Party each, std::size_t i) { events_.OnExtended(each, status, hold.Part(i)); });
}

void EventsOfEach::OnAskValid(Party who) {
  ForEach(who, [&](Party each, std::size_t) { events_.OnAskValid(each); });
}

// A client that is told "no" does not learn which of the resources is meant.
void EventsOfEach::OnAskedValid(Party who, bool valid, const harness::Hold& hold) {
  ForEach(who, [&](Party each, std::size_t i) { events_.OnAskedValid(each, valid, hold.Part(i)); });
}

// A client that has lost one of the resources leaves both alone.
void EventsOfEach::OnLost(Party who) {
  ForEach(who, [&](Party each, std::size_t) { events_.OnLost(each); });
}

void EventsOfEach::OnRelease(Party who) {
  ForEach(who, [&](Party each, std::size_t) { events_.OnRelease(each); });
}

void EventsOfEach::OnReleased(Party who, const Status& status) {
  ForEach(who, [&](Party each, std::size_t) { events_.OnReleased(each, status); });
}

void EventsOfEach::OnDrop(Party who) {
  ForEach(who, [&](Party each, std::size_t) { events_.OnDrop(each); });
}

}  // namespace interlock::scenarios
