// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/gated_world.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/log/words.h"
#include "scenarios/run/foreign/words.h"

namespace interlock::scenarios::drive {
namespace {

constexpr std::int64_t kCommandUs = 1'000;
/// The difference to allow between a client's clock and the servers'.
constexpr std::int64_t kClocksApartMs = 2;
constexpr std::int64_t kMachinesClocksApartMs = 2'000;
/// After this number of equal refusals in a row a client holds nothing, or is refused for good.
constexpr std::uint64_t kRefused = 3;

}  // namespace

GatedWorld::GatedWorld(const DriveOptions& options, std::int64_t epoch_us,
                       sim::machine::VirtualClock* clock)
    : clients_(options.clients),
      epoch_us_(epoch_us),
      clock_(clock),
      gate_(options, epoch_us),
      holds_(options.clients, options.pattern,
             clock != nullptr ? kClocksApartMs : kMachinesClocksApartMs, findings_),
      grant_order_(options.clients),
      sections_(options.permits, findings_),
      fencing_(options.clients, options.permits, gate_.nodes().places() == 1, grant_order_,
               findings_),
      renewals_(options.clients, findings_),
      refusals_(options.clients),
      alive_(static_cast<std::size_t>(options.clients), true),
      sent_before_(static_cast<std::size_t>(options.clients)) {
  // By the machine's clock, a busy machine makes a client late.
  if (clock == nullptr) renewals_.DisturbedAll();
}

void GatedWorld::Disturbed(sim::FaultKind kind, int client) {
  using Kind = sim::FaultKind;
  const bool moves =
      kind == Kind::kReshard || kind == Kind::kSlotMigration || kind == Kind::kLateClaim;
  const bool meets_all =
      moves || kind == Kind::kFailover || kind == Kind::kExpiry || kind == Kind::kScriptFlush;
  meets_all ? renewals_.DisturbedAll() : renewals_.Disturbed(client);
  if (kind == Kind::kFailover) DelayAll();
  // While slots move, NoteExpired() sees to it. A broken connection is told at once.
  const bool on_time = moves || kind == Kind::kScriptFlush || kind == Kind::kClientClockJump ||
                       kind == Kind::kClientClockRate || kind == Kind::kResetBefore ||
                       kind == Kind::kResetAfter;
  if (!on_time) holds_.Delayed(client);
}

void GatedWorld::DelayAll() {
  for (int client = 0; client < clients_; ++client) holds_.Delayed(client);
}

std::vector<std::string> GatedWorld::FailOver(int node, int client) {
  return JudgeAcross(gate_.nodes().PlaceOf(node), client, [&] { gate_.FailOver(node); });
}

void GatedWorld::BeginMove(sim::FaultKind how, int client) {
  mover_ = client;
  gate_.BeginMove(how);
  NoteAnswers();
}

void GatedWorld::EndMove() {
  if (!gate_.nodes().moving()) return;
  constexpr int kPlace = 0;  // A cluster is one.
  DelayAll();
  const auto end = [this] {
    if (gate_.EndMove()) Log(-1, EventKind::kFault, FaultDetails{"the slots have moved"});
  };
  for (const std::string& key : JudgeAcross(kPlace, mover_, end)) {
    Log(-1, EventKind::kFault, FaultDetails{key + " is lost"});
  }
}

/// Changes the servers, judges what their data are then, and returns the keys that are lost, or
/// what they were before. What appears is the client's, unless it is known to be another's.
std::vector<std::string> GatedWorld::JudgeAcross(int place, int client,
                                                 const std::function<void()>& change) {
  const HeldMap before = gate_.nodes().DataAt(place);
  change();
  NoteAnswers();
  const HeldMap now = gate_.nodes().DataAt(place);
  HeldMap kept;
  sim::redis::Argv keys;
  for (const auto& [id, data] : now) {
    keys.push_back(id.key);
    const auto was = before.find(id);
    const bool same = was != before.end() && was->second.value == data.value &&
                      was->second.key_end_ms == data.key_end_ms;
    if (same) kept.emplace(id, data);
  }
  std::vector<std::string> lost;
  for (const KeyDetails& key : holds_.Expired(place, kept, now_ms())) lost.push_back(key.key);
  // What a replica, or a copy, has of before belongs to whoever wrote it: a lock that was released
  // since, too.
  if (kept.size() < now.size()) holds_.After(client, place, keys, {}, now, now_ms());
  NoteChanges();
  return lost;
}

void GatedWorld::Ended(int client, bool killed) {
  const std::uint64_t times = refusals_.WhileFree(client);
  if (!killed && times >= kRefused) {
    given_up_.push_back(
        {"spurious-refusal", fmt::format("{} was refused {} times while nobody held the lock, and "
                                         "no lease was left to end, and ended without it",
                                         ClientName(client), times)});
  }
  holds_.Ended(client, ExitOf(client, sections_, killed, renewals_.IsDisturbed(client)));
  sections_.Ended(client);
  alive_[static_cast<std::size_t>(client)] = false;
  ++ended_;
  if (killed) Log(client, EventKind::kDied, EndDetails{});
}

void GatedWorld::AllEnded() {
  const std::size_t before = findings_.size();
  holds_.LeftBehind(true);
  // Data left behind are the reason for refusals, which are then not reported.
  if (findings_.size() == before && !given_up_.empty()) findings_.push_back(given_up_.front());
}

bool GatedWorld::IsConcerned(int client) const {
  return sections_.Inside(client) || holds_.Owns(client) || IsAsking(client);
}

bool GatedWorld::IsAsking(int client) const {
  return refusals_.Asks(client) || holds_.asked().IsRefused(client) || gate_.IsBlocked(client) ||
         gate_.IsSubscribed(client);
}

/// Whether everybody else has ended or is refused, too, and no lease or other key will end.
bool GatedWorld::NobodyHoldsBut(int asker) const {
  if (holds_.NextEnd()) return false;
  for (int client = 0; client < clients_; ++client) {
    if (sections_.Inside(client)) return false;
    if (client == asker || !alive_[static_cast<std::size_t>(client)]) continue;
    if (refusals_.InARow(client) < kRefused) return false;
  }
  return true;
}

bool GatedWorld::Poll(Duration at_most) {
  const bool any = gate_.Poll(at_most);
  NoteAnswers();
  return any;
}

void GatedWorld::NoteAnswers() {
  for (const Answer& answer : gate_.TakeAnswers()) {
    Log(answer.client, EventKind::kReply, ReplyDetails{.text = answer.text});
    refusals_.Answered(answer.client, answer.text);
    refusals_.NoteFree(answer.client, NobodyHoldsBut(answer.client));
  }
}

bool GatedWorld::NoteExpired() {
  NoteAnswers();
  // Whoever is told TRYAGAIN, or waits, may come too late to prolong what it has.
  if (gate_.nodes().moving()) DelayAll();
  bool any = false;
  for (int place = 0; place < gate_.nodes().places(); ++place) {
    for (KeyDetails& expired : holds_.Expired(place, gate_.nodes().DataAt(place), now_ms())) {
      Log(-1, EventKind::kExpired, std::move(expired));
      any = true;
    }
  }
  NoteChanges();
  return any;
}

void GatedWorld::NoteChanges() {
  for (const HoldChange& change : holds_.TakeChanges()) {
    grant_order_.Note(change);
    renewals_.Note(change, sections_.Inside(change.client), now_ms());
  }
}

bool GatedWorld::Perform(const Parked& parked, Gate::Outcome outcome, std::int64_t limit_us) {
  const sim::redis::Argv argv = *parked.argv;
  acting_ = parked.client;
  AdvanceTo(std::min(gate_.time_us() + kCommandUs, limit_us));
  acting_ = kNobody;
  Log(parked.client, EventKind::kSend, SendDetails{.command = sim::redis::ToText(argv)});
  const sim::redis::Server& server = gate_.nodes().server(parked.node);
  const std::uint64_t changes = server.changes();
  const int place = gate_.nodes().PlaceOf(parked.node);
  refusals_.Sent(parked.client, argv);
  const auto write = Writes(argv);
  const bool accepted = write && gate_.resources().Accepts(*write);
  gate_.Release(parked.connection, outcome);
  if (gate_.IsBlocked(parked.client)) refusals_.Blocked(parked.client);
  NoteAnswers();
  holds_.After(parked.client, place, argv, gate_.TakeEffects(), gate_.nodes().DataAt(place),
               now_ms());
  NoteChanges();
  if (write && outcome != Gate::Outcome::kRequestLost) {
    return Write(parked.client, *write, accepted);
  }
  const bool told =
      (outcome == Gate::Outcome::kAnswered || outcome == Gate::Outcome::kReplyWithheld) &&
      Report(parked.client, argv);
  return told || server.changes() != changes;
}

bool GatedWorld::Report(int client, const sim::redis::Argv& argv) {
  const auto enters = Enters(argv);
  const auto leaves = Leaves(argv);
  if (enters) {
    if (!sections_.Inside(client)) {
      fencing_.Entered(client, *enters);
      holds_.SetInside(client, true);
    }
    const int number = sections_.Enter(client, *enters, holds_.Excused(now_ms()));
    Log(client, EventKind::kEnter, {}, number);
    holds_.Entered(client);
    grant_order_.Entered(client);
    refusals_.Entered(client);
  }
  if (leaves) {
    const bool was_inside = sections_.Inside(client);
    Log(client, EventKind::kLeave, {}, sections_.Leave(client, *leaves));
    refusals_.Left(client);
    if (was_inside && !sections_.Inside(client)) {
      grant_order_.Left(client);
      fencing_.Left(client);
      holds_.SetInside(client, false);
    }
  }
  return enters || leaves;
}

bool GatedWorld::Write(int client, const GuardedWrite& write, bool accepted) {
  Log(client, EventKind::kReply,
      ReplyDetails{.text = accepted ? "accepted" : "refused: it has seen a larger token"});
  fencing_.Wrote(client, write, accepted);
  return accepted;
}

void GatedWorld::SetTime(std::int64_t unix_us) {
  const std::int64_t later_us = std::max(gate_.time_us(), unix_us);
  const std::int64_t passed_us = later_us - gate_.time_us();
  for (int client = 0; passed_us > 0 && client < clients_; ++client) {
    sent_before_[static_cast<std::size_t>(client)] = gate_.executed(client);
    if (client != acting_ && gate_.HasParked(client)) holds_.Waited(client, passed_us);
  }
  gate_.SetTime(later_us);
  if (clock_ != nullptr) clock_->SetTime(later_us);
}

void GatedWorld::ClaimBefore(std::int64_t unix_us) {
  const auto claim_by_us = gate_.nodes().ClaimByUs();
  if (!claim_by_us || unix_us < *claim_by_us) return;
  SetTime(*claim_by_us);
  NoteExpired();
  EndMove();
}

bool GatedWorld::AdvanceTo(std::int64_t unix_us) {
  ClaimBefore(unix_us);
  SetTime(unix_us);
  return NoteExpired();
}

void GatedWorld::ExpireByForce(const std::vector<bool>& owners) {
  const auto end = holds_.NextEnd(owners);
  if (!end) return;
  holds_.SetByForce(true);
  ClaimBefore(end->past_us());
  SetTime(end->past_us());
  NoteExpired();
  holds_.SetByForce(false);
}

bool GatedWorld::NothingEnds() const { return !holds_.NextEnd() && !gate_.NextTimerUs(); }

void GatedWorld::Log(int client, EventKind kind, EventDetails details, int resource) {
  events_.push_back({now(), now(), client, resource, kind, std::move(details)});
}

void GatedWorld::TakeFindings(DriveRun& run) {
  for (Finding& finding : findings_) {
    finding.events = events_.size();
    run.findings.push_back(std::move(finding));
  }
  findings_.clear();
}

}  // namespace interlock::scenarios::drive
