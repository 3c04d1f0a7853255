// SPDX-License-Identifier: MIT
#include "scenarios/log/log_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/json_limits.h"
#include "reports/json_node.h"
#include "reports/json_text.h"

namespace interlock::scenarios {
namespace {

using reports::Json;
using reports::JsonNode;

std::string Quoted(std::string_view text) {
  reports::JsonText json;
  json.String(text);
  std::string quoted = std::move(json).Take();
  quoted.pop_back();  // removes the line end
  return quoted;
}

/// Writes the members that are not at their defaults.
class Writer {
 public:
  explicit Writer(std::string& line) : line_(line) {}

  void Time(std::string_view name, VirtualTime time) {
    if (time != kOpen) Member(name, std::to_string(time.count()));
  }
  void Length(std::string_view name, Duration length) { Value(name, length.count()); }
  template <typename T>
  void Value(std::string_view name, const T& value) {
    if (value == T()) return;
    if constexpr (std::is_arithmetic_v<T>) {
      Member(name, fmt::format("{}", value));
    } else if constexpr (std::is_enum_v<T>) {
      Member(name, Quoted(ToString(value)));
    } else {
      Member(name, Quoted(value));
    }
  }
  void Value(std::string_view name, std::optional<std::uint64_t> value) {
    if (value.has_value()) Member(name, std::to_string(*value));
  }
  void Member(std::string_view name, std::string_view value) {
    line_ += fmt::format(R"({}"{}":{})", line_.size() > 1 ? "," : "", name, value);
  }

 private:
  std::string& line_;
};

/// Reads the members that are there, and counts them: any other is a mistake.
class Reader {
 public:
  explicit Reader(const JsonNode& node) : node_(node) {}

  std::size_t found() const { return found_; }

  void Time(std::string_view name, VirtualTime& time) { Length(name, time); }
  void Length(std::string_view name, Duration& length) {
    std::int64_t ns = length.count();
    Value(name, ns);
    length = Duration(ns);
  }
  template <typename T>
  void Value(std::string_view name, T& value) {
    if (!node_.Has(name)) return;
    ++found_;
    node_.Read(name, &value);
  }
  void Value(std::string_view name, int& value) {
    std::int64_t number = value;
    Value(name, number);
    if (number < -1 || number > std::numeric_limits<int>::max()) {
      return node_.Fail(name, fmt::format("{} is out of range", number));
    }
    value = static_cast<int>(number);
  }
  void Value(std::string_view name, StatusCode& value) {
    using enum StatusCode;
    Word(name, value,
         {kOk, kTimeout, kNotAcquired, kUnavailable, kUnknownOutcome, kNotOwner, kLeaseLost,
          kCancelled, kInvalidArgument, kProtocolError, kStopped});
  }
  void Value(std::string_view name, Ask& value) {
    Word(name, value, {Ask::kTry, Ask::kWaitFor, Ask::kWait});
  }
  void Value(std::string_view name, ReplyKind& value) {
    Word(name, value, {ReplyKind::kReply, ReplyKind::kError, ReplyKind::kNone});
  }
  template <typename Enum>
  void Word(std::string_view name, Enum& value, std::initializer_list<Enum> words) {
    if (!node_.Has(name)) return;
    ++found_;
    node_.ReadEnum(name, words, &value);
  }

