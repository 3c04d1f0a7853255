// SPDX-License-Identifier: MIT
#include "scenarios/drive/gated_world.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "scenarios/drive/words.h"
#include "scenarios/oracles/words.h"

namespace interlock::scenarios::drive {
namespace {

constexpr std::int64_t kCommandUs = 1'000;

}  // namespace

GatedWorld::GatedWorld(const DriveOptions& options, std::int64_t epoch_us)
    : clients_(options.clients),
      epoch_us_(epoch_us),
      gate_(options.clients, options.nodes, epoch_us),
      holds_(options.clients, options.pattern, options.permits) {}

void GatedWorld::Poll(Duration at_most) {
  gate_.Poll(at_most);
  NoteAnswers();
}

void GatedWorld::NoteAnswers() {
  for (const Answer& answer : gate_.TakeAnswers()) Row(answer.client, "= " + answer.text);
}

bool GatedWorld::NoteExpired() {
  NoteAnswers();
  bool any = false;
  for (int node = 0; node < gate_.nodes(); ++node) {
    for (const std::string& key : holds_.Expired(node, gate_.server(node), now_ms())) {
      Row(clients_, key + " expired");
      any = true;
    }
  }
  return any;
}

bool GatedWorld::Perform(const Parked& parked, Gate::Outcome outcome,
                         const std::vector<bool>& kept) {
  const sim::redis::Argv argv = *parked.argv;
  AdvanceTo(gate_.time_us() + kCommandUs, kept);
  Row(parked.client, sim::redis::ToText(argv));
  sim::redis::Server& server = gate_.server(parked.node);
  const std::uint64_t changes = server.changes();
  gate_.Release(parked.connection, outcome);
  NoteAnswers();
  holds_.After(parked.client, parked.node, argv, server, now_ms());
  const bool told = outcome == Gate::Outcome::kAnswered && Report(parked.client, argv);
  return told || server.changes() != changes;
}

bool GatedWorld::Report(int client, const sim::redis::Argv& argv) {
  const auto enters = Enters(argv);
  const auto leaves = Leaves(argv);
  if (enters) holds_.Enter(client, *enters);
  if (leaves) holds_.Leave(client, *leaves);
  if (enters) rows_.back().span = reports::SpanChange::kSectionBegin;
  if (leaves) rows_.back().span = reports::SpanChange::kSectionEnd;
  return enters || leaves;
}

bool GatedWorld::AdvanceTo(std::int64_t unix_us, const std::vector<bool>& kept) {
  const auto end_ms = holds_.NextEndMs(kept);
  const std::int64_t until_us = end_ms ? std::min(unix_us, *end_ms * 1'000 - 1) : unix_us;
  gate_.SetTime(std::max(gate_.time_us(), until_us));
  return NoteExpired();
}

void GatedWorld::ExpireByForce(const std::vector<bool>& owners) {
  const auto end_ms = holds_.NextEndMs(owners);
  if (!end_ms) return;
  holds_.SetByForce(true);
  gate_.SetTime(std::max(gate_.time_us(), (*end_ms + 1) * 1'000));
  NoteExpired();
  holds_.SetByForce(false);
}

bool GatedWorld::NothingEnds() const {
  return !holds_.NextEndMs() && !gate_.NextTimerUs() && !holds_.WaitsForATime(now_ms());
}

void GatedWorld::Row(int column, std::string text, reports::RowKind kind,
                     reports::SpanChange span) {
  reports::TableRow row;
  row.time_ns = now().count();
  row.column = static_cast<std::size_t>(column);
  row.text = std::move(text);
  row.kind = kind;
  row.span = span;
  rows_.push_back(std::move(row));
}

void GatedWorld::TakeFindings(DriveRun& run) {
  for (std::size_t i = run.findings.size(); i < holds_.findings().size(); ++i) {
    run.findings.push_back(holds_.findings()[i]);
    run.findings.back().row = rows_.size();
  }
}

Finding DeadlockOf(const std::vector<int>& waiting, std::string_view what,
                   const std::vector<DriveFault>& faults, std::size_t row) {
  std::string names;
  for (const int one : waiting) names += (names.empty() ? "" : " and ") + Client(one);
  std::string dead;
  for (const DriveFault& fault : faults) {
    if (fault.kind == sim::FaultKind::kCrash) dead = ", since the crash of " + Client(fault.client);
  }
  return {"deadlock", fmt::format("{} {}{}", names, what, dead), row};
}

}  // namespace interlock::scenarios::drive
