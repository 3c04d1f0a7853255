// SPDX-License-Identifier: MIT
#include "reports/junit_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "reports/escape.h"
#include "reports/exit_code.h"
#include "reports/text_layout.h"
#include "reports/text_writer.h"

namespace interlock::reports {
namespace {

constexpr std::size_t kLongestCaseName = 300;
constexpr std::size_t kMaxText = 10'000;

std::string Attribute(std::string_view text, std::size_t width = kMaxText) {
  return EscapeXmlAttribute(Clip(ToValidUtf8(BoundedPrefix(text, width)), width, true));
}

std::string Body(std::string_view text) {
  return EscapeXmlText(Clip(ToValidUtf8(BoundedPrefix(text, kMaxText)), kMaxText, true));
}

std::string Seconds(std::chrono::milliseconds time) {
  const auto ms = std::max<std::int64_t>(time.count(), 0);
  return fmt::format("{}.{:03}", ms / 1000, ms % 1000);
}

/// The content of a testcase that did not pass.
struct Problem {
  bool is_error = false;  ///< <error>, otherwise <failure>
  std::string type;
  std::string message;
  std::string body;
};

struct Suite {
  std::string name;
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::string cases;
};

class JUnitWriter {
 public:
  JUnitWriter(const RunReport& report, const std::vector<Counterexample>& examples)
      : report_(report), examples_(examples) {}

  std::string Write() {
    for (const ResultRow& row : report_.results) AddRow(row);
    AddRunProblems();
    Suite all;
    for (const Suite& suite : suites_) {
      all.tests += suite.tests;
      all.failures += suite.failures;
      all.errors += suite.errors;
    }
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    out += fmt::format("<testsuites name=\"interlock\" {} time=\"{}\">\n", Counts(all),
                       Seconds(report_.totals.wall_time.value_or(std::chrono::milliseconds(0))));
    for (std::size_t i = 0; i < suites_.size(); ++i) {
      // Rows share their runs, so their own times are not known; the root element has the total.
      out += fmt::format("  <testsuite id=\"{}\" name=\"{}\" {} time=\"0.000\">\n", i,
                         Attribute(suites_[i].name, kLongestCaseName), Counts(suites_[i]));
      out += suites_[i].cases + "  </testsuite>\n";
    }
    return out + "</testsuites>\n";
  }

 private:
  static std::string Counts(const Suite& suite) {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\"", suite.tests,
                       suite.failures, suite.errors);
  }

  // Rows nearly always come lock by lock, so the last suite is tried first.
  Suite& SuiteOf(std::string_view name) {
    if (!suites_.empty() && suites_.back().name == name) return suites_.back();
    for (Suite& suite : suites_) {
      if (suite.name == name) return suite;
    }
    suites_.emplace_back().name = name;
    return suites_.back();
  }

  void AddRow(const ResultRow& row) {
    const std::string classname =
        fmt::format("{}.{} [{}]", row.lock, row.scenario, ToString(row.synchrony));
    std::string inner = Properties(row);
    const ExitCode code = ExitCodeOf(row);
    Problem problem;
    if (code != ExitCode::kPass) problem = ProblemOf(row, code);
    if (row.counterexample) {
      inner += fmt::format("      <system-out>[[ATTACHMENT|{}]]</system-out>\n",
                           Body(*row.counterexample));
    }
    AddCase(row.lock, classname, row.code + " " + row.property, inner, problem);
  }

  std::string Properties(const ResultRow& row) const {
    std::string out = "      <properties>\n";
    const auto property = [&out](std::string_view name, std::string_view value) {
      out += fmt::format("        <property name=\"{}\" value=\"{}\"/>\n", name, Attribute(value));
    };
    property("seed", fmt::format("{:#x}", report_.seed));
    property("backend", report_.backend);
    if (row.replay) property("replay", *row.replay);
    property("kind", ToString(row.kind));
    property("expected", ToString(row.expected));
    property("verdict", ToString(row.verdict));
    property("runs", std::to_string(row.runs));
    property("exercised", std::to_string(row.exercised));
    return out + "      </properties>\n";
  }

