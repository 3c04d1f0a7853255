// SPDX-License-Identifier: MIT
#include "reports/contention_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

#include "reports/text_layout.h"

namespace interlock::reports {
namespace {

using Value = std::optional<double>;

template <Histogram ContentionPoint::*member, std::uint32_t part>
Value At(const ContentionPoint& point) {
  return (point.*member).IfTelling(part);
}

template <Histogram ContentionPoint::*member>
Value Mean(const ContentionPoint& point) {
  const Histogram& histogram = point.*member;
  if (histogram.count() == 0) return std::nullopt;
  return static_cast<double>(histogram.sum()) / static_cast<double>(histogram.count());
}

template <Histogram ContentionPoint::*member>
Value Least(const ContentionPoint& point) {
  const Histogram& histogram = point.*member;
  if (histogram.count() == 0) return std::nullopt;
  return static_cast<double>(histogram.least());
}

template <Histogram ContentionPoint::*member>
Value Sum(const ContentionPoint& point) {
  return static_cast<double>((point.*member).sum());
}

template <std::uint32_t part>
Value HandOver(const ContentionPoint& point) {
  if (!point.server) return std::nullopt;
  return point.server->hand_over.IfTelling(part);
}

template <auto member>
Value CountFigure(const ContentionPoint& point) {
  return static_cast<double>(point.*member);
}

template <auto member>
Value OfFairness(const ContentionPoint& point) {
  if (point.grants == 0) return std::nullopt;
  return static_cast<double>(point.fairness.*member);
}

template <auto member>
Value OfServer(const ContentionPoint& point) {
  if (!point.server) return std::nullopt;
  return static_cast<double>((*point.server).*member);
}

Value Ratio(double part, double whole) { return whole == 0 ? Value() : part / whole; }
double Real(std::uint64_t count) { return static_cast<double>(count); }

Value GrantsPerSecond(const ContentionPoint& point) {
  return Ratio(Real(point.grants) * 1e9, static_cast<double>(point.window_ns));
}
Value ContendedShare(const ContentionPoint& point) {
  return Ratio(Real(point.contended), Real(point.requests));
}
Value AbandonedShare(const ContentionPoint& point) {
  return Ratio(Real(point.abandoned), Real(point.requests));
}
Value CommandsPerGrant(const ContentionPoint& point) {
  return Ratio(Real(point.commands.all()), Real(point.grants));
}
Value TriesPerGrant(const ContentionPoint& point) {
  return Ratio(Real(point.commands.acquiring), Real(point.grants));
}
Value RoundTripsPerGrant(const ContentionPoint& point) {
  if (!point.commands.round_trips) return std::nullopt;
  return Ratio(Real(*point.commands.round_trips), Real(point.hold.count()));
}
template <std::optional<std::uint64_t> CommandMix::*member>
Value OfCommands(const ContentionPoint& point) {
  const auto& count = point.commands.*member;
  return count ? Value(Real(*count)) : std::nullopt;
}
Value BytesPerGrant(const ContentionPoint& point) {
  return Ratio(Real(point.commands.bytes_sent), Real(point.grants));
}
Value Utilisation(const ContentionPoint& point) {
  if (!point.server) return std::nullopt;
  return Ratio(static_cast<double>(point.server->busy_ns), static_cast<double>(point.window_ns));
}
Value MeanWaiting(const ContentionPoint& point) {
  return Ratio(static_cast<double>(point.waiting_ns), static_cast<double>(point.window_ns));
}
Value UsefulShare(const ContentionPoint& point) {
  return Ratio(static_cast<double>(point.useful.sum()), static_cast<double>(point.window_ns));
}
/// L = lambda W (Little, 1961): a value far from 1 means that the window is too short.
Value LittlesLaw(const ContentionPoint& point) {
  const double waits =
      static_cast<double>(point.wait.sum()) + static_cast<double>(point.abandoned_wait.sum());
  return Ratio(static_cast<double>(point.waiting_ns), waits);
}
Value HandOverTotal(const ContentionPoint& point) {
  if (!point.server) return std::nullopt;
  return static_cast<double>(point.server->hand_over.sum());
}
Value ServerHold(const ContentionPoint& point) {
  if (!point.server) return std::nullopt;
  return point.server->hold.IfTelling(500'000);
}
/// If nobody is woken, clients poll, or nobody waits: tries_per_grant tells which.
Value HerdFactor(const ContentionPoint& point) {
  if (point.woken == 0) return std::nullopt;
  return Ratio(Real(point.woken), Real(point.turn.count()));
}
Value FencedRejects(const ContentionPoint& point) {
  if (!point.fenced_rejects) return std::nullopt;
  return Real(*point.fenced_rejects);
}

/// Each client's grants, the fewest first.
std::vector<double> SortedGrants(const ContentionPoint& point) {
  std::vector<double> grants;
  for (const ClientShare& share : point.shares) grants.push_back(Real(share.grants));
  std::sort(grants.begin(), grants.end());
  return grants;
}
Value GrantsDeviation(const ContentionPoint& point) {
  const double mean = Real(point.grants) / static_cast<double>(point.clients);
  double squares = 0;
  for (const double grants : SortedGrants(point)) squares += (grants - mean) * (grants - mean);
  return Ratio(std::sqrt(squares / static_cast<double>(point.clients)), mean);
}
Value GrantsMostToFewest(const ContentionPoint& point) {
  const std::vector<double> grants = SortedGrants(point);
  return grants.empty() ? Value() : Ratio(grants.back(), grants.front());
}
/// With an odd number of clients, the middle one is in neither half.
Value GrantsTopHalf(const ContentionPoint& point) {
  const std::vector<double> grants = SortedGrants(point);
  if (grants.size() < 2) return std::nullopt;
  double top = 0;
  double bottom = 0;
  for (std::size_t i = 0; i < grants.size() / 2; ++i) {
    bottom += grants[i];
    top += grants[grants.size() - 1 - i];
  }
  return Ratio(top, top + bottom);
}
Value RenewalMargin(const ContentionPoint& point) {
  if (!point.server || !point.server->renewal_margin_ns) return std::nullopt;
  return static_cast<double>(*point.server->renewal_margin_ns);
}

using P = ContentionPoint;
constexpr auto kNs = Unit::kNanoseconds;

constexpr std::array kFigures = {
    Figure{"grants_per_s", "grants in a second", Unit::kPerSecond, Better::kMore, GrantsPerSecond},
    Figure{"wait_p50_ns", "half of the grants came within it", kNs, Better::kLess,
           At<&P::wait, 500'000>},
    Figure{"wait_p90_ns", "9 of 10 grants came within it", kNs, Better::kLess,
           At<&P::wait, 900'000>},
    Figure{"wait_p99_ns", "99 of 100 grants came within it", kNs, Better::kLess,
           At<&P::wait, 990'000>},
    Figure{"wait_p999_ns", "999 of 1,000 grants came within it", kNs, Better::kLess,
           At<&P::wait, 999'000>},
    Figure{"wait_max_ns", "the longest wait for a grant", kNs, Better::kLess,
           At<&P::wait, 1'000'000>},
    Figure{"wait_min_ns", "the shortest wait for a grant", kNs, Better::kLess, Least<&P::wait>},
    Figure{"wait_mean_ns", "the mean wait for a grant", kNs, Better::kLess, Mean<&P::wait>},
    Figure{"wait_total_ns", "all waiting for grants together", kNs, Better::kLess, Sum<&P::wait>},
    Figure{"intended_wait_p99_ns", "open loop: from when it should have been asked for", kNs,
           Better::kLess, At<&P::wait_from_intended, 990'000>},
    Figure{"abandoned", "requests that gave up", Unit::kCount, Better::kLess,
           CountFigure<&P::abandoned>},
    Figure{"abandoned_share", "of all requests", Unit::kRatio, Better::kLess, AbandonedShare},
    Figure{"abandoned_wait_p50_ns", "half of those that gave up did so within it", kNs,
           Better::kNeither, At<&P::abandoned_wait, 500'000>},
    Figure{"abandoned_wait_max_ns", "the longest wait in vain", kNs, Better::kLess,
           At<&P::abandoned_wait, 1'000'000>},
    Figure{"oldest_wait_ns", "the longest that anybody had waited at any time", kNs, Better::kLess,
           CountFigure<&P::oldest_wait_ns>},
    Figure{"failed", "requests that ended in an error", Unit::kCount, Better::kLess,
           CountFigure<&P::failed>},
    Figure{"contended_share", "requests that found it held or asked for", Unit::kRatio,
           Better::kNeither, ContendedShare},
    Figure{"hold_p50_ns", "from the grant to the end of the release", kNs, Better::kLess,
           At<&P::hold, 500'000>},
    Figure{"hold_mean_ns", "the same on average", kNs, Better::kLess, Mean<&P::hold>},
    Figure{"useful_p50_ns", "of sections", kNs, Better::kNeither, At<&P::useful, 500'000>},
    Figure{"useful_share", "of the time somebody was in a section, all resources together",
           Unit::kRatio, Better::kMore, UsefulShare},
    Figure{"server_hold_p50_ns", "from the grant in the server to its end there", kNs,
           Better::kNeither, ServerHold},
    Figure{"hand_over_p50_ns", "in the server, from one owner to the next who waits", kNs,
           Better::kLess, HandOver<500'000>},
    Figure{"hand_over_p99_ns", "the same, in 99 of 100", kNs, Better::kLess, HandOver<990'000>},
    Figure{"hand_over_total_ns", "all of it: nobody had it, and somebody waited", kNs,
           Better::kLess, HandOverTotal},
    Figure{"turn_p50_ns", "from a release's call to the grant of one that waited", kNs,
           Better::kLess, At<&P::turn, 500'000>},
    Figure{"turn_p99_ns", "the same, in 99 of 100", kNs, Better::kLess, At<&P::turn, 990'000>},
    Figure{"commands_per_grant", "all commands of all clients", Unit::kRatio, Better::kLess,
           CommandsPerGrant},
    Figure{"tries_per_grant", "commands sent while asking", Unit::kRatio, Better::kLess,
           TriesPerGrant},
    Figure{"round_trips_per_grant", "one after the other, asking and releasing", Unit::kRatio,
           Better::kLess, RoundTripsPerGrant},
    Figure{"command_errors", "commands that the server answered with an error", Unit::kCount,
           Better::kLess, OfCommands<&CommandMix::errors>},
    Figure{"commands_without_reply", "commands that no reply came to", Unit::kCount, Better::kLess,
           OfCommands<&CommandMix::unanswered>},
    Figure{"herd_factor", "clients woken for each turn from one to the next", Unit::kRatio,
           Better::kLess, HerdFactor},
    Figure{"woken_in_vain", "clients woken that were not granted it", Unit::kCount, Better::kLess,
           CountFigure<&P::woken_in_vain>},
    Figure{"bytes_per_grant", "words of all commands", Unit::kRatio, Better::kLess, BytesPerGrant},
    Figure{"utilisation", "of the time it had an owner, all resources together", Unit::kRatio,
           Better::kNeither, Utilisation},
    Figure{"waiting_mean", "clients that waited, over time", Unit::kRatio, Better::kNeither,
           MeanWaiting},
    Figure{"waiting_max", "at one time", Unit::kCount, Better::kNeither,
           CountFigure<&P::most_waiting>},
    Figure{"littles_law", "waiting over time, to the waits of what ended: near 1", Unit::kRatio,
           Better::kNeither, LittlesLaw},
    Figure{"jain_grants", "fairness of the grants per client, 1/n to 1", Unit::kRatio,
           Better::kMore, OfFairness<&Fairness::jain_grants>},
    Figure{"jain_hold", "fairness of the time held", Unit::kRatio, Better::kMore,
           OfFairness<&Fairness::jain_hold>},
    Figure{"jain_opportunity", "of the time held or free for all", Unit::kRatio, Better::kMore,
           OfFairness<&Fairness::jain_opportunity>},
    Figure{"grants_deviation", "of the grants per client, to their mean", Unit::kRatio,
           Better::kLess, GrantsDeviation},
    Figure{"grants_most_to_fewest", "of the grants per client", Unit::kRatio, Better::kLess,
           GrantsMostToFewest},
    Figure{"grants_top_half", "share of the luckier half of the clients, 0.5 to 1", Unit::kRatio,
           Better::kLess, GrantsTopHalf},
    Figure{"lwss", "clients in each window of as many grants", Unit::kRatio, Better::kMore,
           OfFairness<&Fairness::lwss_mean>},
    Figure{"lwss_median", "the same, in half of the windows", Unit::kCount, Better::kMore,
           OfFairness<&Fairness::lwss_median>},
    Figure{"reacquire_median", "grants until a client has its next", Unit::kCount, Better::kNeither,
           OfFairness<&Fairness::reacquire_median>},
    Figure{"bypasses", "grants while an earlier request waited", Unit::kCount, Better::kLess,
           OfFairness<&Fairness::bypasses>},
    Figure{"most_bypassed", "how often one request was passed", Unit::kCount, Better::kLess,
           OfFairness<&Fairness::most_bypassed>},
    Figure{"longest_streak", "grants in a row to one, while others waited", Unit::kCount,
           Better::kLess, OfFairness<&Fairness::longest_streak>},
    Figure{"fifo_distance", "places that a grant is off its place by asking", Unit::kRatio,
           Better::kLess, OfFairness<&Fairness::fifo_distance>},
    Figure{"lost_noticed", "leases that ended under their holder, who was told", Unit::kCount,
           Better::kLess, OfServer<&ServerFigures::lost_noticed>},
    Figure{"lost_unnoticed", "and who was not", Unit::kCount, Better::kLess,
           OfServer<&ServerFigures::lost_unnoticed>},
    Figure{"stale_work_ns", "work done after the end of its lease", kNs, Better::kLess,
           OfServer<&ServerFigures::stale_work_ns>},
    Figure{"fenced_rejects", "accesses that fencing tokens would have refused", Unit::kCount,
           Better::kNeither, FencedRejects},
    Figure{"overlap_ns", "two or more were in their sections", kNs, Better::kLess,
           CountFigure<&P::overlap_ns>},
    Figure{"renewals", "extensions that the server executed", Unit::kCount, Better::kNeither,
           OfServer<&ServerFigures::renewals>},
    Figure{"renewal_margin_ns", "the least that was left at one", kNs, Better::kMore,
           RenewalMargin},
};

/// Solves three equations in three unknowns, by Gauss with pivoting. False: not determined.
bool Solve(std::array<std::array<double, 4>, 3>& rows) {
  for (std::size_t column = 0; column < 3; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < 3; ++row) {
      if (std::abs(rows[row][column]) > std::abs(rows[pivot][column])) pivot = row;
    }
    if (std::abs(rows[pivot][column]) < 1e-12) return false;
    std::swap(rows[column], rows[pivot]);
    for (std::size_t row = 0; row < 3; ++row) {
      if (row == column) continue;
      const double factor = rows[row][column] / rows[column][column];
      for (std::size_t i = column; i < 4; ++i) rows[row][i] -= factor * rows[column][i];
    }
  }
  return true;
}

}  // namespace

std::span<const Figure> Figures() { return kFigures; }

const Figure* FindFigure(std::string_view name) {
  const auto found = std::find_if(kFigures.begin(), kFigures.end(),
                                  [name](const Figure& one) { return one.name == name; });
  return found == kFigures.end() ? nullptr : &*found;
}

std::string DurationInWords(double ns) {
  if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.3g} us", ns / 1e3);
  if (ns < 1e9) return fmt::format("{:.3g} ms", ns / 1e6);
  return fmt::format("{:.3g} s", ns / 1e9);
}

std::string FigureText(std::string_view name, const ContentionPoint& point) {
  const Figure& figure = *FindFigure(name);
  return FigureText(figure, figure.of(point));
}

std::string FigureText(const Figure& figure, std::optional<double> value) {
  if (!value) return "n/a";
  switch (figure.unit) {
    case Unit::kNanoseconds:
      return DurationInWords(*value);
    case Unit::kCount:
      return GroupDigits(static_cast<std::uint64_t>(*value));
    case Unit::kRatio:
      return fmt::format("{:.3g}", *value);
    case Unit::kPerSecond:
      return *value < 100 ? fmt::format("{:.1f}", *value)
                          : GroupDigits(static_cast<std::uint64_t>(std::llround(*value)));
  }
  return "?";
}

// n/X = 1/lambda + sigma/lambda (n - 1) + kappa/lambda n (n - 1) is linear in three unknowns.
std::optional<Scalability> Fit(const std::vector<const ContentionPoint*>& of_one_lock) {
  if (of_one_lock.size() < 3) return std::nullopt;
  std::array<std::array<double, 4>, 3> sums{};
  for (const ContentionPoint* point : of_one_lock) {
    const double throughput = GrantsPerSecond(*point).value_or(0);
    if (throughput <= 0) return std::nullopt;
    const double n = point->clients;
    const std::array<double, 3> terms = {1, n - 1, n * (n - 1)};
    // Weighted by the throughput, so that each counts by its relative error.
    const double weight = throughput / n;
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t i = 0; i < 3; ++i) sums[row][i] += weight * weight * terms[row] * terms[i];
      sums[row][3] += weight * weight * terms[row] * n / throughput;
    }
  }
  if (!Solve(sums)) return std::nullopt;
  const double first = sums[0][3] / sums[0][0];
  if (first <= 0) return std::nullopt;
  Scalability law;
  law.lambda = 1 / first;
  law.sigma = sums[1][3] / sums[1][1] / first;
  law.kappa = sums[2][3] / sums[2][2] / first;
  if (law.kappa > 0 && law.sigma < 1) law.knee = std::sqrt((1 - law.sigma) / law.kappa);
  return law;
}

std::vector<std::vector<const ContentionPoint*>> ByLock(const ContentionReport& report) {
  std::vector<std::vector<const ContentionPoint*>> locks;
  for (const ContentionPoint& point : report.points) {
    if (locks.empty() || locks.back().front()->lock != point.lock) locks.emplace_back();
    locks.back().push_back(&point);
  }
  return locks;
}

}  // namespace interlock::reports
