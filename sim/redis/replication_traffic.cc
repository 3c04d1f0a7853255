// SPDX-License-Identifier: MIT
#include "sim/redis/replication_traffic.h"

#include <algorithm>

namespace interlock::sim::redis {

void ReplicationTraffic::Reset(std::int64_t lag_us) {
  lag_us_ = lag_us;
  lags_.clear();
  ways_.clear();
  cuts_.clear();
  sequence_ = 0;
}

void ReplicationTraffic::SetCut(NodeId a, NodeId b, bool cut) {
  const Way way = std::minmax(a, b);
  std::erase(cuts_, way);
  if (cut) cuts_.push_back(way);
}

bool ReplicationTraffic::IsCut(NodeId a, NodeId b) const {
  return std::find(cuts_.begin(), cuts_.end(), Way(std::minmax(a, b))) != cuts_.end();
}

void ReplicationTraffic::Send(const Way& way, ReplicationMessage&& message,
                              std::int64_t sent_at_us) {
  const auto lag = lags_.find(way);
  std::deque<ReplicationMessage>& messages = ways_[way];
  message.deliver_at_us = sent_at_us + (lag == lags_.end() ? lag_us_ : lag->second);
  if (!messages.empty()) {
    message.deliver_at_us = std::max(message.deliver_at_us, messages.back().deliver_at_us);
  }
  message.sequence = ++sequence_;
  messages.push_back(std::move(message));
}

ReplicationMessage ReplicationTraffic::Take(const Way& way) {
  std::deque<ReplicationMessage>& messages = ways_[way];
  ReplicationMessage oldest = std::move(messages.front());
  messages.pop_front();
  return oldest;
}

void ReplicationTraffic::LoseFrom(NodeId node) {
  for (auto& [way, messages] : ways_) {
    if (way.first == node) messages.clear();
  }
}

}  // namespace interlock::sim::redis
