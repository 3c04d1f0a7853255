// SPDX-License-Identifier: MIT
#include "scenarios/real/real_history.h"

#include <algorithm>

namespace interlock::scenarios::real {
namespace {

/// Clocks of client and server may differ in rate; less than this part of the lease.
constexpr int kDriftPart = 100;

class Builder {
 public:
  explicit Builder(const HistoryFrame& frame)
      : frame_(frame), clients_(static_cast<std::size_t>(frame.clients)) {
    history_.lease = frame.lease;
    history_.permits = frame.permits;
    history_.prefers_writers = frame.prefers_writers;
    history_.end = frame.ended - frame.started;
  }

  void Add(const EventRecord& record) {
    if (record.client < 0 || record.client >= frame_.clients) return;
    const VirtualTime at = Relative(record.at_ns);
    State& client = clients_[static_cast<std::size_t>(record.client)];
    switch (record.kind) {
      case EventKind::kAsk:
        client.attempt = history_.attempts.size();
        history_.attempts.push_back({record.client, record.ask, at, kOpen, StatusCode::kOk});
        history_.attempts.back().shared = record.shared;
        break;
      case EventKind::kCountDown:
        client.attempt = history_.attempts.size();
        history_.attempts.push_back({record.client, Ask::kTry, at});
        history_.attempts.back().counts_for = record.party;
        history_.attempts.back().queued = at;  // not earlier, for sure
        break;
      case EventKind::kRefused:
      case EventKind::kAnswered:
        Answer(client, at, record.status);
        break;
      case EventKind::kGranted:
        Grant(client, record, at);
        break;
      case EventKind::kEnter:
        history_.holds[client.hold].section = {at, kOpen};
        break;
      case EventKind::kLeave:
        history_.holds[client.hold].section.to = at;
        break;
      case EventKind::kExtend:
        client.extend_called = at;
        break;
      case EventKind::kExtended:
        if (record.status == StatusCode::kOk) Extend(client, record, at);
        break;
      case EventKind::kRelease:
        CallRelease(client, at);
        break;
      case EventKind::kReleased:
        Release(client, record.status, at);
        break;
      case EventKind::kDied:
        history_.deaths.push_back({record.client, at});
        history_.last_fault = std::max(history_.last_fault, at);
        break;
      case EventKind::kEnded:
        break;
    }
  }

  History Finish() {
    for (ClientHold& hold : history_.holds) {
      const VirtualTime died = DiedAt(history_, hold.client);
      for (Interval& belief : hold.belief) {
        belief.to = std::max(belief.from, std::min(belief.to, died));
      }
      if (hold.entered()) hold.section.to = std::min(hold.section.to, died);
    }
    return std::move(history_);
  }

 private:
  struct State {
    std::size_t attempt = 0;  ///< index of its latest attempt
    std::size_t hold = 0;     ///< index of its latest hold
    VirtualTime extend_called{};
  };

  VirtualTime Relative(std::int64_t ns) const {
    if (ns == kNever.time_since_epoch().count()) return kOpen;
    return Duration(ns) - frame_.started.time_since_epoch();
  }

  /// The end of a lease that was asked for at `asked`, at the earliest.
  VirtualTime PromisedUntil(VirtualTime asked, VirtualTime valid_until) const {
    return std::min(asked + frame_.lease - frame_.lease / kDriftPart, valid_until);
  }

  void Answer(const State& client, VirtualTime at, StatusCode status) {
    history_.attempts[client.attempt].answered = at;
    history_.attempts[client.attempt].answer = status;
  }

  void Grant(State& client, const EventRecord& record, VirtualTime at) {
    Answer(client, at, StatusCode::kOk);
    const VirtualTime until = Relative(record.valid_until_ns);
    const VirtualTime asked = history_.attempts[client.attempt].asked;
    ClientHold hold;
    hold.client = record.client;
    hold.asked = asked;
    hold.shared = history_.attempts[client.attempt].shared;
    hold.belief.push_back({at, std::max(at, until)});
    ServerHold promise;
    promise.client = record.client;
    promise.shared = hold.shared;
    promise.granted = at;
    promise.renewed = at;
    promise.promised_until = PromisedUntil(asked, until);
    client.hold = history_.holds.size();
    history_.holds.push_back(std::move(hold));
    history_.server_holds.push_back(std::move(promise));
  }

  void Extend(const State& client, const EventRecord& record, VirtualTime at) {
    const VirtualTime until = Relative(record.valid_until_ns);
    std::vector<Interval>& belief = history_.holds[client.hold].belief;
    if (belief.back().to >= at) {
      belief.back().to = std::max(belief.back().to, until);
    } else if (until > at) {
      belief.push_back({at, until});
    }
    ServerHold& promise = history_.server_holds[client.hold];
    promise.renewed = at;
    promise.promised_until =
        std::max(promise.promised_until, PromisedUntil(client.extend_called, until));
  }

  void CallRelease(const State& client, VirtualTime at) {
    ClientHold& hold = history_.holds[client.hold];
    hold.release_called = at;
    for (Interval& belief : hold.belief) belief.to = std::max(belief.from, std::min(belief.to, at));
    history_.server_holds[client.hold].ended = at;
  }

  void Release(const State& client, StatusCode status, VirtualTime at) {
    ClientHold& hold = history_.holds[client.hold];
    hold.release_returned = at;
    hold.release_status = status;
    if (status == StatusCode::kOk) {
      history_.server_holds[client.hold].end = ServerHoldEnd::kReleased;
    }
  }

  const HistoryFrame& frame_;
  std::vector<State> clients_;
  History history_;
};

}  // namespace

History HistoryOf(const std::vector<EventRecord>& records, const HistoryFrame& frame) {
  Builder builder(frame);
  for (const EventRecord& record : records) builder.Add(record);
  return builder.Finish();
}

Interval ProvenHold(const ServerHold& hold) {
  if (hold.end == ServerHoldEnd::kReleased) return {hold.granted, hold.ended};
  return {hold.granted, std::min(hold.promised_until, hold.ended)};
}

}  // namespace interlock::scenarios::real
