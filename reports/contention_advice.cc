// SPDX-License-Identifier: MIT
#include "reports/contention_advice.h"

#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "reports/text_layout.h"

namespace interlock::reports {
namespace {

constexpr double kBusy = 0.75;      // of the time; above this, waits are a matter of arithmetic
constexpr double kPassedOften = 1;  // times per grant
constexpr double kSlowTurn = 0.25;  // of a hold
constexpr double kManyWoken = 1.5;  // per turn

std::optional<double> NumberOf(std::string_view name, const ContentionPoint& point) {
  return FindFigure(name)->of(point);
}

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string OnCommands(const ContentionPoint& point) {
  const auto woken = NumberOf("herd_factor", point);
  if (woken && *woken > kManyWoken) {
    return fmt::format(
        "{:.3g} clients are woken for each turn, and {} of {} in vain: a lock that hands over to "
        "one waiter, as fair-mutex does, wakes one",
        *woken, GroupDigits(point.woken_in_vain), GroupDigits(point.woken));
  }
  const auto tries = NumberOf("tries_per_grant", point);
  if (tries && *tries > 3 && point.woken == 0) {
    return fmt::format(
        "{:.3g} commands ask for each grant and nobody is woken: clients poll; a longer retry "
        "delay sends fewer, and a lock on one server wakes its waiters",
        *tries);
  }
  return "";
}

std::string OnWaiting(const ContentionPoint& point) {
  const auto useful = NumberOf("useful_share", point);
  if (useful && *useful > kBusy) {
    return fmt::format(
        "somebody is in a section {:.0f} % of the time, so a wait is the sections of those before: "
        "shorten them, split what is locked, or have fewer clients",
        *useful * 100);
  }
  const auto turn = NumberOf("turn_p50_ns", point);
  const auto hold = NumberOf("hold_p50_ns", point);
  if (turn && hold && *turn > kSlowTurn * *hold) {
    return fmt::format(
        "a turn from one client to the next takes {}, a hold {}: the way to the server and back "
        "costs more than the work",
        DurationInWords(*turn), DurationInWords(*hold));
  }
  return "";
}

std::string OnOrder(const ContentionPoint& point) {
  const double passed = static_cast<double>(point.fairness.bypasses);
  if (point.grants == 0 || passed / static_cast<double>(point.grants) <= kPassedOften) return "";
  return fmt::format(
      "requests were passed by later ones {} times in {}: a lock that serves in order, as "
      "fair-mutex does, makes the longest waits shorter",
      GroupDigits(point.fairness.bypasses), Count(point.grants, "grant"));
}

}  // namespace

std::string AdviceOn(const Figure& figure, const ContentionPoint& point) {
  const std::string_view name = figure.name;
  if (Has(name, "lost") || Has(name, "stale") || Has(name, "overlap") || Has(name, "fenced") ||
      Has(name, "renewal")) {
    return "leases end under their holders: lengthen the lease or keep it alive, and let what is "
           "guarded refuse old fencing tokens";
  }
  if (Has(name, "failed")) return "the requests' errors are in the trace (--trace)";
  if (Has(name, "per_grant") || Has(name, "herd") || Has(name, "woken")) return OnCommands(point);
  const bool of_the_luckless = Has(name, "p99") || Has(name, "max") || Has(name, "oldest") ||
                               figure.better == Better::kMore || Has(name, "grants_") ||
                               Has(name, "bypass") || Has(name, "fifo") || Has(name, "streak");
  if (of_the_luckless && !Has(name, "per_s")) {
    if (std::string advice = OnOrder(point); !advice.empty()) return advice;
  }
  return OnWaiting(point);
}

}  // namespace interlock::reports
