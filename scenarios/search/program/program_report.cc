// SPDX-License-Identifier: MIT
#include "scenarios/search/program/program_report.h"

#include <utility>

#include <fmt/format.h>

#include "reports/text_writer.h"
#include "scenarios/log/event_rows.h"
#include "scenarios/log/words.h"
#include "scenarios/search/shrink/parts.h"
#include "scenarios/search/shrink/passes.h"
#include "scenarios/search/to_report.h"

namespace interlock::scenarios {
namespace {

reports::Size SizeOf(const ProgramCase& one, const ProgramResult& run) {
  reports::Size size;
  size.clients = one.workload.clients.size();
  size.faults = FaultPlaces(one.workload).size();
  size.operations = run.commands + run.notes;
  size.switches = SwitchesIn(one.tape);
  return size;
}

ProgramResult RunOf(const harness::Program& program, const ProgramCase& one, bool keep_events) {
  sim::Universe universe;
  sim::Choices choices = sim::Choices::FromTape(one.tape);
  return RunProgram(universe, program, one.workload, choices, keep_events);
}

/// Rows at a server name the client, and the setup is none: its own column shows what it did.
std::vector<sim::TraceEvent> WithoutSetupAtServers(std::vector<sim::TraceEvent> events, int setup) {
  std::erase_if(events, [setup](const sim::TraceEvent& event) {
    return event.process == setup &&
           (event.kind == sim::TraceKind::kExecute || event.kind == sim::TraceKind::kReply);
  });
  return events;
}

}  // namespace

std::vector<std::string> FaultLines(const Workload& workload) {
  std::vector<std::string> lines;
  for (const Place place : FaultPlaces(workload)) {
    lines.push_back(FaultLine(static_cast<int>(place.client),
                              workload.clients[place.client].faults[place.index]));
  }
  return lines;
}

reports::Counterexample CounterexampleOf(const harness::Program& program, const ProgramCase& one,
                                         const ProgramResult& run) {
  const Breach& breach = *run.breach;
  reports::Counterexample example;
  example.code = "violated:";
  example.property = NameOf(breach, program);
  example.title = example.property;
  example.sentence = breach.what;
  example.lock = program.name;
  example.scenario = "simulate";
  example.synchrony = SynchronyClass::kArbitrary;
  for (std::size_t i = 0; i < program.clients.size(); ++i) {
    example.columns.push_back(ClientName(static_cast<int>(i)));
  }
  if (program.setup) example.columns.emplace_back("setup");
  example.columns.emplace_back("redis");
  RunResult shown;
  shown.events = WithoutSetupAtServers(run.events, static_cast<int>(program.clients.size()));
  Violation violation;
  violation.at = breach.at;
  violation.client = breach.client;
  EventTable table = TableOf(shown, violation, example.property, example.columns.size() - 1);
  example.rows = std::move(table.rows);
  example.scripts = std::move(table.scripts);
  example.faults = FaultLines(one.workload);
  example.shrunk.now = SizeOf(one, run);
  example.caller.clear();
  return example;
}

reports::Counterexample CounterexampleOf(const harness::Program& program,
                                         const ProgramSearchResult& result) {
  const FoundBreach& found = *result.found;
  const ProgramCase& smallest = found.shrunk.smallest;
  reports::Counterexample example =
      CounterexampleOf(program, smallest, RunOf(program, smallest, /*keep_events=*/true));
  example.shrunk.original =
      SizeOf(found.original, RunOf(program, found.original, /*keep_events=*/false));
  example.shrunk.shrinks = static_cast<std::uint64_t>(found.shrunk.shrinks);
  for (std::size_t i = 0; i < example.faults.size() && i < found.shrunk.needed.size(); ++i) {
    if (found.shrunk.needed[i]) example.needed.push_back(example.faults[i]);
  }
  example.violating_runs = 1;
  example.total_runs = result.runs;
  return example;
}

std::string TextOf(const reports::Counterexample& counterexample, const std::string& token) {
  return fmt::format("{} Replay:\n   interlock::harness::Replay(program, \"{}\")\n",
                     ToText(counterexample, reports::TextOptions{}), token);
}

}  // namespace interlock::scenarios
