// SPDX-License-Identifier: MIT
#include "scenarios/run/processes/real_history.h"

#include <algorithm>

#include "scenarios/judge/outside.h"

namespace interlock::scenarios::real {
namespace {

class Builder {
 public:
  explicit Builder(const HistoryFrame& frame)
      : frame_(frame), clients_(static_cast<std::size_t>(frame.clients)) {
    history_.lease = frame.lease;
    history_.limits = Limits(frame.permits);
    history_.prefers_writers = frame.prefers_writers;
    history_.end = frame.end;
  }

  void Add(const LogEvent& event) {
    if (event.kind == EventKind::kFault) {
      history_.last_fault = std::max(history_.last_fault, event.As<FaultDetails>().until);
    }
    if (event.client < 0 || event.client >= frame_.clients) return;
    const VirtualTime at = event.at_latest;
    State& client = clients_[static_cast<std::size_t>(event.client)];
    switch (event.kind) {
      case EventKind::kAsk:
        return AskFor(client, event);
      case EventKind::kStop:
        history_.attempts[client.attempt].stopped = at;
        return;
      case EventKind::kCountDown:
        client.attempt = history_.attempts.size();
        history_.attempts.push_back({event.client, Ask::kTry, at});
        history_.attempts.back().counts_for = event.As<PartyDetails>().party;
        history_.attempts.back().queued = at;  // surely no earlier
        return;
      case EventKind::kRefused:
      case EventKind::kAnswered:
        return Answer(client, at, event.As<AnswerDetails>().status,
                      event.As<AnswerDetails>().commands);
      case EventKind::kGranted:
        return Grant(client, event);
      case EventKind::kEnter:
        history_.holds[client.hold].section = {at, kOpen};
        return;
      case EventKind::kLeave:
        history_.holds[client.hold].section.to = event.at_earliest;
        return;
      case EventKind::kExtend:
        client.extend_called = event.at_earliest;
        return;
      case EventKind::kAskValid:
        client.asked_valid = event.at_earliest;
        return;
      case EventKind::kExtended:
        return Extended(client, event);
      case EventKind::kAskedValid:
        return AskedValid(client, event);
      case EventKind::kRelease:
        history_.holds[client.hold].release_called = event.at_earliest;
        return GiveBack(client, event.at_earliest);
      case EventKind::kReleased:
        return Release(client, event.As<AnswerDetails>().status, at);
      case EventKind::kDrop:
        history_.holds[client.hold].dropped = event.at_earliest;
        return GiveBack(client, event.at_earliest);
      case EventKind::kStops:
        history_.pauses.push_back({event.client, at});
        return;
      case EventKind::kGoesOn:
        history_.last_fault = std::max(history_.last_fault, at);
        return;
      case EventKind::kDied:
        history_.deaths.push_back({event.client, at});
        history_.last_fault = std::max(history_.last_fault, at);
        return;
      default:
        return;
    }
  }

  History Finish() {
    history_.last_fault = std::max(history_.last_fault, frame_.faults_over);
    for (ClientHold& hold : history_.holds) {
      const VirtualTime died = DiedAt(history_, hold.client, hold.asked);
      EndBelief(hold, died);
      if (hold.entered()) hold.section.to = std::min(hold.section.to, died);
    }
    return std::move(history_);
  }

 private:
  struct State {
    std::size_t attempt = 0;            ///< index of its latest attempt
    std::size_t hold = 0;               ///< index of its latest hold
    VirtualTime extend_called = kOpen;  ///< its latest; kOpen: only its return was told of
    VirtualTime asked_valid = kOpen;    ///< likewise
    std::uint64_t commands_before = 0;  ///< sent before its latest attempt
  };

  void AskFor(State& client, const LogEvent& event) {
    const auto& asked = event.As<AskDetails>();
    const VirtualTime at = event.at_earliest;
    client.attempt = history_.attempts.size();
    history_.attempts.push_back({event.client, asked.ask, at});
    history_.attempts.back().shared = asked.shared;
    history_.attempts.back().stopped_before = asked.stopped;
    if (asked.ask == Ask::kWaitFor) history_.attempts.back().deadline = at + asked.patience;
    client.commands_before = asked.commands;
  }

