// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/real/real_try.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "scenarios/log/words.h"
#include "scenarios/run/foreign/words.h"
#include "sim/machine/launch.h"
#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

using sim::redis::Argv;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// The most by which a client's clock and a server's differ on one machine.
constexpr std::int64_t kClocksApartMs = 20;
/// For all clients to be started, and to have something to send.
constexpr Duration kAllReady = std::chrono::seconds(5);
/// For a client's next command, besides the time that passes in the case.
constexpr Duration kNextCommand = std::chrono::seconds(3);
/// For a reply that is not due: the client is blocked in the server.
constexpr Duration kUntilBlocked = milliseconds(100);
constexpr Duration kGlance = milliseconds(1);
/// After as many commands that did not come, nothing is left of the case.
constexpr int kMostMissing = 3;

std::int64_t UnixMs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count();
}

}  // namespace

RealTry::RealTry(const RealTryOptions& options, const std::vector<CaseStep>& steps,
                 const std::vector<HiredisOptions>& servers, std::vector<WatchedServer*> watched)
    : options_(options),
      steps_(steps),
      watched_(std::move(watched)),
      holds_(options.clients, options.pattern, kClocksApartMs, findings_),
      sections_(options.permits, findings_),
      relay_(options.clients, servers, *this),
      alive_(static_cast<std::size_t>(options.clients), true),
      disturbed_(static_cast<std::size_t>(options.clients)),
      data_(watched_.size()),
      replies_(static_cast<std::size_t>(options.clients)) {}

void RealTry::OnPassed(const Parked& /*command*/) {}

void RealTry::OnReply(const Parked& to, const sim::redis::Value& reply, bool ordered) {
  if (ordered) replies_[static_cast<std::size_t>(to.client)] = sim::redis::ToText(reply);
}

void RealTry::Differ(std::string how) {
  if (result_.difference.empty()) result_.difference = std::move(how);
}

Result<RealTryResult> RealTry::Run() {
  if (Status begun = Begin(); !begun.ok()) return begun;
  Settle();
  for (const CaseStep& step : steps_) {
    if (Stopped() || missing_ >= kMostMissing) break;
    if (Status made = Make(step); !made.ok()) return made;
    if (!relay_.trouble().ok()) return relay_.trouble();
    at_ = step.at;
  }
  NoteEnds();
  holds_.LeftBehind(std::ranges::count(alive_, true) == 0);
  result_.findings = std::move(findings_);
  return std::move(result_);
}

Status RealTry::Begin() {
  if (Status opened = relay_.Open(); !opened.ok()) return opened;
  for (int client = 0; client < options_.clients; ++client) {
    std::vector<int> ports;
    for (int node = 0; node < relay_.nodes(); ++node) ports.push_back(relay_.port(client, node));
    auto process = sim::machine::Launch(sim::machine::CommandOf(options_.command, client), client,
                                        {ports}, {});
    if (!process.ok()) return process.status();
    processes_.push_back(*std::move(process));
  }
  return Status();
}

/// Waits until all have something to send, as in the case nobody's lease runs out while another
/// one's program starts.
void RealTry::Settle() {
  const auto limit = steady_clock::now() + kAllReady;
  while (steady_clock::now() < limit && !Stopped()) {
    relay_.Poll(kGlance);
    bool all = true;
    for (int client = 0; client < options_.clients; ++client) {
      all = all && (relay_.HasParked(client) || process(client).ended());
    }
    if (all) return;
  }
}

Status RealTry::Make(const CaseStep& step) {
  using Kind = CaseStep::Kind;
  switch (step.kind) {
    case Kind::kCommand:
      return MakeCommand(step);
    case Kind::kCrash:
      AwaitCommand(step);
      Kill(step.client);
      return Status();
    case Kind::kStop:
      AwaitCommand(step);
      Disturb(step.client);
      process(step.client).Stop();
      return Status();
    case Kind::kGoOn:
      process(step.client).Continue();
      return Status();
    case Kind::kHandOver:
      relay_.HandOver(step.client);
      return Status();
    case Kind::kForgetScripts:
      for (WatchedServer* const server : watched_) {
        if (Status forgot = server->ForgetScripts(); !forgot.ok()) return forgot;
      }
      return Status();
    case Kind::kExpiry:
    case Kind::kLapse:
      return AwaitEndOfLease(step);
    case Kind::kEnd:
      AwaitEnd(step);
      return Status();
  }
  return Status();
}

