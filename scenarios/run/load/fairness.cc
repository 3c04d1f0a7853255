// SPDX-License-Identifier: MIT
#include "scenarios/run/load/fairness.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

namespace interlock::scenarios::contend {
namespace {

/// The value in the middle, or the lower of the two there.
std::uint64_t Median(std::vector<std::uint64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Counts the distinct clients in windows of as many grants as there are clients.
void CountWorkingSets(const std::vector<const Request*>& granted, std::size_t clients,
                      reports::Fairness& fairness) {
  std::map<int, std::size_t> inside;
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 0; i < granted.size(); ++i) {
    ++inside[granted[i]->client];
    if (i + 1 < clients) continue;
    sizes.push_back(inside.size());
    const auto oldest = inside.find(granted[i + 1 - clients]->client);
    if (--oldest->second == 0) inside.erase(oldest);
  }
  if (sizes.empty()) return;
  const std::uint64_t sum = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  fairness.lwss_mean = static_cast<double>(sum) / static_cast<double>(sizes.size());
  fairness.lwss_median = Median(std::move(sizes));
}

std::uint64_t MedianReacquire(const std::vector<const Request*>& granted) {
  std::map<int, std::size_t> last;
  std::vector<std::uint64_t> distances;
  for (std::size_t i = 0; i < granted.size(); ++i) {
    const auto [found, fresh] = last.try_emplace(granted[i]->client, i);
    if (!fresh) distances.push_back(i - found->second);
    found->second = i;
  }
  return Median(std::move(distances));
}

/// Compares, for each resource separately, the order of grants with the order of requests.
double FifoDistance(const std::vector<const Request*>& granted) {
  std::map<int, std::vector<const Request*>> by_resource;
  for (const Request* grant : granted) by_resource[grant->resource].push_back(grant);
  std::uint64_t sum = 0;
  for (const auto& [resource, grants] : by_resource) {
    std::vector<std::size_t> by_asking(grants.size());
    std::iota(by_asking.begin(), by_asking.end(), std::size_t{0});
    std::ranges::stable_sort(by_asking, {},
                             [&grants = grants](std::size_t i) { return grants[i]->asked; });
    for (std::size_t place = 0; place < by_asking.size(); ++place) {
      sum += place > by_asking[place] ? place - by_asking[place] : by_asking[place] - place;
    }
  }
  return granted.empty() ? 0 : static_cast<double>(sum) / static_cast<double>(granted.size());
}

/// Counts earlier requests for the same resource that still wait when one is granted; only each
/// client's latest request can be waiting.
void CountBypasses(const std::vector<const Request*>& granted, const std::vector<Request>& requests,
                   reports::Fairness& fairness) {
  std::map<const Request*, std::uint64_t> passed;
  std::map<int, const Request*> latest;  // by client
  std::size_t next = 0;
  struct Streak {
    int client = -1;
    std::uint64_t length = 0;
  };
  std::map<int, Streak> streaks;  // by resource
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
    Streak& streak = streaks[grant->resource];
    const bool again = others_wait && streak.client == grant->client;
    streak = {grant->client, again ? streak.length + 1 : 1};
    if (others_wait) fairness.longest_streak = std::max(fairness.longest_streak, streak.length);
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
                             const std::vector<reports::ClientShare>& shares,
                             std::int64_t whole_ns) {
  reports::Fairness fairness;
  std::vector<std::int64_t> grants;
  std::vector<std::int64_t> holds;
  for (const reports::ClientShare& share : shares) {
    grants.push_back(static_cast<std::int64_t>(share.grants));
    holds.push_back(share.hold_ns);
  }
  fairness.jain_grants = Jain(grants);
  fairness.jain_hold = Jain(holds);
  const std::int64_t held = std::accumulate(holds.begin(), holds.end(), std::int64_t{0});
  for (std::int64_t& hold : holds) hold += std::max<std::int64_t>(0, whole_ns - held);
  fairness.jain_opportunity = Jain(holds);
  CountWorkingSets(granted, shares.size(), fairness);
  fairness.fifo_distance = FifoDistance(granted);
  fairness.reacquire_median = MedianReacquire(granted);
  CountBypasses(granted, requests, fairness);
  return fairness;
}

}  // namespace interlock::scenarios::contend
