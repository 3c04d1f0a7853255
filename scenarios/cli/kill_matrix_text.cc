// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "reports/json_text.h"
#include "scenarios/cli/specimens_check.h"

namespace interlock::scenarios::cli {
namespace {

std::string_view NameOf(std::optional<Strategy> strategy) {
  return strategy.has_value() ? ToString(*strategy) : "portfolio";
}

std::string ShownRuns(const KillMatrix& matrix, std::uint64_t kill) {
  return kill <= matrix.bound ? std::to_string(kill) : ">" + std::to_string(matrix.bound);
}

std::string IntervalOf(const KillMatrix& matrix, const KillCell& cell) {
  const auto [low, high] = MedianInterval(cell.kills.size());
  return fmt::format("{}..{}", ShownRuns(matrix, cell.kills[low]),
                     ShownRuns(matrix, cell.kills[high]));
}

void WriteCell(reports::JsonText& json, const KillMatrix& matrix, const KillCell& cell,
               std::optional<Strategy> strategy) {
  const auto [low, high] = MedianInterval(cell.kills.size());
  const auto member = [&](std::string_view key, std::uint64_t kill) {
    json.Key(key);
    kill <= matrix.bound ? json.Unsigned(kill) : json.Null();
  };
  json.BeginObject();
  json.Key("strategy").String(NameOf(strategy));
  member("median", cell.median());
  member("low", cell.kills[low]);
  member("high", cell.kills[high]);
  json.EndObject();
}

void WriteRow(reports::JsonText& json, const KillMatrix& matrix, const KillRow& row) {
  json.BeginObject();
  json.Key("specimen").String(row.lock);
  json.Key("property").String(row.conviction.property);
  json.Key("scenario").String(row.conviction.scenario);
  json.Key("class").String(ToString(row.conviction.synchrony));
  json.Key("runs_to_first_kill").BeginArray();
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    WriteCell(json, matrix, row.cells[i], matrix.strategies[i]);
  }
  json.EndArray();
  json.EndObject();
}

double RunsPerSecond(const StrategyCost& cost) {
  const double seconds = std::chrono::duration<double>(cost.time).count();
  return seconds > 0 ? static_cast<double>(cost.runs) / seconds : 0;
}

}  // namespace

std::string ToText(const KillMatrix& matrix) {
  std::string text = fmt::format(
      "Runs to the first kill: median over {} seeds from {:#x} on, at least 95 % interval; at most "
      "{} runs\n\n      ",
      matrix.seeds, matrix.seed, matrix.bound);
  for (const auto& strategy : matrix.strategies) text += fmt::format("{:>11}", NameOf(strategy));
  for (const KillRow& row : matrix.rows) {
    text += fmt::format("\n{}: {} in {} ({})\n      ", row.lock, row.conviction.property,
                        row.conviction.scenario, ToString(row.conviction.synchrony));
    for (const KillCell& cell : row.cells) {
      text += fmt::format("{:>11}", ShownRuns(matrix, cell.median()));
    }
    text += "\n      ";
    for (const KillCell& cell : row.cells) text += fmt::format("{:>11}", IntervalOf(matrix, cell));
  }
  text += "\n\n";
  const std::vector<std::string> acquittals = Acquittals(matrix);
  for (const std::string& acquittal : acquittals) text += acquittal + "\n";
  if (!matrix.complete) text += "Interrupted: figures of unfinished cells are too high.\n";
  text += fmt::format("{} of {} convictions by the portfolio\n",
                      matrix.rows.size() - acquittals.size(), matrix.rows.size());
  text += "\nOn this machine, one core:\n";
  for (std::size_t i = 0; i < matrix.costs.size(); ++i) {
    const StrategyCost& cost = matrix.costs[i];
    text += fmt::format("  {:<10} {:>9} runs in {:>6.1f} s, {:>6.0f} runs/s\n",
                        NameOf(matrix.strategies[i]), cost.runs,
                        std::chrono::duration<double>(cost.time).count(), RunsPerSecond(cost));
  }
  return text;
}

std::string ToJson(const KillMatrix& matrix) {
  reports::JsonText json;
  json.BeginObject();
  json.Key("schema").String("interlock.kills/1");
  json.Key("seed").String(fmt::format("{:#x}", matrix.seed));
  json.Key("seeds").Unsigned(matrix.seeds);
  json.Key("bound").Unsigned(matrix.bound);
  json.Key("complete").Bool(matrix.complete);
  json.Key("rows").BeginArray();
  for (const KillRow& row : matrix.rows) WriteRow(json, matrix, row);
  json.EndArray();
  json.EndObject();
  return std::move(json).Take();
}

}  // namespace interlock::scenarios::cli