  /// The earliest end of a lease that was asked for at `asked`.
  VirtualTime PromisedUntil(VirtualTime asked, VirtualTime valid_until) const {
    return std::min(asked + frame_.lease - frame_.lease / kDriftPart, valid_until);
  }

  void Answer(const State& client, VirtualTime at, StatusCode status, std::uint64_t commands) {
    Attempt& attempt = history_.attempts[client.attempt];
    attempt.answered = at;
    attempt.answer = status;
    attempt.commands = static_cast<std::int64_t>(commands - client.commands_before);
  }

  void Grant(State& client, const LogEvent& event) {
    const auto& granted = event.As<GrantDetails>();
    const VirtualTime at = event.at_latest;
    Answer(client, at, StatusCode::kOk, granted.commands);
    ClientHold hold;
    hold.client = event.client;
    hold.asked = history_.attempts[client.attempt].asked;
    hold.sent = granted.sent;
    hold.token = granted.token;
    hold.fencing_token = granted.fencing_token;
    hold.shared = history_.attempts[client.attempt].shared;
    hold.belief.push_back({at, std::max(at, granted.valid_until)});
    ServerHold promise;
    promise.client = event.client;
    promise.shared = hold.shared;
    promise.granted = at;
    promise.renewed = at;
    promise.promised_until = PromisedUntil(hold.asked, granted.valid_until);
    client.hold = history_.holds.size();
    history_.holds.push_back(std::move(hold));
    history_.server_holds.push_back(std::move(promise));
  }

  void Extended(const State& client, const LogEvent& event) {
    const StatusCode status = event.As<ExtendedDetails>().status;
    Renewal renewal;
    renewal.client = event.client;
    renewal.called = std::min(event.at_earliest, client.extend_called);
    renewal.answered = event.at_latest;
    renewal.promised_until = LatestEnd(history_, history_.server_holds[client.hold]);
    renewal.answer = status;
    history_.renewals.push_back(renewal);
    if (status == StatusCode::kOk) Extend(client, event, renewal.called);
  }

  void AskedValid(const State& client, const LogEvent& event) {
    const auto& told = event.As<ValidDetails>();
    const VirtualTime called = std::min(event.at_earliest, client.asked_valid);
    // A lock that renews by itself has moved the end.
    if (told.valid) Believe(client, event.at_latest, told.valid_until);
    history_.questions.push_back({.client = event.client,
                                  .until = told.valid_until,
                                  .announced = true,
                                  .at = called,
                                  .told_lost = !told.valid});
  }

  void Believe(const State& client, VirtualTime at, VirtualTime until) {
    std::vector<Interval>& belief = history_.holds[client.hold].belief;
    if (belief.back().to >= at) {
      belief.back().to = std::max(belief.back().to, until);
    } else if (until > at) {
      belief.push_back({at, until});
    }
  }

  void Extend(const State& client, const LogEvent& event, VirtualTime called) {
    const VirtualTime until = event.As<ExtendedDetails>().valid_until;
    const VirtualTime at = event.at_latest;
    Believe(client, at, until);
    ServerHold& promise = history_.server_holds[client.hold];
    promise.renewed = at;
    promise.promised_until = std::max(promise.promised_until, PromisedUntil(called, until));
  }

  static void EndBelief(ClientHold& hold, VirtualTime at) {
    for (Interval& belief : hold.belief) belief.to = std::max(belief.from, std::min(belief.to, at));
  }

  /// The hold is dropped, or its release is called; whether it was released nobody says yet.
  void GiveBack(const State& client, VirtualTime at) {
    EndBelief(history_.holds[client.hold], at);
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

History HistoryOf(const EventLog& log, const HistoryFrame& frame) {
  Builder builder(frame);
  for (const LogEvent& event : log) builder.Add(event);
  return builder.Finish();
}

}  // namespace interlock::scenarios::real
