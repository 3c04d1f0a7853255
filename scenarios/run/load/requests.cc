// SPDX-License-Identifier: MIT
#include "scenarios/run/load/requests.h"

#include <map>
#include <utility>

namespace interlock::scenarios::contend {
namespace {

/// Its patience ended; anything else is an error.
bool IsInVain(const LogEvent& refused) {
  const StatusCode status = refused.As<AnswerDetails>().status;
  return status == StatusCode::kTimeout || status == StatusCode::kNotAcquired;
}

class Assembly {
 public:
  void Take(const LogEvent& event) {
    switch (event.kind) {
      case EventKind::kAsk:
        return AskFor(event);
      case EventKind::kOwned:
        owned_[KeyOf(event)] = told_.ownerships.size();
        told_.ownerships.push_back({-1, event.resource, NsOf(event), kNotYet, false, {}});
        return;
      case EventKind::kFreed:
        return Free(event);
      case EventKind::kGranted:
        return Grant(event);
      case EventKind::kRefused:
        LatestOf(event).answered = NsOf(event);
        LatestOf(event).ending = IsInVain(event) ? Ending::kAbandoned : Ending::kFailed;
        --users_[LatestOf(event).resource];
        return;
      case EventKind::kEnter:
        LatestOf(event).entered = NsOf(event);
        return;
      case EventKind::kLeave:
        LatestOf(event).left = NsOf(event);
        return;
      case EventKind::kRelease:
        LatestOf(event).release_called = NsOf(event);
        return;
      case EventKind::kReleased:
        LatestOf(event).released = NsOf(event);
        LatestOf(event).told_lost =
            Status(event.As<AnswerDetails>().status).outcome() == Outcome::kFailure;
        --users_[LatestOf(event).resource];
        return;
      default:
        return;
    }
  }

  Told Finish() && {
    // The owner is known once its client has been told.
    for (std::size_t i = 0; i < told_.requests.size(); ++i) {
      const Request& request = told_.requests[i];
      if (request.token.empty()) continue;
      const auto found = all_owned_.find({request.resource, request.token});
      if (found == all_owned_.end()) continue;
      Ownership& ownership = told_.ownerships[found->second];
      ownership.client = request.client;
      ownership.request = i;
    }
    return std::move(told_);
  }

 private:
  using Key = std::pair<int, std::string>;  // resource, token

  static Key KeyOf(const LogEvent& event) {
    return {event.resource, event.As<OwnerDetails>().token};
  }

  void AskFor(const LogEvent& event) {
    const VirtualTime due = event.As<AskDetails>().due;
    Request request;
    request.client = event.client;
    request.resource = event.resource;
    request.intended = due != kOpen ? due.count() : NsOf(event);
    request.asked = NsOf(event);
    request.contended = users_[event.resource] > 0;
    ++users_[event.resource];
    latest_[event.client] = told_.requests.size();
    told_.requests.push_back(std::move(request));
  }

  void Free(const LogEvent& event) {
    const auto found = owned_.find(KeyOf(event));
    if (found == owned_.end()) return;
    Ownership& ownership = told_.ownerships[found->second];
    ownership.to = NsOf(event);
    ownership.expired = event.As<OwnerDetails>().expired;
    all_owned_[found->first] = found->second;
    owned_.erase(found);
  }

  /// The client's latest request.
  Request& LatestOf(const LogEvent& event) { return told_.requests[latest_.at(event.client)]; }

  void Grant(const LogEvent& event) {
    Request& request = LatestOf(event);
    request.answered = NsOf(event);
    request.ending = Ending::kGranted;
    request.token = event.As<GrantDetails>().token;
    const auto found = owned_.find({request.resource, request.token});
    if (found != owned_.end()) all_owned_[found->first] = found->second;
  }

  Told told_;
  std::map<int, std::size_t> latest_;  // by client
  std::map<int, int> users_;           // by resource: number of clients that ask for it or have it
  std::map<Key, std::size_t> owned_;   // at present
  std::map<Key, std::size_t> all_owned_;
};

}  // namespace

Told Assemble(const EventLog& log) {
  Assembly assembly;
  for (const LogEvent& event : log) assembly.Take(event);
  return std::move(assembly).Finish();
}

}  // namespace interlock::scenarios::contend