/// The command that the client has at the relay: of several the one that the case has, or else the
/// one of its first connection.
std::optional<Parked> RealTry::PickOf(const CaseStep& step) const {
  std::optional<Parked> picked;
  for (const Parked& one : relay_.parked()) {
    if (one.client != step.client) continue;
    const bool same = CaseLikeness(alike_).Commands(step.argv, *one.argv);
    if (!picked || same) picked = one;
    if (same) break;
  }
  return picked;
}

std::optional<Parked> RealTry::AwaitCommand(const CaseStep& step) {
  const auto limit = steady_clock::now() + kNextCommand + std::max(step.at - at_, Duration{});
  while (alive(step.client) && !Stopped()) {
    relay_.Poll(Duration{});
    if (relay_.HasParked(step.client)) {
      if (step.kind != CaseStep::Kind::kCommand) return relay_.parked().front();
      return PickOf(step);
    }
    NoteEnds();
    if (steady_clock::now() > limit) break;
    relay_.Poll(kGlance);
  }
  return std::nullopt;
}

Status RealTry::MakeCommand(const CaseStep& step) {
  const std::optional<Parked> parked = AwaitCommand(step);
  if (parked) return Perform(step, *parked);
  if (Stopped()) return Status();
  ++missing_;
  Differ(fmt::format("{} {}, where it sends {} in the case", ClientName(step.client),
                     alive(step.client) ? "sends nothing" : "has ended",
                     sim::redis::ToText(step.argv)));
  return Status();
}

Status RealTry::Perform(const CaseStep& step, const Parked& parked) {
  const Argv argv = *parked.argv;
  if (!alike_.Commands(step.argv, argv)) {
    Differ(fmt::format("{} sends {}, where it sends {} in the case", ClientName(step.client),
                       sim::redis::ToText(argv), sim::redis::ToText(step.argv)));
  }
  NoteEnds();
  NoteLapsed(parked.node);
  const std::string address = relay_.AddressOf(parked.connection);
  if (step.outcome != Gate::Outcome::kAnswered) Disturb(step.client);
  if (step.crashes) process(step.client).Kill();
  replies_[static_cast<std::size_t>(step.client)].clear();
  ++result_.commands;
  // What the connection has sent so far.
  WatchedServer& server = *watched_[static_cast<std::size_t>(parked.node)];
  if (auto before = server.TakeExecuted(address); !before.ok()) return before.status();
  relay_.Release(parked.connection, step.outcome);
  if (step.outcome == Gate::Outcome::kRequestLost) return Status();
  AwaitReply(parked.connection, step.reply.has_value());
  CompareReply(step, argv);
  if (Status taken = TakeIn(step.client, parked.node, argv, address); !taken.ok()) return taken;
  if (step.outcome == Gate::Outcome::kReplyLost) {
    relay_.Break(parked.connection);
  } else {
    Report(step.client, argv);
  }
  if (step.crashes) Kill(step.client);
  return Status();
}

void RealTry::AwaitReply(std::uint64_t connection, bool is_due) {
  const auto limit = steady_clock::now() + (is_due ? kNextCommand : kUntilBlocked);
  while (relay_.AwaitsReply(connection) && steady_clock::now() < limit && !Stopped()) {
    relay_.Poll(kGlance);
  }
}

void RealTry::CompareReply(const CaseStep& step, const Argv& argv) {
  const std::string& now = replies_[static_cast<std::size_t>(step.client)];
  if (IsReport(argv) || !step.reply || alike_.Replies(argv, *step.reply, now)) return;
  Differ(fmt::format("the server answers {} with {}, where it answers {} in the case",
                     sim::redis::ToText(argv), now.empty() ? "nothing" : now, *step.reply));
}

