// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/gated_world.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "scenarios/judge/words.h"
#include "scenarios/run/foreign/words.h"

namespace interlock::scenarios::drive {
namespace {

constexpr std::int64_t kCommandUs = 1'000;
/// A client's clock from the servers'.
constexpr std::int64_t kClocksApartMs = 2;
constexpr std::int64_t kMachinesClocksApartMs = 2'000;

}  // namespace

GatedWorld::GatedWorld(const DriveOptions& options, std::int64_t epoch_us,
                       sim::machine::VirtualClock* clock)
    : clients_(options.clients),
      epoch_us_(epoch_us),
      clock_(clock),
      gate_(options.clients, options.nodes, epoch_us),
      holds_(options.clients, options.pattern,
             clock != nullptr ? kClocksApartMs : kMachinesClocksApartMs, findings_),
      sections_(options.permits, findings_) {}

void GatedWorld::Ended(int client, bool killed) {
  holds_.Ended(client, killed);
  sections_.Ended(client);
  ++ended_;
}

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
    for (const std::string& ended : holds_.Expired(node, gate_.server(node), now_ms())) {
      Row(clients_, ended);
      any = true;
    }
  }
  return any;
}

bool GatedWorld::Perform(const Parked& parked, Gate::Outcome outcome, std::int64_t limit_us) {
  const sim::redis::Argv argv = *parked.argv;
  AdvanceTo(std::min(gate_.time_us() + kCommandUs, limit_us));
  Row(parked.client, sim::redis::ToText(argv));
  sim::redis::Server& server = gate_.server(parked.node);
  const std::uint64_t changes = server.changes();
  gate_.Release(parked.connection, outcome);
  NoteAnswers();
  holds_.After(parked.client, parked.node, argv, gate_.TakeEffects(), server, now_ms());
  const bool told =
      (outcome == Gate::Outcome::kAnswered || outcome == Gate::Outcome::kReplyWithheld) &&
      Report(parked.client, argv);
  return told || server.changes() != changes;
}

bool GatedWorld::Report(int client, const sim::redis::Argv& argv) {
  const auto enters = Enters(argv);
  const auto leaves = Leaves(argv);
  if (enters) sections_.Enter(client, *enters, holds_.excused());
  if (leaves) sections_.Leave(client, *leaves);
  if (enters) rows_.back().span = reports::SpanChange::kSectionBegin;
  if (leaves) rows_.back().span = reports::SpanChange::kSectionEnd;
  return enters || leaves;
}

void GatedWorld::SetTime(std::int64_t unix_us) {
  const std::int64_t later_us = std::max(gate_.time_us(), unix_us);
  gate_.SetTime(later_us);
  if (clock_ != nullptr) clock_->SetTime(later_us);
}

bool GatedWorld::AdvanceTo(std::int64_t unix_us) {
  SetTime(unix_us);
  return NoteExpired();
}

void GatedWorld::ExpireByForce(const std::vector<bool>& owners) {
  const auto end = holds_.NextEnd(owners);
  if (!end) return;
  holds_.SetByForce(true);
  SetTime(end->past_us());
  NoteExpired();
  holds_.SetByForce(false);
}

bool GatedWorld::NothingEnds() const { return !holds_.NextEnd() && !gate_.NextTimerUs(); }

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
  for (Finding& finding : findings_) {
    finding.row = rows_.size();
    run.findings.push_back(std::move(finding));
  }
  findings_.clear();
}

Finding WaitingOf(std::string_view slug, const std::vector<int>& waiting, std::string_view what,
                  const std::vector<DriveFault>& faults, std::size_t row) {
  std::string names;
  for (const int one : waiting) names += (names.empty() ? "" : " and ") + ClientName(one);
  std::string dead;
  for (const DriveFault& fault : faults) {
    if (fault.kind == sim::FaultKind::kCrash)
      dead = ", since the crash of " + ClientName(fault.client);
  }
  return {std::string(slug), fmt::format("{} {}{}", names, what, dead), row};
}

}  // namespace interlock::scenarios::drive
