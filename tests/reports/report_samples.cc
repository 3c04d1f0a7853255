// SPDX-License-Identifier: MIT
#include "report_samples.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace interlock::reports {
namespace {

using std::chrono::milliseconds;

ResultRow Row(std::string lock, std::string scenario, std::string code, std::string property) {
  ResultRow row;
  row.lock = std::move(lock);
  row.scenario = std::move(scenario);
  row.synchrony = SynchronyClass::kArbitrary;
  row.code = std::move(code);
  row.property = std::move(property);
  row.verdict = Verdict::kHolds;
  row.pass = true;
  row.runs = 10'000;
  row.exercised = 312;
  return row;
}

void Violated(ResultRow* row, std::uint64_t first) {
  row->verdict = Verdict::kViolated;
  row->runs_to_first_violation = first;
}

void AddUserLock(RunReport* report) {
  ResultRow failed = Row("acme.job-lock", "redis.d2", "LK005", "foreign-release");
  Violated(&failed, 46);
  failed.pass = false;
  failed.replay = "v1:acme.job-lock:redis.d2:s8f3a:kQb7";
  failed.counterexample = "LK005-1/counterexample.json";
  report->results.push_back(failed);
  ResultRow again = failed;
  again.synchrony = SynchronyClass::kBounded;
  again.counterexample.reset();
  report->results.push_back(again);
  ResultRow idle = Row("acme.job-lock", "curator.c1", "LK012", "order");
  idle.verdict = Verdict::kInconclusive;
  idle.pass = false;
  idle.exercised = 0;
  idle.reason = "no client was ever overtaken";
  report->results.push_back(idle);
}

void AddSpecimens(RunReport* report) {
  ResultRow convicted = Row("specimen.plain-del", "redis.d2", "LK005", "foreign-release");
  convicted.kind = LockKind::kSpecimen;
  convicted.expected = Expectation::kBreaks;
  Violated(&convicted, 3);
  report->results.push_back(convicted);
  ResultRow acquitted = Row("specimen.no-ttl", "chubby.h1", "LK011", "keys");
  acquitted.kind = LockKind::kSpecimen;
  acquitted.expected = Expectation::kBreaks;
  acquitted.pass = false;
  report->results.push_back(acquitted);
}

}  // namespace

