// SPDX-License-Identifier: MIT
#include "reports/contention_gates.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "reports/contention_figures.h"
#include "reports/escape.h"
#include "reports/text_layout.h"

namespace interlock::reports {
namespace {

constexpr double kNoise = 0.02;  // of wall times; Criterion's default
constexpr std::size_t kMostSentences = 12;

struct Mistake : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void Fail(const toml::node& node, const std::string& what) {
  throw Mistake(fmt::format("line {}: {}", node.source().begin.line, what));
}

std::string Shown(std::string_view text) { return Excerpt(text, 60, true); }

double NumberIn(const toml::node& node, std::string_view key) {
  const auto number = node.value<double>();
  if (!number || !node.is_number() || !std::isfinite(*number)) {
    Fail(node, fmt::format("{} is to be a number", key));
  }
  return *number;
}

std::string TextIn(const toml::node& node, std::string_view key) {
  if (!node.is_string()) Fail(node, fmt::format("{} is to be a string", key));
  return *node.value<std::string>();
}

Threshold ThresholdIn(const toml::table& table) {
  Threshold threshold;
  for (const auto& [key_node, node] : table) {
    const std::string_view key = key_node.str();
    if (key == "lock") {
      threshold.lock = TextIn(node, key);
    } else if (key == "metric") {
      threshold.metric = TextIn(node, key);
      if (FindFigure(threshold.metric) == nullptr) {
        Fail(node, fmt::format("no figure is called \"{}\"; see the names in figures.csv",
                               Shown(threshold.metric)));
      }
    } else if (key == "clients") {
      const auto count = node.value<std::int64_t>();
      if (!node.is_integer() || !count || *count < 1 || *count > 1'000'000) {
        Fail(node, "clients is to be a whole number, 1 or more");
      }
      threshold.clients = static_cast<int>(*count);
    } else if (key == "min") {
      threshold.least = NumberIn(node, key);
    } else if (key == "max") {
      threshold.most = NumberIn(node, key);
    } else {
      Fail(node, fmt::format("\"{}\" is not known; a threshold has lock, clients, metric, min, max",
                             Shown(key)));
    }
  }
  if (threshold.metric.empty()) Fail(table, "a threshold needs a metric");
  if (!threshold.least && !threshold.most) Fail(table, "a threshold needs max or min");
  return threshold;
}

std::string Bound(const Threshold& threshold) {
  std::string text = threshold.metric;
  if (threshold.least) text += fmt::format(" >= {:.12g}", *threshold.least);
  if (threshold.least && threshold.most) text += " and";
  if (threshold.most) text += fmt::format(" <= {:.12g}", *threshold.most);
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
  gate.what = fmt::format("{:.12g}", *value);
  gate.pass = (!threshold.least || *value >= *threshold.least) &&
              (!threshold.most || *value <= *threshold.most);
  return gate;
}

const ContentionPoint* FindPoint(const ContentionReport& report, const ContentionPoint& like) {
  const auto found = std::find_if(report.points.begin(), report.points.end(),
                                  [&like](const ContentionPoint& point) {
                                    return point.lock == like.lock && point.clients == like.clients;
                                  });
  return found == report.points.end() ? nullptr : &*found;
}

struct Change {
  double part = 0;  // how much, against what it was
  std::string sentence;
};

std::optional<Change> ChangeOf(const Figure& figure, const ContentionPoint& before,
                               const ContentionPoint& now, double noise) {
  const auto old = figure.of(before);
  const auto fresh = figure.of(now);
  if (!old || !fresh || figure.better == Better::kNeither || *old == *fresh) return std::nullopt;
  const double part = *old == 0 ? 1e9 : std::abs(*fresh - *old) / std::abs(*old);
  if (part < noise) return std::nullopt;
  const bool good = (*fresh < *old) == (figure.better == Better::kLess);
  const std::string by = *old == 0 ? std::string("from nothing")
                                   : fmt::format("{:+.1f} %", (*fresh - *old) / *old * 100);
  return Change{part, fmt::format("{} at {}: {} is {}, was {} ({}): {}", now.lock,
                                  Count(static_cast<std::uint64_t>(now.clients), "client"),
                                  figure.name, FigureText(figure, fresh), FigureText(figure, old),
                                  by, good ? "better" : "worse")};
}

}  // namespace

ReadResult<std::vector<Threshold>> ReadThresholds(std::string_view text) {
  ReadResult<std::vector<Threshold>> result;
  try {
    const toml::table file = toml::parse(text);
    std::vector<Threshold> thresholds;
    for (const auto& [key, node] : file) {
      if (key.str() != "threshold" || !node.is_array_of_tables()) {
        Fail(node, fmt::format("\"{}\" is not known; write [[threshold]]", Shown(key.str())));
      }
      for (const toml::node& one : *node.as_array()) {
        thresholds.push_back(ThresholdIn(*one.as_table()));
      }
    }
    if (thresholds.empty()) throw Mistake("there is no [[threshold]] in it");
    result.value = std::move(thresholds);
  } catch (const Mistake& mistake) {
    result.error = mistake.what();
  } catch (const toml::parse_error& error) {
    result.error = fmt::format("line {}: {}", error.source().begin.line,
                               SafeForTerminal(error.description(), true));
  }
  return result;
}

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
  std::vector<Change> changes;
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
                   [](const Change& a, const Change& b) { return a.part > b.part; });
  for (std::size_t i = 0; i < std::min(changes.size(), kMostSentences); ++i) {
    sentences.push_back(changes[i].sentence);
  }
  if (changes.size() > kMostSentences) {
    sentences.push_back(fmt::format("and {} smaller ones", changes.size() - kMostSentences));
  }
  return sentences;
}

}  // namespace interlock::reports
