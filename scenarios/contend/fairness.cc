// SPDX-License-Identifier: MIT
#include "scenarios/contend/fairness.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace interlock::scenarios::contend {
namespace {

/// Of each resource by itself: windows of as many grants as there are clients.
double WorkingSet(const std::vector<const Request*>& granted, std::size_t clients) {
  std::map<int, std::size_t> inside;
  std::uint64_t sum = 0;
  std::uint64_t windows = 0;
  for (std::size_t i = 0; i < granted.size(); ++i) {
    ++inside[granted[i]->client];
    if (i + 1 < clients) continue;
    sum += inside.size();
    ++windows;
    const auto oldest = inside.find(granted[i + 1 - clients]->client);
    if (--oldest->second == 0) inside.erase(oldest);
  }
  return windows == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(windows);
}

std::uint64_t MedianReacquire(const std::vector<const Request*>& granted) {
  std::map<int, std::size_t> last;
  std::vector<std::uint64_t> distances;
  for (std::size_t i = 0; i < granted.size(); ++i) {
    const auto [found, fresh] = last.try_emplace(granted[i]->client, i);
    if (!fresh) distances.push_back(i - found->second);
    found->second = i;
  }
  if (distances.empty()) return 0;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>((distances.size() - 1) / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

/// Earlier requests for the same that still wait when one is granted: their clients' latest.
void CountBypasses(const std::vector<const Request*>& granted, const std::vector<Request>& requests,
                   reports::Fairness& fairness) {
  std::map<const Request*, std::uint64_t> passed;
  std::map<int, const Request*> latest;  // by client
  std::size_t next = 0;
  std::uint64_t streak = 0;
  const Request* before = nullptr;
  for (const Request* grant : granted) {
    for (; next < requests.size() && requests[next].asked <= grant->answered; ++next) {
      latest[requests[next].client] = &requests[next];
    }
    bool others_wait = false;
    for (const auto& [client, request] : latest) {
      if (request == grant || request->resource != grant->resource) continue;
      if (request->answered <= grant->answered) continue;
      others_wait = true;
      if (request->asked >= grant->asked) continue;
      ++fairness.bypasses;
      fairness.most_bypassed = std::max(fairness.most_bypassed, ++passed[request]);
    }
    streak = before != nullptr && before->client == grant->client && others_wait ? streak + 1 : 1;
    if (others_wait) fairness.longest_streak = std::max(fairness.longest_streak, streak);
    before = grant;
  }
}

}  // namespace

double Jain(const std::vector<std::int64_t>& shares) {
  double sum = 0;
  double squares = 0;
  for (const std::int64_t share : shares) {
    sum += static_cast<double>(share);
    squares += static_cast<double>(share) * static_cast<double>(share);
  }
  return squares == 0 ? 1 : sum * sum / (static_cast<double>(shares.size()) * squares);
}

reports::Fairness FairnessOf(const std::vector<const Request*>& granted,
                             const std::vector<Request>& requests,
                             const std::vector<reports::ClientShare>& shares) {
  reports::Fairness fairness;
  std::vector<std::int64_t> grants;
  std::vector<std::int64_t> holds;
  for (const reports::ClientShare& share : shares) {
    grants.push_back(static_cast<std::int64_t>(share.grants));
    holds.push_back(share.hold_ns);
  }
  fairness.jain_grants = Jain(grants);
  fairness.jain_hold = Jain(holds);
  fairness.lwss_mean = WorkingSet(granted, shares.size());
  fairness.reacquire_median = MedianReacquire(granted);
  CountBypasses(granted, requests, fairness);
  return fairness;
}

}  // namespace interlock::scenarios::contend
