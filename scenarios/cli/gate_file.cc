// SPDX-License-Identifier: MIT
#include "scenarios/cli/gate_file.h"

#include <cmath>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "reports/contention_figures.h"
#include "reports/run_files.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/toml_file.h"
#include "scenarios/cli/values.h"

namespace interlock::scenarios::cli {
namespace {

using reports::Threshold;

double NumberIn(const toml::node& node, std::string_view key) {
  const auto number = node.value<double>();
  if (!number || !node.is_number() || !std::isfinite(*number)) {
    FailAt(node, fmt::format("{} must be a number", key));
  }
  return *number;
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
        FailAt(node, fmt::format("unknown figure \"{}\"; figures.csv has the names",
                                 Shown(threshold.metric)));
      }
    } else if (key == "clients") {
      const auto count = node.value<std::int64_t>();
      if (!node.is_integer() || !count || *count < 1 || *count > 1'000'000) {
        FailAt(node, "clients must be a whole number, 1 or more");
      }
      threshold.clients = static_cast<int>(*count);
    } else if (key == "min") {
      threshold.least = NumberIn(node, key);
    } else if (key == "max") {
      threshold.most = NumberIn(node, key);
    } else {
      FailAt(node,
             fmt::format("unknown key \"{}\"; a threshold has lock, clients, metric, min, max",
                         Shown(key)));
    }
  }
  if (threshold.metric.empty()) FailAt(table, "a threshold needs a metric");
  if (!threshold.least && !threshold.most) FailAt(table, "a threshold needs max or min");
  if (threshold.least && threshold.most && *threshold.least > *threshold.most) {
    FailAt(table, "min is more than max: whatever is measured would cross it");
  }
  return threshold;
}

}  // namespace

reports::ReadResult<std::vector<Threshold>> ReadThresholds(std::string_view text) {
  return ReadToml<std::vector<Threshold>>(text, [](const toml::table& file) {
    std::vector<Threshold> thresholds;
    for (const auto& [key, node] : file) {
      if (key.str() != "threshold" || !node.is_array_of_tables()) {
        FailAt(node, fmt::format("unknown key \"{}\"; write [[threshold]]", Shown(key.str())));
      }
      for (const toml::node& one : *node.as_array()) {
        thresholds.push_back(ThresholdIn(*one.as_table()));
      }
    }
    if (thresholds.empty()) throw TomlMistake("it has no [[threshold]]");
    return thresholds;
  });
}

reports::ExitCode ReadYardstick(const std::string& gate, const std::string& baseline,
                                Yardstick& yardstick) {
  if (!gate.empty()) {
    const auto file = ReadWholeFile(gate);
    if (!file.ok()) return Complain(reports::ExitCode::kBadInput, file.status().message());
    auto read = ReadThresholds(*file);
    if (!read.value) {
      return Complain(reports::ExitCode::kBadInput, fmt::format("{}: {}", gate, read.error));
    }
    yardstick.thresholds = std::move(*read.value);
  }
  if (!baseline.empty()) {
    auto read = reports::ReadRun(baseline);
    if (!read.value) return Complain(reports::ExitCode::kBadInput, read.error);
    if (!read.value->contention) {
      return Complain(reports::ExitCode::kBadInput,
                      fmt::format("{} is not a measurement of contention", baseline));
    }
    yardstick.before = std::move(read.value->contention);
  }
  return reports::ExitCode::kPass;
}

void HoldAgainst(const Yardstick& yardstick, reports::ContentionReport& report) {
  report.gates = Judge(report, yardstick.thresholds);
  if (!yardstick.before) return;
  for (std::string& sentence : Compare(*yardstick.before, report)) {
    report.notes.push_back(std::move(sentence));
  }
}

}  // namespace interlock::scenarios::cli