RunReport PassingReport() {
  RunReport report;
  report.tool = {"0.1.0", "4f2c9e1", "g++ 12.2.0"};
  report.seed = 0x8f3a;
  report.totals.runs = 412'000;
  report.totals.runs_with_faults = 301'555;
  report.totals.commands = 18'000'321;
  report.totals.virtual_time = milliseconds(9'876'543'210);
  report.totals.wall_time = milliseconds(58'300);
  report.totals.double_runs = 4'120;
  report.results.push_back(Row("mutex", "kleppmann.k1", "LK001", "server-exclusion"));
  ResultRow weakness = Row("mutex", "kleppmann.k1", "LK003", "section-exclusion");
  weakness.expected = Expectation::kBreaks;
  weakness.reason = "no lease lock excludes sections under unbounded pauses";
  Violated(&weakness, 12);
  report.results.push_back(weakness);
  ResultRow either = Row("mutex", "antirez.a4", "LK008", "crash-recovery");
  either.expected = Expectation::kEither;
  Violated(&either, 7'001);
  report.results.push_back(either);
  report.goals = {{"lease_expired_while_held", 3'120}, {"foreign_release_possible", 977}};
  report.trace_hash = 0x00c0ffee12345678;
  return report;
}

RunReport MixedReport() {
  RunReport report = PassingReport();
  ResultRow gone = Row("redlock", "kleppmann.k4", "LK002", "belief-exclusion");
  gone.expected = Expectation::kBreaks;
  gone.pass = false;
  report.results.push_back(gone);
  AddUserLock(&report);
  AddSpecimens(&report);
  report.goals.push_back({"failover_while_held", 0});
  report.notes = {"--budget ended before exploration was complete"};
  return report;
}

Counterexample ForeignRelease() {
  Counterexample example;
  example.code = "LK005";
  example.property = "foreign-release";
  example.title = "released somebody else's lock";
  example.sentence =
      "C1 deleted \"jobs:42\" 300.9 ms after its own lease had expired; at that moment C2 owned "
      "it.";
  example.lock = "acme.job-lock";
  example.scenario = "redis.d2";
  example.synchrony = SynchronyClass::kArbitrary;
  example.columns = {"C1  job_lock.cc:88", "C2  job_lock.cc:88", "redis"};
  constexpr RowKind kEvent = RowKind::kEvent;
  constexpr SpanChange kNone = SpanChange::kNone;
  example.rows = {
      {0, 0, "SET jobs:42 a7 NX PX 1000 ▸", kEvent, kNone},
      {200'000, 2, "a7, expires 1000.2", kEvent, kNone},
      {400'000, 0, "◂ OK   enter section", kEvent, SpanChange::kSectionBegin},
      {600'000, 0, "PAUSED 1300 ms", RowKind::kFault, SpanChange::kPauseBegin},
      {1'000'200'000, 2, "expired", kEvent, kNone},
      {1'100'000'000, 1, "SET jobs:42 b3 NX PX 1000 ▸", kEvent, kNone},
      {1'100'200'000, 2, "b3, expires 2100.2", kEvent, kNone},
      {1'100'400'000, 1, "◂ OK   enter section", kEvent, SpanChange::kSectionBegin},
      {1'300'600'000, 0, "resumed", kEvent, SpanChange::kPauseEnd},
      {1'300'800'000, 0, "leave section", kEvent, SpanChange::kSectionEnd},
      {1'300'900'000, 0, "DEL jobs:42 ▸", kEvent, kNone},
      {1'301'100'000, 2, "b3 deleted by C1", RowKind::kViolation, kNone},
      {1'412'400'000, 1, "leave section", kEvent, SpanChange::kSectionEnd},
  };
  example.faults = {"pause of C1 at 0.600 ms for 1300 ms"};
  example.shrunk = {{2, 1, 2, 0}, {5, 7, 11, 38}, 41, std::chrono::milliseconds(800)};
  example.needed = {"pause of C1 > 1099.1 ms before its DEL"};
  example.irrelevant = {"C2's TTL", "retry delay", "where in the section"};
  example.nearest = "the pause of C1 (1099.1 ms)";
  example.critical =
      "step 14 of 52, C2 sends SET at 1100.000 ms: 4 % of redrawn schedules fail before it, 100 % "
      "after it";
  example.scripts = {
      "if redis.call('get', KEYS[1]) == ARGV[1] then\n  return redis.call('del', KEYS[1])\nend"};
  example.also = {"LK003 for 200.4 ms; expected in class arbitrary: no lease length prevents it"};
  example.hints = {"compare the token and delete in one script"};
  example.violating_runs = 214;
  example.total_runs = 10'000;
  example.replay = "./interlock replay 'v1:acme.job-lock:redis.d2:s8f3a:kQb7'";
  example.debug =
      "gdb --args build/release/bin/interlock replay --break "
      "'v1:acme.job-lock:redis.d2:s8f3a:kQb7'";
  example.record = Record{0x0123456789abcdef, 52, 48, 26, "00c0ffee89abcdef"};
  example.program =
      R"({"workload":{"clients":2},"faults":[{"pause_ns":1300000000}],"tape":[0,3,1]})";
  return example;
}

Counterexample Exchange() {
  Counterexample example = ForeignRelease();
  example.columns = {"C1", "C2", "redis"};
  constexpr RowKind kEvent = RowKind::kEvent;
  constexpr SpanChange kNone = SpanChange::kNone;
  using Part = MessagePart;
  example.rows = {
      {0, 0, "try", kEvent, SpanChange::kAskBegin},
      {0, 0, "SET k a ▸", kEvent, kNone, Part::kSend, 1},
      {0, 2, "C1: SET", kEvent, kNone, Part::kExecute, 1},
      {0, 2, "  = OK", kEvent, kNone, Part::kReply, 1},
      {0, 0, "◂ OK", kEvent, kNone, Part::kReceive, 1},
      {0, 0, "granted", kEvent, SpanChange::kAskEnd},
      {0, 0, "enter section", kEvent, SpanChange::kSectionBegin},
      {100, 0, "FAULT pause 900 ns", RowKind::kFault, SpanChange::kPauseBegin},
      {200, 1, "wait-for", kEvent, SpanChange::kAskBegin},
      {200, 1, "GET k ▸", kEvent, kNone, Part::kSend, 2},
      {250, 1, "SET k b ▸", kEvent, kNone, Part::kSend, 3},
      {300, 2, "C2: GET", kEvent, kNone, Part::kExecute, 2},
      {300, 2, "  = a", kEvent, kNone, Part::kReply, 2},
      {350, 1, "◂ a", kEvent, kNone, Part::kReceive, 2},
      {400, 2, "k expired", kEvent, kNone},
      {450, 2, "C2: SET", kEvent, kNone, Part::kExecute, 3},
      {450, 2, "  = OK", kEvent, kNone, Part::kReply, 3},
      {500, 1, "◂ OK", kEvent, kNone, Part::kReceive, 3},
      {500, 1, "granted", kEvent, SpanChange::kAskEnd},
      {500, 1, "enter section", kEvent, SpanChange::kSectionBegin},
      {500, 1, "LK003 section-exclusion", RowKind::kViolation, kNone},
      {600, 1, "PING ▸", kEvent, kNone, Part::kSend, 4, true},
      {700, 1, "GET k ▸", kEvent, kNone, Part::kSend, 5},
      {750, 2, "C2: GET", kEvent, kNone, Part::kExecute, 5},
      {750, 2, "  = b", kEvent, kNone, Part::kReply, 5, true},
      {1000, 0, "resumed", kEvent, SpanChange::kPauseEnd},
      {1000, 0, "leave section", kEvent, SpanChange::kSectionEnd},
  };
  constexpr StretchKind kBelief = StretchKind::kBelief;
  constexpr StretchKind kOwner = StretchKind::kOwner;
  example.stretches = {
      {kBelief, 0, "k", 0, 400},           {kBelief, 0, "k", 400, 400},
      {kBelief, 0, "k", 400, 900},         {kBelief, 1, "k", 500, std::nullopt},
      {kOwner, 0, "k", 0, 460, "expired"}, {kOwner, 1, "k", 450, std::nullopt},
  };
  return example;
}

std::string HostileText() {
  std::string text = "<a b=\"1\" c='2'>&]]>\n::error file=x::owned\n##[group]\r\n\t";
  text += "\x1b[2J\x07\x7f\xc2\x9b";                   // C0, DEL and a C1 control
  text += "\xe2\x80\xae\xe2\x80\xa8\xef\xbb\xbf";      // override, line separator, byte order mark
  text += "\xff\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80";  // four kinds of broken UTF-8
  text += "\xef\xbf\xbf \xc3";                         // U+FFFF, and a cut-off character
  text.push_back('\0');
  return text + "\\end";
}

RunReport HostileReport(const std::string& hostile) {
  RunReport report = MixedReport();
  report.tool = {hostile, hostile, hostile};
  report.backend = hostile;
  report.notes = {hostile};
  for (ResultRow& row : report.results) {
    row.lock = hostile;
    row.scenario = hostile;
    row.code = hostile;
    row.property = hostile;
    row.reason = hostile;
    row.replay = hostile;
    row.counterexample = hostile;
  }
  for (GoalCount& goal : report.goals) goal.name = hostile;
  return report;
}

Counterexample HostileCounterexample(const std::string& hostile) {
  Counterexample example = ForeignRelease();
  for (std::string* text :
       {&example.code, &example.property, &example.title, &example.sentence, &example.lock,
        &example.scenario, &example.replay, &example.program, &example.nearest, &example.critical,
        &example.debug, &example.record->digests}) {
    *text = hostile;
  }
  for (std::vector<std::string>* list :
       {&example.columns, &example.faults, &example.needed, &example.irrelevant, &example.also,
        &example.hints, &example.scripts}) {
    for (std::string& text : *list) text = hostile;
  }
  for (TableRow& row : example.rows) row.text = hostile;
  example.stretches = {{StretchKind::kOwner, 0, hostile, 5, 5, hostile}};
  return example;
}

bool HaveXmllint() { return !std::string_view(INTERLOCK_XMLLINT).empty(); }

std::string XmllintComplaint(std::string_view xml) {
  if (!HaveXmllint()) return "";
  namespace fs = std::filesystem;
  const fs::path path =
      fs::temp_directory_path() / ("interlock-xml-" + std::to_string(::getpid()) + ".xml");
  std::ofstream(path, std::ios::binary) << xml;
  const std::string command = std::string(INTERLOCK_XMLLINT) +
                              " --nonet --noout --huge --schema '" INTERLOCK_SCHEMAS
                              "/junit.xsd' '" +
                              path.string() + "' 2>&1";
  std::ostringstream said;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "cannot start xmllint";
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) said.put(static_cast<char>(c));
  const int status = ::pclose(pipe);
  fs::remove(path);
  return status == 0 ? "" : "xmllint: " + said.str();
}

}  // namespace interlock::reports
