// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/drive_case.h"

#include <array>
#include <chrono>
#include <cstdint>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reports/json_text.h"

namespace interlock::scenarios::drive {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMost = 1'000'000;

Status Bad(std::string_view what) {
  return Status(StatusCode::kInvalidArgument,
                fmt::format("not a case of interlock drive: {}", what));
}

/// Returns false if the number is absent, or no whole number from `least` to kMost.
template <typename Number>
bool Read(const Json& json, std::string_view name, std::int64_t least, Number& out) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number_integer()) return false;
  const auto value = found->get<std::int64_t>();
  if (value < least || value > kMost) return false;
  out = static_cast<Number>(value);
  return true;
}

/// The same for a number that older cases lack: `out` is then left as it is.
template <typename Number>
bool ReadIfThere(const Json& json, std::string_view name, std::int64_t least, Number& out) {
  return !json.contains(name) || Read(json, name, least, out);
}

/// Cases that were found at random have none.
bool ReadOrders(const Json& json, DriveOptions& options) {
  if (!json.contains("polls")) return true;
  OrderBounds& orders = options.orders.emplace();
  return Read(json, "polls", 0, orders.polls) && Read(json, "client_commands", 1, orders.commands);
}

void WriteOrders(const DriveOptions& options, reports::JsonText& json) {
  if (!options.orders) return;
  json.Key("polls");
  json.Unsigned(options.orders->polls);
  json.Key("client_commands");
  json.Unsigned(options.orders->commands);
}

/// The budgets of moving slots.
constexpr std::array<std::pair<std::string_view, int DriveOptions::*>, 3> kMoves = {{
    {"reshards", &DriveOptions::reshards},
    {"slot_migrations", &DriveOptions::slot_migrations},
    {"late_claims", &DriveOptions::late_claims},
}};

/// Cases of one server, or of independent masters, have none.
bool ReadTopology(const Json& json, DriveOptions& options) {
  if (!json.contains("topology")) return true;
  const Json& topology = json.at("topology");
  if (topology == "sentinel") {
    options.topology = sim::Topology::kSentinel;
  } else if (topology == "cluster") {
    options.topology = sim::Topology::kShards;
  } else {
    return false;
  }
  std::int64_t lag_ms = 0;
  if (!Read(json, "failovers", 0, options.failovers) ||
      !Read(json, "replication_lag_ms", 0, lag_ms)) {
    return false;
  }
  for (const auto& [name, most] : kMoves) {
    if (!ReadIfThere(json, name, 0, options.*most)) return false;
  }
  options.replication_lag = std::chrono::milliseconds(lag_ms);
  return options.topology != sim::Topology::kSentinel || options.nodes == 1;
}

void WriteTopology(const DriveOptions& options, reports::JsonText& json) {
  if (options.topology == sim::Topology::kIndependent) return;
  json.Key("topology");
  json.String(sim::ToString(options.topology));
  json.Key("failovers");
  json.Signed(options.failovers);
  json.Key("replication_lag_ms");
  json.Signed(options.replication_lag / std::chrono::milliseconds(1));
  if (options.topology != sim::Topology::kShards) return;
  for (const auto& [name, most] : kMoves) {
    json.Key(name);
    json.Signed(options.*most);
  }
}

bool ReadLane(const Json& json, std::vector<std::uint32_t>& lane) {
  if (!json.is_array()) return false;
  for (const Json& value : json) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > UINT32_MAX) return false;
    lane.push_back(value.get<std::uint32_t>());
  }
  return true;
}

}  // namespace

std::string ToJson(const DriveCase& one) {
  reports::JsonText json;
  const DriveOptions& options = one.options;
  json.BeginObject();
  json.Key("drive");
  json.BeginArray();
  for (const std::string& word : options.command) json.String(word);
  json.EndArray();
  const std::array<std::pair<std::string_view, int>, 12> numbers = {{
      {"clients", options.clients},
      {"masters", options.nodes},
      {"permits", options.permits},
      {"crashes", options.crashes},
      {"pauses", options.pauses},
      {"expiries", options.expiries},
      {"lost_replies", options.lost_replies},
      {"delays", options.delays},
      {"script_flushes", options.script_flushes},
      {"clocks", options.clocks},
      {"clock_rate_percent", options.clock_rate_percent},
      {"virtual_clock", options.virtual_clock ? 1 : 0},
  }};
  for (const auto& [name, number] : numbers) {
    json.Key(name);
    json.Signed(number);
  }
  json.Key("patience_ms");
  json.Signed(options.patience / std::chrono::milliseconds(1));
  json.Key("clock_offset_ms");
  json.Signed(options.clock_offset / std::chrono::milliseconds(1));
  json.Key("max_commands");
  json.Unsigned(options.bounds.commands);
  json.Key("max_virtual_s");
  json.Signed(options.bounds.virtual_time / std::chrono::seconds(1));
  json.Key("max_real_s");
  json.Signed(options.bounds.real_time / std::chrono::seconds(1));
  if (options.server != &sim::redis::DefaultDialect()) {
    json.Key("server");
    json.String(options.server->name);
  }
  WriteOrders(options, json);
  WriteTopology(options, json);
  json.Key("locks");
  json.String(options.pattern);
  json.Key("choices");
  json.BeginArray();
  for (const auto& lane : one.tape.lanes) {
    json.BeginArray();
    for (const std::uint32_t value : lane) json.Unsigned(value);
    json.EndArray();
  }
  json.EndArray();
  json.EndObject();
  return std::move(json).Take();
}

