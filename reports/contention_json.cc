// SPDX-License-Identifier: MIT
//
// Each type has one list of its members, shared by the writer and the reader, so that neither can
// miss one.
#include "reports/contention_json.h"

#include <cstddef>
#include <map>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reports/escape.h"
#include "reports/json_limits.h"

namespace interlock::reports {
namespace {

using ContentionJson = nlohmann::ordered_json;

/// What is wrong with a file, and where.
struct Mistake : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename Archive>
void Members(Archive& members, LoadText& load) {
  members("arrivals", load.arrivals);
  members("hold_ns", load.hold_ns);
  members("think_ns", load.think_ns);
  members("interval_ns", load.interval_ns);
  members("spread", load.spread);
  members("patience_ns", load.patience_ns);
  members("lease_ns", load.lease_ns);
  members("duration_ns", load.duration_ns);
  members("warm_up_ns", load.warm_up_ns);
  members("permits", load.permits);
  members("resources", load.resources);
  members("faults", load.faults);
}

template <typename Archive>
void Members(Archive& members, ClientShare& share) {
  members("grants", share.grants);
  members("abandoned", share.abandoned);
  members("hold_ns", share.hold_ns);
  members("longest_wait_ns", share.longest_wait_ns);
  members("blamed_ns", share.blamed_ns);
  members.Newer("followed_ns", share.followed_ns);
}

template <typename Archive>
void Members(Archive& members, CommandMix& mix) {
  members("acquiring", mix.acquiring);
  members("releasing", mix.releasing);
  members("beside", mix.beside);
  members("bytes_sent", mix.bytes_sent);
  members.Newer("errors", mix.errors);
  members.Newer("unanswered", mix.unanswered);
  members.Newer("round_trips", mix.round_trips);
}

template <typename Archive>
void Members(Archive& members, ServerFigures& server) {
  members("hold", server.hold);
  members("hand_over", server.hand_over);
  members("busy_ns", server.busy_ns);
  members("lost_noticed", server.lost_noticed);
  members("lost_unnoticed", server.lost_unnoticed);
  members("stale_work_ns", server.stale_work_ns);
  members("renewals", server.renewals);
  members("renewal_margin_ns", server.renewal_margin_ns);
}

template <typename Archive>
void Members(Archive& members, Fairness& fairness) {
  members("jain_grants", fairness.jain_grants);
  members("jain_hold", fairness.jain_hold);
  members("lwss_mean", fairness.lwss_mean);
  members("reacquire_median", fairness.reacquire_median);
  members("bypasses", fairness.bypasses);
  members("most_bypassed", fairness.most_bypassed);
  members("longest_streak", fairness.longest_streak);
  members.Newer("jain_opportunity", fairness.jain_opportunity);
  members.Newer("lwss_median", fairness.lwss_median);
  members.Newer("fifo_distance", fairness.fifo_distance);
}

template <typename Archive>
void Members(Archive& members, OwnerSpan& span) {
  members("client", span.client);
  members("resource", span.resource);
  members("from_ns", span.from_ns);
  members("to_ns", span.to_ns);
}

template <typename Archive>
void Members(Archive& members, FaultSpan& span) {
  members("from_ns", span.from_ns);
  members("to_ns", span.to_ns);
  members("what", span.what);
}

template <typename Archive>
void Members(Archive& members, ContentionPoint& point) {
  members("lock", point.lock);
  members("clients", point.clients);
  members("window_ns", point.window_ns);
  members("requests", point.requests);
  members("grants", point.grants);
  members("contended", point.contended);
  members("abandoned", point.abandoned);
  members("failed", point.failed);
  members("wait", point.wait);
  members("wait_from_intended", point.wait_from_intended);
  members("abandoned_wait", point.abandoned_wait);
  members("hold", point.hold);
  members("useful", point.useful);
  members("turn", point.turn);
  members("overlap_ns", point.overlap_ns);
  members("waiting_ns", point.waiting_ns);
  members("most_waiting", point.most_waiting);
  members.Newer("oldest_wait_ns", point.oldest_wait_ns);
  members.Newer("woken", point.woken);
  members.Newer("woken_in_vain", point.woken_in_vain);
  members.Newer("fenced_rejects", point.fenced_rejects);
  members("commands", point.commands);
  members("fairness", point.fairness);
  members("shares", point.shares);
  members("server", point.server);
  members("owners", point.owners);
  members("owners_left_out", point.owners_left_out);
  members("faults", point.faults);
  members("trace_hash", point.trace_hash);
}

template <typename Archive>
void Members(Archive& members, GateResult& gate) {
  members("name", gate.name);
  members("pass", gate.pass);
  members("measured", gate.measured);
  members("what", gate.what);
  members.Newer("hint", gate.hint);
}

template <typename Archive>
void Members(Archive& members, ToolInfo& tool) {
  members("version", tool.version);
  members("commit", tool.commit);
  members("compiler", tool.compiler);
}

template <typename Archive>
void Members(Archive& members, ContentionReport& report) {
  members("tool", report.tool);
  members("seed", report.seed);
  members("backend", report.backend);
  members("load", report.load);
  members("points", report.points);
  members("gates", report.gates);
  members("notes", report.notes);
}

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};
template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <typename T>
ContentionJson Write(T& value);

class ContentionJsonWriter {
 public:
  template <typename T>
  void operator()(const char* name, T& value) {
    object_[name] = Write(value);
  }
  template <typename T>
  void Newer(const char* name, T& value) {
    (*this)(name, value);
  }
  ContentionJson Take() { return std::move(object_); }