 private:
  const JsonNode& node_;
  std::size_t found_ = 0;
};

/// The members of every event; `at_ns` is one instant, or the earliest and the latest.
void WriteFrame(const LogEvent& event, Writer& writer) {
  const auto earliest = event.at_earliest.count();
  const auto latest = event.at_latest.count();
  writer.Member("at_ns", earliest == latest ? fmt::format("{}", earliest)
                                            : fmt::format("[{},{}]", earliest, latest));
  writer.Member("event", Quoted(ToString(event.kind)));
  if (event.client >= 0) writer.Member("client", std::to_string(event.client));
  writer.Value("resource", event.resource);
}

VirtualTime ReadInstant(const JsonNode& node, const Json& value) {
  if (value.is_number_integer()) return VirtualTime(value.get<std::int64_t>());
  node.Fail("at_ns", "expected nanoseconds, found " + reports::Shown(value));
  return {};
}

void ReadAt(const JsonNode& node, LogEvent& event) {
  const Json* at = node.Find("at_ns");
  if (at == nullptr) return;
  const bool both = at->is_array() && at->size() == 2;
  event.at_earliest = ReadInstant(node, both ? (*at)[0] : *at);
  event.at_latest = both ? ReadInstant(node, (*at)[1]) : event.at_earliest;
  if (event.at_latest < event.at_earliest) node.Fail("at_ns", "the latest is before the earliest");
}

void ReadKind(const JsonNode& node, LogEvent& event) {
  std::string name;
  node.Read("event", &name);
  std::string names;
  for (int i = 0; i <= static_cast<int>(kLastEventKind); ++i) {
    event.kind = static_cast<EventKind>(i);
    if (ToString(event.kind) == name) return;
    names += fmt::format("{}{}", i > 0 ? ", " : "", ToString(event.kind));
  }
  node.Fail("event", fmt::format("{} is none of {}", reports::Shown(Json(name)), names));
}

/// Any member that was not read is a mistake.
void RefuseOthers(const JsonNode& node, const Json& json, std::size_t read) {
  if (node.ok() && json.size() != read) {
    node.Fail("", fmt::format("{} members that such a line does not have: {}", json.size() - read,
                              reports::Shown(json)));
  }
}

LogEvent EventOf(const Json& json, std::string* error) {
  LogEvent event;
  const JsonNode node(json, "", error);
  ReadAt(node, event);
  ReadKind(node, event);
  event.details = DetailsFor(event.kind);
  Reader reader(node);
  reader.Value("client", event.client);
  reader.Value("resource", event.resource);
  if (node.ok()) VisitDetails(event.details, reader);
  RefuseOthers(node, json, reader.found() + 2);
  return event;
}

template <typename Visitor, typename Header>
void VisitHeader(Header& header, Visitor& visitor) {
  visitor.Value("lock", header.lock);
  visitor.Value("scenario", header.scenario);
  visitor.Length("lease_ns", header.lease);
  visitor.Value("permits", header.permits);
  visitor.Value("clients", header.clients);
  visitor.Value("resources", header.resources);
}

LogHeader HeaderOf(const Json& json, std::string* error) {
  LogHeader header;
  const JsonNode node(json, "", error);
  std::string format;
  node.Read("log", &format);
  if (node.ok() && format != kLogFormat) {
    node.Fail("log",
              fmt::format("expected \"{}\", found {}", kLogFormat, reports::Shown(Json(format))));
  }
  Reader reader(node);
  if (node.ok()) VisitHeader(header, reader);
  RefuseOthers(node, json, reader.found() + 1);
  return header;
}

/// The line as JSON; with the error set if it is none.
Json Parse(std::string_view line, std::string* error) {
  if (reports::NestsTooDeep(line)) {
    *error = fmt::format("brackets nest deeper than {}", reports::kMaxJsonDepth);
    return {};
  }
  if (line.find_first_not_of(" \r") == std::string_view::npos) {
    *error = "this line is empty: it should hold one JSON object";
    return {};
  }
  Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded())
    *error = "this is no JSON: " + reports::SafeForTerminal(line.substr(0, 60), true);
  return json;
}

Status Wrong(std::string error) { return Status(StatusCode::kInvalidArgument, std::move(error)); }

}  // namespace

std::string ToLine(const LogHeader& header) {
  std::string line = "{";
  Writer writer(line);
  writer.Member("log", Quoted(kLogFormat));
  VisitHeader(header, writer);
  return line + "}\n";
}

std::string ToLine(const LogEvent& event) {
  std::string line = "{";
  Writer writer(line);
  WriteFrame(event, writer);
  EventDetails details = event.details;
  VisitDetails(details, writer);
  return line + "}\n";
}

std::string ToText(const LogHeader& header, const EventLog& events) {
  std::string text = ToLine(header);
  for (const LogEvent& event : events) text += ToLine(event);
  return text;
}

Result<LogEvent> ReadEvent(std::string_view line) {
  std::string error;
  const Json json = Parse(line, &error);
  if (!error.empty()) return Wrong(std::move(error));
  LogEvent event = EventOf(json, &error);
  if (!error.empty()) return Wrong(std::move(error));
  return event;
}

Result<LogFile> ReadLog(std::string_view text) {
  LogFile file;
  for (std::size_t number = 1; !text.empty() || number == 1; ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::string error;
    const Json json = Parse(line, &error);
    if (error.empty() && number == 1) file.header = HeaderOf(json, &error);
    if (error.empty() && number > 1) file.events.push_back(EventOf(json, &error));
    if (!error.empty()) return Wrong(fmt::format("line {}: {}", number, error));
  }
  return file;
}

}  // namespace interlock::scenarios
