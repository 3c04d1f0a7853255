// SPDX-License-Identifier: MIT
#include "scenarios/search/foreign/order_state.h"

#include <array>
#include <bit>
#include <chrono>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reports/json_text.h"
#include "scenarios/run/foreign/drive_case.h"

namespace interlock::scenarios::drive {
namespace {

using Json = nlohmann::json;
using reports::JsonText;

constexpr std::string_view kSchema = "interlock.drive-explore/1";

/// The counters of a state, by name.
template <typename State>
auto CountersOf(State& state) {
  auto& sum = state.sum;
  auto& totals = state.totals;
  return std::array{std::pair{"runs", &totals.runs},
                    std::pair{"pruned", &totals.pruned},
                    std::pair{"held_back", &totals.held_back},
                    std::pair{"probes", &totals.probes},
                    std::pair{"retried", &totals.retried},
                    std::pair{"astray", &totals.astray},
                    std::pair{"judged", &sum.runs},
                    std::pair{"with_faults", &sum.with_faults},
                    std::pair{"commands", &sum.commands},
                    std::pair{"owned", &sum.owned},
                    std::pair{"contended", &sum.contended},
                    std::pair{"entered", &sum.entered},
                    std::pair{"refused", &sum.refused},
                    std::pair{"met", &sum.met},
                    std::pair{"owner_gone", &sum.owner_gone},
                    std::pair{"bounded", &sum.bounded},
                    std::pair{"inconclusive", &sum.inconclusive}};
}

template <typename Number>
void WriteNumbers(const std::vector<Number>& numbers, JsonText& json) {
  json.BeginArray();
  for (const Number number : numbers) json.Unsigned(number);
  json.EndArray();
}

/// A fraction in full.
void WriteReal(double value, JsonText& json) { json.Unsigned(std::bit_cast<std::uint64_t>(value)); }

void Write(const OrderPrefix& prefix, JsonText& json) {
  json.BeginObject();
  WriteNumbers(prefix.path, json.Key("path"));
  WriteNumbers(prefix.rest, json.Key("rest"));
  WriteNumbers(prefix.seen, json.Key("seen"));
  json.Key("ready").String(prefix.ready);
  WriteReal(prefix.share, json.Key("share"));
  json.Key("asleep").BeginArray();
  for (const Sleeper& one : prefix.asleep.sleepers()) {
    json.BeginObject();
    json.Key("client").Signed(one.task.process);
    json.Key("connection").Unsigned(one.task.ordinal);
    WriteNumbers(one.footprint.reads(), json.Key("reads"));
    WriteNumbers(one.footprint.writes(), json.Key("writes"));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

/// Everything below throws nlohmann's exceptions, or this, for what is no such state.
struct NoState : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename Number>
std::vector<Number> Numbers(const Json& json) {
  std::vector<Number> numbers;
  for (const Json& one : json) {
    if (!one.is_number_unsigned()) throw NoState("what should be a number is none");
    const auto number = one.get<std::uint64_t>();
    if (number > std::numeric_limits<Number>::max()) throw NoState("a number is too large");
    numbers.push_back(static_cast<Number>(number));
  }
  return numbers;
}

double Real(const Json& json) { return std::bit_cast<double>(json.get<std::uint64_t>()); }

OrderPrefix ReadPrefix(const Json& json, int clients) {
  OrderPrefix prefix;
  prefix.path = Numbers<std::uint32_t>(json.at("path"));
  prefix.rest = Numbers<std::uint32_t>(json.at("rest"));
  prefix.seen = Numbers<std::uint64_t>(json.at("seen"));
  prefix.ready = json.at("ready").get<std::string>();
  prefix.share = Real(json.at("share"));
  const bool root = prefix.rest.empty() && prefix.path.empty() && prefix.seen.empty();
  if (!root && (prefix.rest.empty() || prefix.seen.size() != prefix.path.size() + 1)) {
    throw NoState("a prefix is incomplete");
  }
  for (const Json& one : json.at("asleep")) {
    const int client = one.at("client").get<int>();
    if (client < 0 || client >= clients) throw NoState("a client is none");
    prefix.asleep.Add({{client, one.at("connection").get<std::uint32_t>()},
                       sim::redis::Footprint::Of(Numbers<std::uint64_t>(one.at("reads")),
                                                 Numbers<std::uint64_t>(one.at("writes")))});
  }
  return prefix;
}

OrderState ReadBody(const Json& json, const DriveOptions& options) {
  OrderState state;
  for (const auto& [name, counter] : CountersOf(state)) {
    *counter = json.at("totals").at(name).get<std::uint64_t>();
  }
  state.totals.share = Real(json.at("share"));
  state.totals.estimate = Real(json.at("estimate"));
  state.totals.how_astray = json.at("how_astray").get<std::string>();
  state.sum.has_sections = json.at("has_sections").get<bool>();
  state.sum.why_inconclusive = json.at("why_inconclusive").get<std::string>();
  state.sum.failures = json.at("failures").get<std::vector<std::string>>();
  state.sum.kept_out = json.at("kept_out").get<std::set<std::string>>();
  state.sum.virtual_time = std::chrono::milliseconds(json.at("virtual_ms").get<std::int64_t>());
  for (const Json& one : json.at("found")) {
    OrderCase& found = state.found.emplace_back();
    found.slug = one.at("property").get<std::string>();
    found.key = one.at("key").get<std::string>();
    found.first_run = one.at("first_run").get<std::uint64_t>();
    found.tape.lanes[0] = Numbers<std::uint32_t>(one.at("choices"));
  }
  for (const Json& one : json.at("left")) {
    state.left.push_back(ReadPrefix(one, options.clients));
  }
  return state;
}

/// The options as a case has them, and what else must be the same.
Json IdentityOf(const DriveOptions& options, bool reduce, std::string_view version) {
  Json identity = Json::parse(ToJson(DriveCase{options, {}}));
  identity.erase("choices");
  identity["version"] = version;
  identity["reduction"] = reduce;
  return identity;
}

/// Empty: they are the same.
std::string Difference(const Json& there, const Json& here) {
  for (const auto& [name, value] : here.items()) {
    const auto found = there.find(name);
    if (found == there.end()) return fmt::format("it has no \"{}\"", name);
    if (*found != value) {
      return fmt::format("its \"{}\" is {}, and here {}", name, found->dump(), value.dump());
    }
  }
  for (const auto& [name, value] : there.items()) {
    if (!here.contains(name)) return fmt::format("its \"{}\" is {}", name, value.dump());
  }
  return {};
}

}  // namespace

std::string ToJson(const OrderState& state, const DriveOptions& options, bool reduce,
                   std::string_view version) {
  JsonText json;
  json.BeginObject();
  json.Key("schema").String(kSchema);
  json.Key("search").Raw(IdentityOf(options, reduce, version).dump());
  json.Key("totals").BeginObject();
  for (const auto& [name, counter] : CountersOf(state)) json.Key(name).Unsigned(*counter);
  json.EndObject();
  WriteReal(state.totals.share, json.Key("share"));
  WriteReal(state.totals.estimate, json.Key("estimate"));
  json.Key("how_astray").String(state.totals.how_astray);
  json.Key("has_sections").Bool(state.sum.has_sections);
  json.Key("why_inconclusive").String(state.sum.why_inconclusive);
  json.Key("failures").BeginArray();
  for (const std::string& failure : state.sum.failures) json.String(failure);
  json.EndArray();
  json.Key("kept_out").BeginArray();
  for (const std::string& key : state.sum.kept_out) json.String(key);
  json.EndArray();
  json.Key("virtual_ms").Signed(state.sum.virtual_time.count());
  json.Key("found").BeginArray();
  for (const OrderCase& found : state.found) {
    json.BeginObject();
    json.Key("property").String(found.slug);
    json.Key("key").String(found.key);
    json.Key("first_run").Unsigned(found.first_run);
    WriteNumbers(found.tape.lanes[0], json.Key("choices"));
    json.EndObject();
  }
  json.EndArray();
  json.Key("left").BeginArray();
  for (const OrderPrefix& prefix : state.left) Write(prefix, json);
  json.EndArray();
  json.EndObject();
  return std::move(json).Take();
}

Result<OrderState> ReadOrderState(std::string_view text, const DriveOptions& options, bool reduce,
                                  std::string_view version) {
  const auto bad = [](std::string_view what) {
    return Status(StatusCode::kInvalidArgument, std::string(what));
  };
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("schema", Json()) != Json(kSchema)) {
    return bad("it is no state of drive --explore");
  }
  const auto search = json.find("search");
  if (search == json.end() || !search->is_object()) return bad("it does not say of what search");
  const std::string difference = Difference(*search, IdentityOf(options, reduce, version));
  if (!difference.empty()) return bad("it is of another search: " + difference);
  try {
    return ReadBody(json, options);
  } catch (const Json::exception& error) {
    return bad(fmt::format("it is damaged: {}", error.what()));
  } catch (const NoState& error) {
    return bad(fmt::format("it is damaged: {}", error.what()));
  }
}

}  // namespace interlock::scenarios::drive
