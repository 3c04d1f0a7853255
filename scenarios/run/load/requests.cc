// SPDX-License-Identifier: MIT
#include "scenarios/run/load/requests.h"

#include <algorithm>
#include <map>
#include <utility>

namespace interlock::scenarios::contend {
namespace {

class Assembly {
 public:
  void Take(const LogEntry& entry) {
    switch (entry.what) {
      case Happening::kAsk:
        return Ask(entry);
      case Happening::kOwned:
        owned_[{entry.resource, entry.text}] = told_.ownerships.size();
        told_.ownerships.push_back({-1, entry.resource, entry.at_ns, kNotYet, false, {}});
        return;
      case Happening::kFreed:
        return Free(entry);
      case Happening::kSend:
      case Happening::kAnswered:
      case Happening::kWoken:
      case Happening::kAccess:
      case Happening::kProlonged:
      case Happening::kFault:
        return;
      default:
        return OfLatest(entry);
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

  void Ask(const LogEntry& entry) {
    Request request;
    request.client = entry.client;
    request.resource = entry.resource;
    request.intended = entry.value;
    request.asked = entry.at_ns;
    request.contended = users_[entry.resource] > 0;
    ++users_[entry.resource];
    latest_[entry.client] = told_.requests.size();
    told_.requests.push_back(std::move(request));
  }

  void Free(const LogEntry& entry) {
    const auto found = owned_.find({entry.resource, entry.text});
    if (found == owned_.end()) return;
    Ownership& ownership = told_.ownerships[found->second];
    ownership.to = entry.at_ns;
    ownership.expired = entry.value != 0;
    all_owned_[found->first] = found->second;
    owned_.erase(found);
  }

  void OfLatest(const LogEntry& entry) {
    Request& request = told_.requests[latest_.at(entry.client)];
    switch (entry.what) {
      case Happening::kGranted: {
        request.answered = entry.at_ns;
        request.ending = Ending::kGranted;
        request.token = entry.text;
        const auto found = owned_.find({request.resource, request.token});
        if (found != owned_.end()) all_owned_[found->first] = found->second;
        return;
      }
      case Happening::kRefused:
        request.answered = entry.at_ns;
        request.ending = entry.value != 0 ? Ending::kAbandoned : Ending::kFailed;
        --users_[request.resource];
        return;
      case Happening::kEnter:
        request.entered = entry.at_ns;
        return;
      case Happening::kLeave:
        request.left = entry.at_ns;
        return;
      case Happening::kRelease:
        request.release_called = entry.at_ns;
        return;
      case Happening::kReleased:
        request.released = entry.at_ns;
        request.told_lost = entry.value != 0;
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

std::int64_t Request::WaitedWithin(std::int64_t from, std::int64_t to) const {
  return Overlap(asked, answered, from, to);
}

Told Assemble(const Log& log) {
  Assembly assembly;
  for (const LogEntry& entry : log) assembly.Take(entry);
  return std::move(assembly).Finish();
}

}  // namespace interlock::scenarios::contend