 private:
  ContentionJson object_ = ContentionJson::object();
};

ContentionJson WriteHistogram(const Histogram& histogram) {
  ContentionJson values = ContentionJson::array();
  ContentionJson counts = ContentionJson::array();
  for (const auto& [value, count] : histogram.counts()) {
    values.push_back(value);
    counts.push_back(count);
  }
  return {{"sum_ns", histogram.sum()},
          {"least_ns", histogram.least()},
          {"greatest_ns", histogram.greatest()},
          {"values_ns", std::move(values)},
          {"counts", std::move(counts)}};
}

template <typename T>
ContentionJson Write(T& value) {
  if constexpr (std::is_same_v<T, Histogram>) {
    return WriteHistogram(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return ToValidUtf8(value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return value;
  } else if constexpr (IsOptional<T>::value) {
    return value ? Write(*value) : ContentionJson(nullptr);
  } else if constexpr (IsVector<T>::value) {
    ContentionJson array = ContentionJson::array();
    for (auto& one : value) array.push_back(Write(one));
    return array;
  } else {
    ContentionJsonWriter writer;
    Members(writer, value);
    return writer.Take();
  }
}

template <typename T>
void Read(const ContentionJson& json, const std::string& path, T& value);

class Reader {
 public:
  Reader(const ContentionJson& object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object_.is_object()) throw Mistake(path_ + ": expected an object");
  }
  template <typename T>
  void operator()(const char* name, T& value) {
    const std::string path = path_.empty() ? name : path_ + "." + name;
    const auto found = object_.find(name);
    if (found == object_.end()) throw Mistake(path + ": is missing");
    Read(*found, path, value);
  }
  /// A member that earlier versions did not write.
  template <typename T>
  void Newer(const char* name, T& value) {
    if (object_.contains(name)) (*this)(name, value);
  }

 private:
  const ContentionJson& object_;
  const std::string path_;
};

Histogram ReadHistogram(const ContentionJson& json, const std::string& path) {
  std::int64_t sum = 0;
  std::int64_t least = 0;
  std::int64_t greatest = 0;
  std::vector<std::int64_t> values;
  std::vector<std::uint64_t> of_each;
  Reader reader(json, path);
  reader("sum_ns", sum);
  reader("least_ns", least);
  reader("greatest_ns", greatest);
  reader("values_ns", values);
  reader("counts", of_each);
  if (values.size() != of_each.size()) throw Mistake(path + ".counts: expected one for each value");
  std::map<std::int64_t, std::uint64_t> counts;
  for (std::size_t i = 0; i < values.size(); ++i) counts[values[i]] = of_each[i];
  auto histogram = Histogram::Of(std::move(counts), sum, least, greatest);
  if (!histogram) throw Mistake(path + ": the counts do not fit the sum and the extremes");
  return *std::move(histogram);
}

template <typename T>
void ReadNumber(const ContentionJson& json, const std::string& path, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) throw Mistake(path + ": expected true or false");
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!json.is_number()) throw Mistake(path + ": expected a number");
  } else if constexpr (std::is_unsigned_v<T>) {
    if (!json.is_number_unsigned()) throw Mistake(path + ": expected a whole number, 0 or more");
  } else {
    const bool fits = json.is_number_integer() &&
                      (!json.is_number_unsigned() || std::in_range<T>(json.get<std::uint64_t>())) &&
                      (json.is_number_unsigned() || std::in_range<T>(json.get<std::int64_t>()));
    if (!fits) throw Mistake(path + ": expected a whole number that fits");
  }
  value = json.get<T>();
}

