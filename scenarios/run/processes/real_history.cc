// SPDX-License-Identifier: MIT
#include "scenarios/run/processes/real_history.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/judge/outside.h"
#include "scenarios/judge/validity.h"

namespace interlock::scenarios::real {
namespace {

class Builder {
 public:
  explicit Builder(const HistoryFrame& frame)
      : frame_(frame), clients_(static_cast<std::size_t>(frame.clients)) {
    history_.lease = frame.lease;
    history_.limits = Limits(frame.permits);
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
        if (record.ask == Ask::kWaitFor) {
          history_.attempts.back().deadline = at + Duration(record.wait_ns);
        }
        client.commands_before = record.commands;
        break;
      case EventKind::kCountDown:
        client.attempt = history_.attempts.size();
        history_.attempts.push_back({record.client, Ask::kTry, at});
        history_.attempts.back().counts_for = record.party;
        history_.attempts.back().queued = at;  // surely no earlier
        break;
      case EventKind::kRefused:
      case EventKind::kAnswered:
        Answer(client, record, record.status);
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
        Extended(client, record, at);
        break;
      case EventKind::kAskedValid:
        AskedValid(record);
        break;
      case EventKind::kRelease:
        CallRelease(client, at);
        break;
      case EventKind::kReleased:
        Release(client, record.status, at);
        break;
      case EventKind::kStops:
        history_.pauses.push_back({record.client, at});
        break;
      case EventKind::kGoesOn:
        history_.last_fault = std::max(history_.last_fault, at);
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
    history_.last_fault =
        std::max(history_.last_fault, VirtualTime(frame_.faults_over - frame_.started));
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
    std::uint64_t commands_before = 0;  ///< sent before its latest attempt
  };

  VirtualTime Relative(std::int64_t ns) const {
    if (ns == kNever.time_since_epoch().count()) return kOpen;
    return Duration(ns) - frame_.started.time_since_epoch();
  }

  /// The earliest end of a lease that was asked for at `asked`.
  VirtualTime PromisedUntil(VirtualTime asked, VirtualTime valid_until) const {
    return std::min(asked + frame_.lease - frame_.lease / kDriftPart, valid_until);
  }

  void Answer(const State& client, const EventRecord& record, StatusCode status) {
    Attempt& attempt = history_.attempts[client.attempt];
    attempt.answered = Relative(record.at_ns);
    attempt.answer = status;
    attempt.commands = static_cast<std::int64_t>(record.commands - client.commands_before);
  }

  void Grant(State& client, const EventRecord& record, VirtualTime at) {
    Answer(client, record, StatusCode::kOk);
    const VirtualTime until = Relative(record.valid_until_ns);
    const VirtualTime asked = history_.attempts[client.attempt].asked;
    ClientHold hold;
    hold.client = record.client;
    hold.asked = asked;
    hold.sent = Relative(record.sent_ns);
    if (record.token != 0) hold.token = fmt::format("{:016x}", record.token);
    if (record.fencing_token != 0) hold.fencing_token = record.fencing_token;
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

  void Extended(const State& client, const EventRecord& record, VirtualTime at) {
    Renewal renewal;
    renewal.client = record.client;
    renewal.called = client.extend_called;
    renewal.answered = at;
    renewal.promised_until = LatestEnd(history_, history_.server_holds[client.hold]);
    renewal.answer = record.status;
    history_.renewals.push_back(renewal);
    if (record.status == StatusCode::kOk) Extend(client, record, at);
  }

  void AskedValid(const EventRecord& record) {
    const VirtualTime until = Relative(record.valid_until_ns);
    const VirtualTime called = Relative(record.called_ns);
    if (!MustKnowOfEnd(until, true, called)) return;
    history_.late_questions.push_back(
        {.client = record.client, .until = until, .at = called, .told_lost = !record.yes});
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

}  // namespace interlock::scenarios::real
