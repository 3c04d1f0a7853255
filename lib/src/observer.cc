// SPDX-License-Identifier: MIT
#include <interlock/observer.h>

#include <utility>

namespace interlock {

std::string_view ToString(Observation::Kind kind) {
  using Kind = Observation::Kind;
  switch (kind) {
    case Kind::kAttempt:
      return "attempt";
    case Kind::kRefused:
      return "refused";
    case Kind::kWaiting:
      return "waiting";
    case Kind::kGranted:
      return "granted";
    case Kind::kGaveUp:
      return "gave-up";
    case Kind::kExtended:
      return "extended";
    case Kind::kLost:
      return "lost";
    case Kind::kReleased:
      return "released";
    case Kind::kRetried:
      return "retried";
    case Kind::kConnected:
      return "connected";
    case Kind::kReconnected:
      return "reconnected";
    case Kind::kConnectFailed:
      return "connect-failed";
  }
  return "undefined";
}

TopologyObserver ToTopologyObserver(std::shared_ptr<Observer> observer) {
  if (observer == nullptr) return {};
  return [to = std::move(observer)](const TopologyEvent& event) { to->ObserveTopology(event); };
}

}  // namespace interlock