Result<DriveCase> ReadCase(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return Bad("its program is none");
  DriveCase one;
  const auto command = json.find("drive");
  if (command == json.end() || !command->is_array() || command->empty()) {
    return Bad("it names no command");
  }
  for (const Json& word : *command) {
    if (!word.is_string()) return Bad("its command is not words");
    one.options.command.push_back(word.get<std::string>());
  }
  one.options.clocks = 0;  // as in older cases
  std::int64_t offset_ms = 0;
  std::int64_t patience_ms = 0;
  std::int64_t virtual_s = one.options.bounds.virtual_time / std::chrono::seconds(1);
  std::int64_t real_s = one.options.bounds.real_time / std::chrono::seconds(1);
  const bool read = Read(json, "clients", 1, one.options.clients) &&
                    Read(json, "masters", 1, one.options.nodes) &&
                    Read(json, "permits", 1, one.options.permits) &&
                    Read(json, "crashes", 0, one.options.crashes) &&
                    Read(json, "pauses", 0, one.options.pauses) &&
                    Read(json, "expiries", 0, one.options.expiries) &&
                    Read(json, "lost_replies", 0, one.options.lost_replies) &&
                    Read(json, "delays", 0, one.options.delays) &&
                    Read(json, "script_flushes", 0, one.options.script_flushes) &&
                    Read(json, "virtual_clock", 0, one.options.virtual_clock) &&
                    Read(json, "patience_ms", 1, patience_ms) &&
                    ReadIfThere(json, "clocks", 0, one.options.clocks) &&
                    ReadIfThere(json, "clock_rate_percent", 0, one.options.clock_rate_percent) &&
                    ReadIfThere(json, "clock_offset_ms", 0, offset_ms) &&
                    ReadIfThere(json, "max_commands", 1, one.options.bounds.commands) &&
                    ReadIfThere(json, "max_virtual_s", 1, virtual_s) &&
                    ReadIfThere(json, "max_real_s", 1, real_s);
  constexpr int kMostPercent = 90;
  if (!read || one.options.clock_rate_percent > kMostPercent ||
      one.options.clients > kMostClients) {
    return Bad("a number is missing or out of its range");
  }
  one.options.patience = std::chrono::milliseconds(patience_ms);
  one.options.clock_offset = std::chrono::milliseconds(offset_ms);
  one.options.bounds.virtual_time = std::chrono::seconds(virtual_s);
  one.options.bounds.real_time = std::chrono::seconds(real_s);
  if (const auto server = json.find("server"); server != json.end()) {
    if (!server->is_string()) return Bad("\"server\" is no name");
    one.options.server = sim::redis::FindDialect(server->get_ref<const std::string&>());
    if (one.options.server == nullptr) return Bad("it names an unknown \"server\"");
  }
  if (!ReadTopology(json, one.options)) return Bad("its topology is none");
  if (ServersOf(one.options) > kMostNodes) return Bad("it has too many servers");
  if (!ReadOrders(json, one.options)) return Bad("a bound of its orders is none");
  const auto locks = json.find("locks");
  if (locks == json.end() || !locks->is_string()) return Bad("\"locks\" is missing");
  one.options.pattern = locks->get<std::string>();
  const auto lanes = json.find("choices");
  if (lanes == json.end() || !lanes->is_array() || lanes->size() != sim::kLanes) {
    return Bad("its choices are none");
  }
  for (std::size_t i = 0; i < sim::kLanes; ++i) {
    if (!ReadLane((*lanes)[i], one.tape.lanes[i])) return Bad("a choice is none");
  }
  return one;
}

}  // namespace interlock::scenarios::drive
