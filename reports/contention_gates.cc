// SPDX-License-Identifier: MIT
#include "reports/contention_gates.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "reports/contention_advice.h"
#include "reports/contention_figures.h"
#include "reports/text_layout.h"

namespace interlock::reports {
namespace {

constexpr double kNoise = 0.02;  // of wall times; Criterion's default
constexpr std::size_t kMostSentences = 12;

/// "29990000 (30 ms)": the number as in a file, and in readable form.
std::string InWords(const Figure& figure, double value) {
  std::string text = fmt::format("{:.12g}", value);
  if (figure.unit == Unit::kNanoseconds) text += " (" + DurationInWords(value) + ")";
  return text;
}

std::string Bound(const Threshold& threshold) {
  const Figure& figure = *FindFigure(threshold.metric);
  std::string text = threshold.metric;
  if (threshold.least) text += " >= " + InWords(figure, *threshold.least);
  if (threshold.least && threshold.most) text += " and";
  if (threshold.most) text += " <= " + InWords(figure, *threshold.most);
  return text;
}

GateResult JudgeOne(const ContentionPoint& point, const Threshold& threshold) {
  GateResult gate;
  gate.name =
      fmt::format("{} at {}: {}", point.lock,
                  Count(static_cast<std::uint64_t>(point.clients), "client"), Bound(threshold));
  const auto value = FindFigure(threshold.metric)->of(point);
  gate.measured = value.has_value();
  if (!value) {
    gate.what = "there is no such figure: it cannot be seen here, or too few values say anything";
    return gate;
  }
  gate.what = InWords(*FindFigure(threshold.metric), *value);
  gate.pass = (!threshold.least || *value >= *threshold.least) &&
              (!threshold.most || *value <= *threshold.most);
  if (!gate.pass) gate.hint = AdviceOn(*FindFigure(threshold.metric), point);
  return gate;
}

const ContentionPoint* FindPoint(const ContentionReport& report, const ContentionPoint& like) {
  const auto found = std::find_if(report.points.begin(), report.points.end(),
                                  [&like](const ContentionPoint& point) {
                                    return point.lock == like.lock && point.clients == like.clients;
                                  });
  return found == report.points.end() ? nullptr : &*found;
}

struct GateChange {
  double part = 0;  // relative change
  std::string sentence;
};

std::optional<GateChange> ChangeOf(const Figure& figure, const ContentionPoint& before,
                                   const ContentionPoint& now, double noise) {
  const auto old = figure.of(before);
  const auto fresh = figure.of(now);
  if (!old || !fresh || figure.better == Better::kNeither || *old == *fresh) return std::nullopt;
  const double part = *old == 0 ? 1e9 : std::abs(*fresh - *old) / std::abs(*old);
  if (part < noise) return std::nullopt;
  const bool good = (*fresh < *old) == (figure.better == Better::kLess);
  const std::string by = *old == 0 ? std::string("from nothing")
                                   : fmt::format("{:+.1f} %", (*fresh - *old) / *old * 100);
  return GateChange{part, fmt::format("{} at {}: {} is {}, was {} ({}): {}", now.lock,
                                      Count(static_cast<std::uint64_t>(now.clients), "client"),
                                      figure.name, FigureText(figure, fresh),
                                      FigureText(figure, old), by, good ? "better" : "worse")};
}

}  // namespace

std::vector<GateResult> Judge(const ContentionReport& report,
                              const std::vector<Threshold>& thresholds) {
  std::vector<GateResult> gates;
  for (const Threshold& threshold : thresholds) {
    bool met = false;
    for (const ContentionPoint& point : report.points) {
      if (threshold.lock != "*" && threshold.lock != point.lock) continue;
      if (threshold.clients && *threshold.clients != point.clients) continue;
      met = true;
      gates.push_back(JudgeOne(point, threshold));
    }
    if (met) continue;
    GateResult gate;
    gate.measured = false;
    const std::string clients =
        threshold.clients ? " at " + Count(static_cast<std::uint64_t>(*threshold.clients), "client")
                          : std::string();
    gate.name = fmt::format("{}{}: {}", threshold.lock, clients, Bound(threshold));
    gate.what = "nothing like it was measured";
    gates.push_back(std::move(gate));
  }
  return gates;
}

std::vector<std::string> Compare(const ContentionReport& before, const ContentionReport& now) {
  std::vector<std::string> sentences;
  if (!(before.load == now.load) || before.backend != now.backend) {
    sentences.emplace_back(
        "the earlier measurement had another load or another server: what "
        "differs may be due to that");
  }
  const double noise = now.backend == "sim" && before.backend == "sim" ? 0 : kNoise;
  std::vector<GateChange> changes;
  std::size_t compared = 0;
  for (const ContentionPoint& point : now.points) {
    const ContentionPoint* old = FindPoint(before, point);
    if (old == nullptr) continue;
    ++compared;
    for (const Figure& figure : Figures()) {
      if (auto change = ChangeOf(figure, *old, point, noise)) changes.push_back(*std::move(change));
    }
  }
  if (compared < now.points.size()) {
    sentences.push_back(fmt::format("{} of {} points were not in the earlier measurement",
                                    now.points.size() - compared, now.points.size()));
  }
  if (compared > 0 && changes.empty()) {
    sentences.emplace_back(noise == 0 ? "identical to the earlier measurement"
                                      : "no change beyond noise (2 %)");
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const GateChange& a, const GateChange& b) { return a.part > b.part; });
  for (std::size_t i = 0; i < std::min(changes.size(), kMostSentences); ++i) {
    sentences.push_back(changes[i].sentence);
  }
  if (changes.size() > kMostSentences) {
    sentences.push_back(fmt::format("and {} smaller ones", changes.size() - kMostSentences));
  }
  return sentences;
}

}  // namespace interlock::reports
