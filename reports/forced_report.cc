// SPDX-License-Identifier: MIT
#include "reports/forced_report.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/headline.h"
#include "reports/json_text.h"

namespace interlock::reports {
namespace {

constexpr std::size_t kForcedLabel = 12;

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::uint64_t CountOf(const ForcedReport& report, std::string_view headline) {
  return static_cast<std::uint64_t>(
      std::count_if(report.cases.begin(), report.cases.end(),
                    [headline](const ForcedCase& one) { return Headline(one) == headline; }));
}

std::string_view ColorOfOutcome(Forced outcome) {
  if (outcome == Forced::kAgrees) return ColorOf("PASS");
  return ColorOf(outcome == Forced::kNotForced ? "INCONCLUSIVE" : "FAIL");
}

class ForcedReportWriter {
 public:
  ForcedReportWriter(const ForcedReport& report, const TextOptions& options)
      : report_(report), options_(options), width_(WidthOf(options)) {}

  std::string Write() {
    out_ = Clip(SafeForTerminal(
                    fmt::format("Interlock {} ({}, {})   forced on {}", report_.tool.version,
                                report_.tool.commit, report_.tool.compiler, report_.backend),
                    options_.utf8),
                width_, options_.utf8) +
           "\n\n";
    for (const ForcedCase& one : report_.cases) Tell(one);
    std::string counts;
    for (const std::string_view headline : {"REPRODUCED", "AGREES", "DIFFERS", "NOT FORCED"}) {
      if (const auto count = CountOf(report_, headline); count > 0) {
        counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, headline);
      }
    }
    return DefuseCiCommands(out_ + '\n' + counts + '\n');
  }

 private:
  void Tell(const ForcedCase& one) {
    const std::string headline = PadRight(Headline(one), kForcedLabel);
    out_ += options_.color ? fmt::format("{}{}\x1b[0m", ColorOfOutcome(one.outcome), headline)
                           : headline;
    Wrapped("", fmt::format("{} / {} [{}]: {}", one.lock, one.scenario, ToString(one.synchrony),
                            one.violations.empty() ? "no violation" : Joined(one.violations)));
    if (one.outcome == Forced::kNotForced) return Wrapped(Blank(), one.reason);
    if (one.difference) Tell(*one.difference);
    std::string figures = fmt::format(
        "{}, {} and the data after each compared{}, in {}", Count(one.commands, "command"),
        one.replies == 1 ? "1 reply" : fmt::format("{} replies", GroupDigits(one.replies)),
        one.forged > 0 ? fmt::format(", {} forged by a fault", Count(one.forged, "error")) : "",
        ShortSeconds(one.took));
    if (one.attempts > 1) figures += fmt::format(", at attempt {}", one.attempts);
    if (one.haste > 0) figures += fmt::format(", {:.1f} % faster", one.haste / 10.0);
    if (!one.faults.empty()) figures += "; faults: " + Joined(one.faults);
    Wrapped(Blank(), figures);
  }

  void Tell(const ForcedDifferenceRow& difference) {
    Wrapped(Blank(), fmt::format("{} of {} at {}, after {}", difference.what, difference.who,
                                 difference.at, difference.command));
    Wrapped(Blank(), "  simulated: " + difference.simulated);
    Wrapped(Blank(), "  real:      " + difference.real);
  }

  static std::string Blank() { return std::string(kForcedLabel, ' '); }

  void Wrapped(std::string first, std::string_view text) {
    for (const std::string& line :
         Wrap(Excerpt(text, 1000, options_.utf8), width_ - kForcedLabel)) {
      out_ += first + line + '\n';
      first = Blank();
    }
  }

  const ForcedReport& report_;
  const TextOptions& options_;
  const std::size_t width_;
  std::string out_;
};

void Add(std::string_view key, std::string_view value, JsonText& json) {
  json.Key(key);
  json.String(value);
}

void Add(std::string_view key, std::uint64_t value, JsonText& json) {
  json.Key(key);
  json.Unsigned(value);
}

void Add(std::string_view key, const std::vector<std::string>& values, JsonText& json) {
  json.Key(key);
  json.BeginArray();
  for (const std::string& value : values) json.String(value);
  json.EndArray();
}

void AddCase(const ForcedCase& one, JsonText& json) {
  json.BeginObject();
  Add("outcome", Headline(one), json);
  Add("lock", one.lock, json);
  Add("scenario", one.scenario, json);
  Add("class", ToString(one.synchrony), json);
  Add("case", one.source, json);
  Add("violations", one.violations, json);
  Add("faults", one.faults, json);
  Add("reason", one.reason, json);
  json.Key("difference");
  if (one.difference) {
    json.BeginObject();
    Add("at", one.difference->at, json);
    Add("who", one.difference->who, json);
    Add("command", one.difference->command, json);
    Add("what", one.difference->what, json);
    Add("simulated", one.difference->simulated, json);
    Add("real", one.difference->real, json);
    json.EndObject();
  } else {
    json.Null();
  }
  Add("commands", one.commands, json);
  Add("replies", one.replies, json);
  Add("forged", one.forged, json);
  Add("attempts", static_cast<std::uint64_t>(one.attempts), json);
  Add("haste", static_cast<std::uint64_t>(one.haste), json);
  Add("took_ms", static_cast<std::uint64_t>(one.took.count()), json);
  json.EndObject();
}

}  // namespace

ExitCode ExitCodeOf(const ForcedCase& one) {
  switch (one.outcome) {
    case Forced::kAgrees:
      return one.violations.empty() ? ExitCode::kPass : ExitCode::kViolated;
    case Forced::kDiffers:
      return ExitCode::kInternal;
    case Forced::kNotForced:
      break;
  }
  return ExitCode::kInconclusive;
}

std::string_view Headline(const ForcedCase& one) {
  if (one.outcome == Forced::kDiffers) return "DIFFERS";
  if (one.outcome == Forced::kNotForced) return "NOT FORCED";
  return one.violations.empty() ? "AGREES" : "REPRODUCED";
}

std::string ToText(const ForcedReport& report, const TextOptions& options) {
  return ForcedReportWriter(report, options).Write();
}

std::string ToJson(const ForcedReport& report) {
  JsonText json;
  json.BeginObject();
  Add("schema", kForcedSchema, json);
  json.Key("tool");
  json.BeginObject();
  Add("version", report.tool.version, json);
  Add("commit", report.tool.commit, json);
  Add("compiler", report.tool.compiler, json);
  json.EndObject();
  Add("backend", report.backend, json);
  json.Key("cases");
  json.BeginArray();
  for (const ForcedCase& one : report.cases) AddCase(one, json);
  json.EndArray();
  json.EndObject();
  return std::move(json).Take();
}

}  // namespace interlock::reports
