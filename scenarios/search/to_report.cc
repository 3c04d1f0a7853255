// SPDX-License-Identifier: MIT
#include "scenarios/search/to_report.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "scenarios/cases/server_words.h"
#include "scenarios/judge/demanded.h"
#include "scenarios/judge/property.h"
#include "scenarios/log/event_rows.h"
#include "scenarios/log/stretches.h"
#include "scenarios/log/words.h"
#include "scenarios/search/shrink/explain.h"
#include "scenarios/search/shrink/trial.h"

namespace interlock::scenarios {
namespace {

/// "LK005 foreign-release".
std::string Label(Judged property) { return fmt::format("{} {}", Code(property), Slug(property)); }

using reports::Counterexample;

std::int64_t Microseconds(Duration length) { return length.count() / 1000; }

using Json = nlohmann::ordered_json;

Json ToJson(const Operation& operation) {
  return {{"ask", ToString(operation.ask)},
          {"think_us", Microseconds(operation.think)},
          {"wait_us", Microseconds(operation.wait)},
          {"hold_us", Microseconds(operation.hold)},
          {"extend", operation.extend},
          {"inside", operation.inside},
          {"outlives", operation.outlives},
          {"drops", operation.drops},
          {"shared", operation.shared},
          {"heedless", operation.heedless},
          {"stall_us", Microseconds(operation.stall)},
          {"overstay_us", Microseconds(operation.overstay)},
          {"sets_limit", operation.sets_limit},
          {"resource", operation.resource},
          {"stops", operation.stops},
          {"stop_after_us", Microseconds(operation.stop_after)},
          {"forces", operation.forces}};
}

Json ToJson(const ClientPlan& client, const Workload& workload) {
  const Duration lease = client.lease.count() > 0 ? client.lease : workload.lease;
  Json json = {{"clock_rate_ppm", client.clock_rate_ppm},
               {"limit", client.limit.value_or(workload.permits)},
               {"lease_us", Microseconds(lease)},
               {"shares_objects", client.shares_objects},
               {"operations", Json::array()},
               {"faults", Json::array()}};
  for (const Operation& operation : client.operations) {
    json["operations"].push_back(ToJson(operation));
  }
  for (const PlannedFault& fault : client.faults) {
    json["faults"].push_back({{"kind", sim::ToString(fault.kind)},
                              {"step", fault.step},
                              {"length_us", Microseconds(fault.length)},
                              {"node", fault.node}});
  }
  return json;
}

/// The case as JSON, for people and programs; only the token is ever read back.
std::string ProgramJson(const Workload& workload, const std::string& token) {
  Json json = {{"token", token},
               {"lease_us", Microseconds(workload.lease)},
               {"life_us", Microseconds(workload.life)},
               {"permits", workload.permits},
               {"resources", workload.resources},
               {"latency_max_us", Microseconds(workload.latency_max)},
               {"topology", ToString(workload.topology)},
               {"nodes", workload.nodes},
               {"persistence", ToString(workload.persistence)},
               {"guard", ToString(workload.guard)},
               {"clients", Json::array()}};
  for (const ClientPlan& client : workload.clients) {
    json["clients"].push_back(ToJson(client, workload));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Keeps a digest only every `stride` steps, so that a long run does not make a long file.
reports::Record RecordOf(const RunResult& run, const Violation* violation) {
  constexpr std::uint64_t kMostDigests = 2048;
  reports::Record record;
  record.trace_hash = run.trace_hash;
  for (const sim::TraceEvent& event : run.events) record.steps = std::max(record.steps, event.step);
  if (violation != nullptr) record.violating_step = ViolatingStep(run, *violation);
  record.stride = std::max<std::uint64_t>(1, (record.steps + kMostDigests - 1) / kMostDigests);
  for (const sim::TraceEvent& event : run.events) {
    if (event.step == 0 || event.step % record.stride != 0) continue;
    record.digests += fmt::format("{:08x}", event.hash & 0xffffffffU);
  }
  return record;
}

/// The other violations of the run, each property once, with a remark if nobody can promise it
/// here.
std::vector<std::string> OthersIn(const RunResult& run, Judged named, const RunCase& run_case) {
  const harness::Traits traits = run_case.subject->traits();
  std::vector<std::string> others;
  PerJudged<bool> said;
  for (const Violation& other : run.violations) {
    if (other.property == named || std::exchange(said[other.property], true)) continue;
    const std::string_view why =
        WhyNotPromised(other.property, *run_case.scenario, run_case.synchrony, traits);
    others.push_back(fmt::format("{} {}: {}{}", Code(other.property), Slug(other.property),
                                 other.what,
                                 why.empty() ? "" : fmt::format(" Expected here: {}.", why)));
  }
  return others;
}

/// The index of the property's usual fix that fits the run: the first, unless the events tell more.
std::size_t HintFor(const RunResult& run, const Violation& violation) {
  std::string last;  // commands of the client at fault
  std::string before_last;
  bool server_lost_data = false;
  for (const sim::TraceEvent& event : run.events) {
    if (event.time > violation.at) break;
    if (event.kind == sim::TraceKind::kFault) {
      const sim::FaultInfo* info = sim::FindFault(event.text.substr(0, event.text.find(' ')));
      server_lost_data =
          server_lost_data || (info != nullptr && info->family == sim::FaultFamily::kServer);
    }
    if (event.kind != sim::TraceKind::kSend || event.process != violation.client) continue;
    before_last = std::exchange(last, event.text.substr(0, event.text.find(' ')));
  }
  // The client did check the owner, but in a separate step.
  if (violation.property == Judged::kForeignRelease && last == "DEL" && before_last == "GET") {
    return 1;
  }
  // The server lost the lock rather than granting it carelessly.
  return violation.property == Judged::kServerExclusion && server_lost_data ? 1 : 0;
}

std::array<std::string_view, 3> HintsFor(const RunCase& run_case, Judged property) {
  return PropertyOf(property).ReadingOf(run_case.subject->traits().kind).fixes;
}

/// The part of a counterexample that is known before its run.
Counterexample Named(const Found& found) {
  const harness::Traits traits = found.unit.entry->subject->traits();
  Counterexample counterexample;
  const Property& property = PropertyOf(found.property);
  counterexample.code = property.code;
  counterexample.property = property.slug;
  counterexample.lock = found.unit.entry->subject->name();
  counterexample.scenario = found.unit.scenario->name;
  counterexample.synchrony = found.unit.synchrony;
  counterexample.title = property.ReadingOf(traits.kind).headline;
  const std::size_t clients = found.workload.clients.size();
  for (std::size_t i = 0; i < clients; ++i) {
    const int process = ProcessOf(found.workload, static_cast<int>(i));
    const bool shares = process != static_cast<int>(i);
    counterexample.columns.push_back(
        ClientName(static_cast<int>(i)) +
        (shares ? fmt::format(" (in {}'s process)", ClientName(process)) : ""));
  }
  const auto probes = static_cast<std::size_t>(found.workload.permits) *
                      static_cast<std::size_t>(found.workload.resources);
  for (std::size_t i = 0; i < probes; ++i) {
    counterexample.columns.push_back(ClientName(static_cast<int>(clients + i)) + " (probe)");
  }
  counterexample.columns.emplace_back("redis");
  return counterexample;
}

/// Adds what can be found out only by trying other runs, the costly part.
void AddTried(sim::Universe& universe, const RunCase& run_case, const Found& found,
              const RunResult& run, const std::atomic<bool>* stop, Counterexample& counterexample) {
  constexpr int kBudget = 4000;  // runs
  Explanation tried = ExplainByTrying(universe, run_case, {found.workload, found.tape}, run,
                                      found.property, kBudget, stop);
  counterexample.needed = std::move(tried.needed);
  counterexample.irrelevant = std::move(tried.irrelevant);
  counterexample.nearest = std::move(tried.nearest);
  counterexample.critical = std::move(tried.critical);
}

/// A debugger needs the binary: `./interlock` in the root of the checkout is a wrapper script.
std::string_view Binary(std::string_view program) {
  return program == "./interlock" ? "build/release/bin/interlock" : program;
}

}  // namespace

std::string FaultLine(int client, const PlannedFault& fault) {
  const std::string who =
      fmt::format("{} at step {}: {}", ClientName(client), fault.step, sim::ToString(fault.kind));
  const sim::FaultInfo* info = sim::FindFault(fault.kind);
  if (fault.kind == sim::FaultKind::kExpiry) {
    return fmt::format("{} (stands still until {} us after the nearest key deadline)", who,
                       Microseconds(fault.length));
  }
  const std::string where =
      info != nullptr && info->uses_node ? fmt::format(" of node {}", fault.node) : "";
  switch (info != nullptr ? info->length() : sim::FaultLength::kUnused) {
    case sim::FaultLength::kUnused:
      break;
    case sim::FaultLength::kDuration:
      return fmt::format("{}{} for {}", who, where, Instant(fault.length));
    case sim::FaultLength::kSigned:
      return fmt::format("{}{} by {} us", who, where, Microseconds(fault.length));
    case sim::FaultLength::kPpm:
      return fmt::format("{}{} of {} ppm", who, where, fault.length.count());
  }
  return who + where;
}

void TellServer(const sim::redis::Dialect& server, reports::RunReport& report) {
  report.backend = BackendOf(server);
  if (auto why = WhyUnproven(server)) report.notes.push_back(*std::move(why));
}

void NoteUnproven(reports::RunReport& report) {
  for (const reports::ResultRow& row : report.results) {
    const Scenario* scenario = FindScenario(row.scenario);
    auto why = scenario == nullptr ? std::nullopt : WhyUnproven(*scenario->server);
    if (!why || std::ranges::find(report.notes, *why) != report.notes.end()) continue;
    report.notes.push_back(*std::move(why));
  }
}

std::string ReplayCommand(std::string_view program, std::string_view token) {
  if (program.empty()) return std::string(token);
  return fmt::format("{} replay '{}'", program, token);
}

void CompleteCounterexample(const Found& found, std::string_view program,
                            Counterexample& counterexample) {
  counterexample.faults.clear();
  int client = 0;
  for (const ClientPlan& plan : found.workload.clients) {
    for (const PlannedFault& fault : plan.faults) {
      counterexample.faults.push_back(FaultLine(client, fault));
    }
    ++client;
  }
  counterexample.shrunk.now = SizeOf({found.workload, found.tape});
  counterexample.shrunk.original = SizeOf({found.original, found.original_tape});
  counterexample.shrunk.shrinks = static_cast<std::uint64_t>(found.shrinks);
  counterexample.shrunk.time = found.shrink_time;
  counterexample.violating_runs = found.violating_runs;
  counterexample.total_runs = found.runs;
  counterexample.caller = program;
  counterexample.replay = ReplayCommand(program, found.token);
  if (!program.empty()) {
    counterexample.debug =
        fmt::format("gdb --args {} replay --break '{}'", Binary(program), found.token);
  }
  counterexample.program = ProgramJson(found.workload, found.token);
}

Counterexample ExplainPartly(const Found& found, const RunResult& run, std::string sentence,
                             std::string_view program, int client) {
  const RunCase run_case = CaseOf(found.unit);
  Counterexample counterexample = Named(found);
  const auto columns = counterexample.columns.size();
  counterexample.sentence = std::move(sentence);
  for (const std::string_view hint : HintsFor(run_case, found.property)) {
    if (!hint.empty()) counterexample.hints.emplace_back(hint);
  }
  Violation violation;
  violation.property = found.property;
  violation.what = counterexample.sentence;
  const auto known = static_cast<std::size_t>(client) + 1 < columns;
  violation.client = client >= 0 && known ? client : -1;
  for (const sim::TraceEvent& event : run.events) {
    violation.at = std::max(violation.at, event.time);
    // A damaged box may name a process that has no column; the table is then left out.
    if (event.process >= 0 && static_cast<std::size_t>(event.process) + 1 >= columns) {
      violation.at = sim::VirtualTime(-1);
      break;
    }
  }
  if (!run.events.empty() && violation.at >= sim::VirtualTime{}) {
    EventTable table = TableOf(run, violation, Label(violation.property), columns - 1);
    counterexample.rows = std::move(table.rows);
    counterexample.scripts = std::move(table.scripts);
  }
  CompleteCounterexample(found, program, counterexample);
  return counterexample;
}

Explained Explain(const Found& found, std::string_view program, Effort effort,
                  const std::atomic<bool>* stop) {
  const RunCase run_case = CaseOf(found.unit);
  sim::Universe universe;
  sim::Choices choices = sim::Choices::FromTape(found.tape);
  const RunResult run = RunOnce(universe, run_case, found.workload, choices, true);

  Explained explained;
  explained.trace_hash = run.trace_hash;
  Counterexample& counterexample = explained.counterexample;
  counterexample = Named(found);
  const std::size_t server = counterexample.columns.size() - 1;
  const Violation* violation = run.Find(found.property);
  if (violation != nullptr) {
    counterexample.sentence = violation->what;
    counterexample.hints.emplace_back(HintsFor(run_case, found.property)[HintFor(run, *violation)]);
    EventTable table = TableOf(run, *violation, Label(violation->property), server);
    counterexample.rows = std::move(table.rows);
    counterexample.scripts = std::move(table.scripts);
    counterexample.stretches = StretchesOf(run, counterexample.rows);
    if (effort == Effort::kTry) AddTried(universe, run_case, found, run, stop, counterexample);
  }
  counterexample.record = RecordOf(run, violation);
  counterexample.also = OthersIn(run, found.property, run_case);
  CompleteCounterexample(found, program, counterexample);
  return explained;
}

}  // namespace interlock::scenarios
