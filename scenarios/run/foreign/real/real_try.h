// SPDX-License-Identifier: MIT
//
// One try to make a case again with clients as they are, by the machine's clock, on real servers:
// the relay lets their commands through in the order of the case, and each is judged by what the
// servers hold after it, as on the fake.
//
// Guarantee: a lease that ran out although it did not in the case excuses its owner, so that a slow
// machine makes no violation. Non-guarantee: clients draw their own random numbers, and wait in
// real time, so they may do something else; `difference` says what came first. Thread safety: that
// of ForeignProcess.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <interlock/hiredis_connector.h>
#include <interlock/result.h>
#include <interlock/time.h>

#include "scenarios/run/foreign/finding.h"
#include "scenarios/run/foreign/holds.h"
#include "scenarios/run/foreign/real/case_likeness.h"
#include "scenarios/run/foreign/real/case_steps.h"
#include "scenarios/run/foreign/real/relay.h"
#include "scenarios/run/foreign/real/watched_server.h"
#include "scenarios/run/foreign/sections.h"
#include "sim/machine/foreign_process.h"

namespace interlock::scenarios::drive {

struct RealTryOptions {
  std::vector<std::string> command;
  int clients = 2;
  int permits = 1;
  std::string pattern;  ///< of the locks' keys; see Holds
  Duration longest{};   ///< wait for a key to expire at most this long
  const std::atomic<bool>* stop = nullptr;
};

struct RealTryResult {
  Findings findings;
  std::string difference;  ///< the first from the case; empty: there was none
  std::uint64_t commands = 0;
};

class RealTry : private RelayObserver {
 public:
  /// As many servers to watch as there are options; they outlive it.
  RealTry(const RealTryOptions& options, const std::vector<CaseStep>& steps,
          const std::vector<HiredisOptions>& servers, std::vector<WatchedServer*> watched);

  /// Once. kInvalidArgument: the command cannot be run, or the relay reaches no server with these
  /// options; kUnavailable: a server is gone, or there is no port or process.
  Result<RealTryResult> Run();

 private:
  using Parts = std::vector<std::unique_ptr<sim::machine::ForeignProcess>>;

  void OnPassed(const Parked& command) override;
  void OnReply(const Parked& to, const sim::redis::Value& reply, bool ordered) override;

  Status Begin();
  void Settle();
  Status Make(const CaseStep& step);
  Status MakeCommand(const CaseStep& step);
  std::optional<Parked> AwaitCommand(const CaseStep& step);
  std::optional<Parked> PickOf(const CaseStep& step) const;
  Status Perform(const CaseStep& step, const Parked& parked);
  void AwaitReply(std::uint64_t connection, bool is_due);
  void CompareReply(const CaseStep& step, const sim::redis::Argv& argv);
  Status TakeIn(int client, int node, const sim::redis::Argv& argv, const std::string& address);
  void Report(int client, const sim::redis::Argv& argv);
  Status AwaitEndOfLease(const CaseStep& step);
  bool Ends(const CaseStep& step, int node, const HeldMap& data);
  void NoteLapsed(int node);
  void AwaitEnd(const CaseStep& step);
  void Disturb(int client);
  void Kill(int client);
  void NoteEnded(int client, bool killed);
  void NoteEnds();
  void Differ(std::string how);
  bool Stopped() const { return *options_.stop; }
  bool alive(int client) const { return alive_[static_cast<std::size_t>(client)]; }
  sim::machine::ForeignProcess& process(int client) {
    return *processes_[static_cast<std::size_t>(client)];
  }

  const RealTryOptions& options_;
  const std::vector<CaseStep>& steps_;
  const std::vector<WatchedServer*> watched_;
  Findings findings_;
  Holds holds_;
  Sections sections_;
  CaseLikeness alike_;
  Relay relay_;
  Parts processes_;
  std::vector<bool> alive_;           // clients
  std::vector<bool> disturbed_;       // clients that a fault has met
  std::vector<HeldMap> data_;         // by node, when last read
  std::vector<std::string> replies_;  // by client: to its last command; empty: none yet
  Duration at_{};                     // of the last step, in the case
  std::set<std::string> lapsed_;      // keys that ended earlier than in the case
  int missing_ = 0;                   // commands that did not come
  RealTryResult result_;
};

}  // namespace interlock::scenarios::drive