/// Judges the data after the command.
Status RealTry::TakeIn(int client, int node, const Argv& argv, const std::string& address) {
  WatchedServer& server = *watched_[static_cast<std::size_t>(node)];
  auto effects = server.TakeExecuted(address);
  if (!effects.ok()) return effects.status();
  // What a script or transaction ran stands before it, as the fake tells it.
  std::erase(*effects, argv);
  if (!IsReport(argv)) effects->push_back(argv);
  auto data = server.Read();
  if (!data.ok()) return data.status();
  // What has expired by now was not removed by the command.
  NoteLapsed(node);
  holds_.After(client, node, argv, *effects, *data, UnixMs());
  data_[static_cast<std::size_t>(node)] = *std::move(data);
  return Status();
}

void RealTry::Report(int client, const Argv& argv) {
  if (const auto entered = Enters(argv)) {
    sections_.Enter(client, *entered, holds_.Excused(UnixMs()));
    holds_.Entered(client);
  }
  if (const auto left = Leaves(argv)) sections_.Leave(client, *left);
}

/// Takes note of what has expired since the data were read, which it had not in the case.
void RealTry::NoteLapsed(int node) {
  HeldMap& data = data_[static_cast<std::size_t>(node)];
  const std::int64_t now_ms = UnixMs();
  std::erase_if(data, [now_ms](const auto& one) {
    return one.second.key_end_ms && *one.second.key_end_ms <= now_ms;
  });
  holds_.SetByForce(true);
  for (const KeyDetails& ended : holds_.Expired(node, data, now_ms)) {
    Differ(fmt::format("{} runs out earlier than in the case", ended.key));
    lapsed_.insert(ended.key);
  }
  holds_.SetByForce(false);
}

/// Whether the key is gone, or the time in it has passed.
bool RealTry::Ends(const CaseStep& step, int node, const HeldMap& data) {
  data_[static_cast<std::size_t>(node)] = data;
  const std::int64_t now_ms = UnixMs();
  bool there = false;
  for (const auto& [id, held] : data) there = there || id.key == step.key;
  bool passed = !there || lapsed_.erase(step.key) > 0;
  for (const KeyDetails& ended : holds_.Expired(node, data, now_ms)) {
    passed = passed || ended.key == step.key;
  }
  return passed;
}

Status RealTry::AwaitEndOfLease(const CaseStep& step) {
  const auto limit = steady_clock::now() + options_.longest;
  holds_.SetByForce(step.forced);
  if (step.forced && step.client >= 0) Disturb(step.client);
  Status read;
  for (bool over = false; !over && read.ok() && !Stopped();) {
    over = true;
    for (std::size_t node = 0; node < watched_.size() && read.ok(); ++node) {
      auto data = watched_[node]->Read();
      if (!data.ok()) read = data.status();
      over = read.ok() && Ends(step, static_cast<int>(node), *data) && over;
    }
    if (over) break;
    if (steady_clock::now() > limit) {
      Differ(fmt::format("{} does not run out, as it does in the case", step.key));
      break;
    }
    relay_.Poll(kGlance);
  }
  holds_.SetByForce(false);
  return read;
}

void RealTry::AwaitEnd(const CaseStep& step) {
  const auto limit = steady_clock::now() + kNextCommand + std::max(step.at - at_, Duration{});
  while (alive(step.client) && !Stopped()) {
    NoteEnds();
    if (steady_clock::now() > limit) {
      return Differ(
          fmt::format("{} does not end, as it does in the case", ClientName(step.client)));
    }
    relay_.Poll(kGlance);
  }
}

void RealTry::Kill(int client) {
  process(client).Kill();
  if (!alive(client)) return;
  NoteEnded(client, true);
}

/// A fault meets the client.
void RealTry::Disturb(int client) {
  disturbed_[static_cast<std::size_t>(client)] = true;
  holds_.Delayed(client);
}

void RealTry::NoteEnded(int client, bool killed) {
  alive_[static_cast<std::size_t>(client)] = false;
  const bool disturbed = disturbed_[static_cast<std::size_t>(client)];
  holds_.Ended(client, ExitOf(client, sections_, killed, disturbed));
  sections_.Ended(client);
  relay_.Drop(client);
}

/// A client that has sent a last command is still there until that is executed.
void RealTry::NoteEnds() {
  for (int client = 0; client < options_.clients; ++client) {
    if (alive(client) && !relay_.HasParked(client) && process(client).ended()) {
      NoteEnded(client, false);
    }
  }
}

}  // namespace interlock::scenarios::drive