template <typename T>
void Read(const ContentionJson& json, const std::string& path, T& value) {
  if constexpr (std::is_same_v<T, Histogram>) {
    value = ReadHistogram(json, path);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!json.is_string()) throw Mistake(path + ": expected a string");
    value = json.get<std::string>();
  } else if constexpr (std::is_arithmetic_v<T>) {
    ReadNumber(json, path, value);
  } else if constexpr (IsOptional<T>::value) {
    if (json.is_null()) return value.reset();
    Read(json, path, value.emplace());
  } else if constexpr (IsVector<T>::value) {
    if (!json.is_array()) throw Mistake(path + ": expected an array");
    for (const ContentionJson& one : json) {
      const std::string place = fmt::format("{}[{}]", path, value.size());
      Read(one, place, value.emplace_back());
    }
  } else {
    Reader reader(json, path);
    Members(reader, value);
  }
}

void CheckHead(const ContentionJson& json) {
  if (!json.is_object()) throw Mistake("expected an object");
  const std::string schema = json.value("schema", "");
  if (schema != kRunSchema) {
    throw Mistake(
        fmt::format("schema: expected {}, found {}", kRunSchema, SafeForTerminal(schema, true)));
  }
  if (json.value("kind", "") != kContentionKind) throw Mistake("kind: expected contention");
}

void Judge(const ContentionReport& report) {
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const ContentionPoint& point = report.points[i];
    if (point.clients < 1 || point.shares.size() != static_cast<std::size_t>(point.clients)) {
      throw Mistake(fmt::format("points[{}].shares: expected one for each client", i));
    }
    if (point.window_ns < 1)
      throw Mistake(fmt::format("points[{}].window_ns: expected 1 or more", i));
    for (const OwnerSpan& span : point.owners) {
      if (span.client < 0 || span.client >= point.clients || span.from_ns < 0 ||
          span.to_ns < span.from_ns || span.to_ns > point.window_ns) {
        throw Mistake(fmt::format("points[{}].owners: a span lies outside of the run", i));
      }
    }
  }
}

}  // namespace

std::string ToJson(const ContentionReport& report) {
  ContentionReport copy = report;
  ContentionJson json = {{"schema", kRunSchema}, {"kind", kContentionKind}};
  json.update(Write(copy));
  json["status"] = ToString(report.status);
  json["wall_seconds"] = static_cast<double>(report.wall_time.count()) / 1000.0;
  return json.dump(1) + "\n";
}

ReadResult<ContentionReport> ReadContention(std::string_view text) {
  ReadResult<ContentionReport> result;
  if (NestsTooDeep(text)) {
    result.error = "it is nested too deep";
    return result;
  }
  try {
    const ContentionJson json = ContentionJson::parse(text);
    CheckHead(json);
    ContentionReport report;
    Read(json, "", report);
    const std::string status = json.value("status", "");
    if (status != "complete" && status != "partial") throw Mistake("status: unknown");
    report.status = status == "partial" ? RunStatus::kPartial : RunStatus::kComplete;
    report.wall_time = std::chrono::milliseconds(
        static_cast<std::int64_t>(json.value("wall_seconds", 0.0) * 1000));
    Judge(report);
    result.value = std::move(report);
  } catch (const Mistake& mistake) {
    result.error = mistake.what();
  } catch (const ContentionJson::exception& error) {
    result.error = SafeForTerminal(error.what(), true);
  }
  return result;
}

bool IsContention(std::string_view json) {
  const std::string_view head = json.substr(0, 200);
  return head.find("\"kind\": \"contention\"") != std::string_view::npos;
}

}  // namespace interlock::reports