  Problem ProblemOf(const ResultRow& row, ExitCode code) const {
    Problem problem;
    problem.is_error = code == ExitCode::kInconclusive || code == ExitCode::kInternal;
    problem.type = code == ExitCode::kInconclusive ? "inconclusive" : row.code;
    problem.message = MessageOf(row, code);
    problem.body = problem.message + "\n";
    const Counterexample* example = FindCounterexample(examples_, row);
    if (example != nullptr) {
      problem.body += "\n" + ToText(*example, TextOptions{.utf8 = true});
    } else if (row.replay) {
      problem.body += fmt::format("replay: {} replay '{}'\n", report_.tool.program, *row.replay);
    }
    return problem;
  }

  static std::string MessageOf(const ResultRow& row, ExitCode code) {
    std::string text;
    if (code == ExitCode::kInconclusive) {
      text =
          fmt::format("inconclusive: exercised in {} of {}", row.exercised, Count(row.runs, "run"));
    } else if (row.verdict == Verdict::kViolated) {
      text = fmt::format("{} {} was violated", row.code, row.property);
      if (row.runs_to_first_violation) {
        text += fmt::format(", first in run {}", *row.runs_to_first_violation);
      }
    } else if (row.kind == LockKind::kSpecimen) {
      text =
          fmt::format("the specimen was acquitted of {} in {}", row.code, Count(row.runs, "run"));
    } else {
      text =
          fmt::format("{} was expected to break and held in {}", row.code, Count(row.runs, "run"));
    }
    return row.reason.empty() ? text : text + ": " + row.reason;
  }

  void AddRunProblems() {
    const auto add = [this](std::string_view name, std::string_view type, std::string message) {
      AddCase("interlock", "interlock.run", std::string(name), "",
              Problem{true, std::string(type), message, message + "\n"});
    };
    if (report_.totals.divergences > 0) {
      add("LK016 determinism", "LK016",
          fmt::format("{} of {} diverged", report_.totals.divergences,
                      Count(report_.totals.double_runs, "double run")));
    }
    if (report_.status == RunStatus::kPartial) {
      add("completeness", "inconclusive", "the run was interrupted");
    }
    if (report_.results.empty()) add("verdicts", "inconclusive", "nothing was checked");
    for (const GoalCount& goal : report_.goals) {
      if (goal.count == 0) add("goal " + goal.name, "inconclusive", "this goal never fired");
    }
  }

  void AddCase(std::string_view suite_name, const std::string& classname, const std::string& name,
               const std::string& inner, const Problem& problem) {
    Suite& suite = SuiteOf(suite_name);
    ++suite.tests;
    const std::string safe_class = Attribute(classname, kLongestCaseName);
    suite.cases +=
        fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0.000\">\n", safe_class,
                    UniqueName(safe_class, Attribute(name, kLongestCaseName)));
    // The order that Surefire's schema demands: properties, problem, system-out.
    const std::size_t split = std::min(inner.find("      <system-out>"), inner.size());
    suite.cases += inner.substr(0, split);
    if (!problem.type.empty()) {
      ++(problem.is_error ? suite.errors : suite.failures);
      const std::string_view element = problem.is_error ? "error" : "failure";
      suite.cases += fmt::format("      <{} type=\"{}\" message=\"{}\">{}</{}>\n", element,
                                 Attribute(problem.type, kLongestCaseName),
                                 Attribute(problem.message), Body(problem.body), element);
    }
    suite.cases += inner.substr(split) + "    </testcase>\n";
  }

  /// Different names can become equal once they are cut and escaped.
  std::string UniqueName(const std::string& classname, const std::string& name) {
    std::string unique = name;
    for (int n = 2; !names_.emplace(classname, unique).second; ++n) {
      unique = fmt::format("{} #{}", name, n);
    }
    return unique;
  }

  const RunReport& report_;
  const std::vector<Counterexample>& examples_;
  std::vector<Suite> suites_;
  std::set<std::pair<std::string, std::string>> names_;
};

}  // namespace

std::string ToJUnit(const RunReport& report, const std::vector<Counterexample>& counterexamples) {
  return JUnitWriter(report, counterexamples).Write();
}

}  // namespace interlock::reports
