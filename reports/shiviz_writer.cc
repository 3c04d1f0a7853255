// SPDX-License-Identifier: MIT
#include "reports/shiviz_writer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/text_layout.h"

namespace interlock::reports {
namespace {

constexpr std::size_t kShivizWidth = 300;

/// By host. Hosts of which nothing is known have no entry.
using Clock = std::map<std::size_t, std::uint64_t>;

/// Names made into single words, each unique.
std::vector<std::string> HostsOf(const Counterexample& example) {
  std::vector<std::string> hosts;
  std::set<std::string> taken;
  for (const std::string& column : example.columns) {
    const std::string name = SafeFileName(column);
    std::string host = name;
    for (int n = 2; !taken.insert(host).second; ++n) host = fmt::format("{}-{}", name, n);
    hosts.push_back(std::move(host));
  }
  if (hosts.empty()) hosts.emplace_back("events");
  return hosts;
}

std::string ShivizTime(const TableRow& row) {
  const std::int64_t ns = std::max<std::int64_t>(row.time_ns, 0);
  return fmt::format("{}.{:06} ms", ns / 1'000'000, ns % 1'000'000);
}

std::string ShivizText(const TableRow& row) {
  const std::string_view mark = row.kind == RowKind::kViolation ? "VIOLATION " : "";
  const std::string_view lost = row.lost ? " (lost)" : "";
  return DefuseCiCommands(fmt::format("{}: {}{}{}", ShivizTime(row), mark,
                                      Excerpt(row.text, kShivizWidth, true), lost));
}

std::string ToJson(const Clock& clock, const std::vector<std::string>& hosts) {
  std::string json;
  for (const auto& [host, count] : clock) {
    json += fmt::format("{}\"{}\":{}", json.empty() ? "" : ",", hosts[host], count);
  }
  return "{" + json + "}";
}

void Merge(const Clock& from, Clock& into) {
  for (const auto& [host, count] : from) into[host] = std::max(into[host], count);
}

}  // namespace

std::string ToShiViz(const Counterexample& example) {
  const std::vector<std::string> hosts = HostsOf(example);
  std::vector<const TableRow*> rows;
  for (const TableRow& row : example.rows) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const TableRow* a, const TableRow* b) { return a->time_ns < b->time_ns; });
  std::string log = std::string(kShiVizExpression) + "\n\n";
  std::vector<Clock> clocks(hosts.size());
  std::map<std::uint64_t, Clock> under_way;  // by message: what its last sender knew
  for (const TableRow* row : rows) {
    const std::size_t host = std::min(row->column, hosts.size() - 1);
    Clock& clock = clocks[host];
    const bool arrives = row->part == MessagePart::kExecute || row->part == MessagePart::kReceive;
    const auto message = arrives ? under_way.find(row->message) : under_way.end();
    if (message != under_way.end()) {
      Merge(message->second, clock);
      under_way.erase(message);
    }
    ++clock[host];
    const bool departs = row->part == MessagePart::kSend || row->part == MessagePart::kReply;
    if (departs && !row->lost) under_way[row->message] = clock;
    log += fmt::format("{}\n{} {}\n", ShivizText(*row), hosts[host], ToJson(clock, hosts));
  }
  return log;
}

}  // namespace interlock::reports
