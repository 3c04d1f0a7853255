// SPDX-License-Identifier: MIT
#include "scenarios/run/load/requests.h"

#include <algorithm>
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
      case EventKind::kRefused:
      case EventKind::kEnter:
      case EventKind::kLeave:
      case EventKind::kRelease:
      case EventKind::kReleased:
        return OfLatest(event);
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

  void OfLatest(const LogEvent& event) {
    Request& request = told_.requests[latest_.at(event.client)];
    switch (event.kind) {
      case EventKind::kGranted: {
        request.answered = NsOf(event);
        request.ending = Ending::kGranted;
        request.token = event.As<GrantDetails>().token;
        const auto found = owned_.find({request.resource, request.token});
        if (found != owned_.end()) all_owned_[found->first] = found->second;
        return;
      }
      case EventKind::kRefused:
        request.answered = NsOf(event);
        request.ending = IsInVain(event) ? Ending::kAbandoned : Ending::kFailed;
        --users_[request.resource];
        return;
      case EventKind::kEnter:
        request.entered = NsOf(event);
        return;
      case EventKind::kLeave:
        request.left = NsOf(event);
        return;
      case EventKind::kRelease:
        request.release_called = NsOf(event);
        return;
      case EventKind::kReleased:
        request.released = NsOf(event);
        request.told_lost = Status(event.As<AnswerDetails>().status).outcome() == Outcome::kFailure;
        --users_[request.resource];
        return;
      default:
        return;
    }
  }

  Told told_;
  std::map<int, std::size_t> latest_;  // by client
  std::map<int, int> users_;           // by resource: number of clients that ask for it or have it
  std::map<Key, std::size_t> owned_;   // at present
  std::map<Key, std::size_t> all_owned_;
};

}  // namespace

std::int64_t Overlap(std::int64_t a, std::int64_t b, std::int64_t from, std::int64_t to) {
  return std::max<std::int64_t>(0, std::min(b, to) - std::max(a, from));
}

Told Assemble(const EventLog& log) {
  Assembly assembly;
  for (const LogEvent& event : log) assembly.Take(event);
  return std::move(assembly).Finish();
}

}  // namespace interlock::scenarios::contend
