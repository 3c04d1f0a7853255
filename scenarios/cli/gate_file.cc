// SPDX-License-Identifier: MIT
#include "scenarios/cli/gate_file.h"

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "reports/contention_figures.h"
#include "reports/escape.h"
#include "reports/text_layout.h"

namespace interlock::scenarios::cli {
namespace {

using reports::Threshold;

struct Mistake : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void Fail(const toml::node& node, const std::string& what) {
  throw Mistake(fmt::format("line {}: {}", node.source().begin.line, what));
}

std::string Shown(std::string_view text) { return reports::Excerpt(text, 60, true); }

double NumberIn(const toml::node& node, std::string_view key) {
  const auto number = node.value<double>();
  if (!number || !node.is_number() || !std::isfinite(*number)) {
    Fail(node, fmt::format("{} must be a number", key));
  }
  return *number;
}

std::string TextIn(const toml::node& node, std::string_view key) {
  if (!node.is_string()) Fail(node, fmt::format("{} must be a string", key));
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
      if (reports::FindFigure(threshold.metric) == nullptr) {
        Fail(node, fmt::format("unknown figure \"{}\"; figures.csv has the names",
                               Shown(threshold.metric)));
      }
    } else if (key == "clients") {
      const auto count = node.value<std::int64_t>();
      if (!node.is_integer() || !count || *count < 1 || *count > 1'000'000) {
        Fail(node, "clients must be a whole number, 1 or more");
      }
      threshold.clients = static_cast<int>(*count);
    } else if (key == "min") {
      threshold.least = NumberIn(node, key);
    } else if (key == "max") {
      threshold.most = NumberIn(node, key);
    } else {
      Fail(node, fmt::format("unknown key \"{}\"; a threshold has lock, clients, metric, min, max",
                             Shown(key)));
    }
  }
  if (threshold.metric.empty()) Fail(table, "a threshold needs a metric");
  if (!threshold.least && !threshold.most) Fail(table, "a threshold needs max or min");
  return threshold;
}

}  // namespace

reports::ReadResult<std::vector<Threshold>> ReadThresholds(std::string_view text) {
  reports::ReadResult<std::vector<Threshold>> result;
  try {
    const toml::table file = toml::parse(text);
    std::vector<Threshold> thresholds;
    for (const auto& [key, node] : file) {
      if (key.str() != "threshold" || !node.is_array_of_tables()) {
        Fail(node, fmt::format("unknown key \"{}\"; write [[threshold]]", Shown(key.str())));
      }
      for (const toml::node& one : *node.as_array()) {
        thresholds.push_back(ThresholdIn(*one.as_table()));
      }
    }
    if (thresholds.empty()) throw Mistake("it has no [[threshold]]");
    result.value = std::move(thresholds);
  } catch (const Mistake& mistake) {
    result.error = mistake.what();
  } catch (const toml::parse_error& error) {
    result.error = fmt::format("line {}: {}", error.source().begin.line,
                               reports::SafeForTerminal(error.description(), true));
  }
  return result;
}

}  // namespace interlock::scenarios::cli
