// SPDX-License-Identifier: MIT
#include "scenarios/real/real_run.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "scenarios/latch_program.h"
#include "scenarios/oracles/progress.h"
#include "scenarios/real/client_process.h"
#include "scenarios/real/heartbeat.h"
#include "scenarios/real/real_history.h"

namespace interlock::scenarios::real {
namespace {

using std::chrono::milliseconds;

constexpr Duration kTick = milliseconds(20);
constexpr Duration kSpare = std::chrono::seconds(1);  // above the bounds by which is judged
constexpr int kTriesOfProbe = 8;

class OneRun {
 public:
  OneRun(Runtime& runtime, const RealCase& real_case, Admin admin)
      : runtime_(runtime),
        case_(real_case),
        traits_(real_case.subject->traits()),
        heartbeat_(runtime, std::move(admin)) {}

  Result<RealRun> Run() {
    const MonotonicTime started = runtime_.Now();
    const int own = static_cast<int>(case_.workload.clients.size());
    const int probes = case_.workload.permits + 1;
    std::vector<ClientTask> tasks;
    for (int i = 0; i < own; ++i) {
      tasks.push_back(TaskFor(i, case_.workload.clients[static_cast<std::size_t>(i)]));
    }
    if (Status s = processes_.Start(tasks); !s.ok()) return s;
    if (case_.own != nullptr) disturber_.emplace(*case_.own, case_.disturbances);
    const Duration more = disturber_ ? disturber_->total() : Duration{};
    WatchUntil(AddSaturating(started,
                             SerialLength(case_.workload) + case_.workload.lease + Bound() + more));
    if (disturber_) disturber_->End(processes_);
    if (!Stopped()) {
      tasks.clear();
      for (int i = 0; i < probes; ++i) {
        tasks.push_back(TaskFor(own + i, Probe()));
        if (!traits_.latch) continue;
        tasks.back().late_comer = {true, PartiesOf(case_.workload, 0), OneTooMany(case_.workload)};
      }
      if (Status s = processes_.Start(tasks); !s.ok()) return s;
      WatchUntil(AddSaturating(runtime_.Now(), ProbeLength() + Bound()));
    }
    const MonotonicTime ended = runtime_.Now();
    processes_.KillAll();
    return Report({started, ended, case_.workload.lease, case_.workload.permits, own + probes,
                   traits_.prefers_writers});
  }

 private:
  ClientTask TaskFor(int client, const ClientPlan& plan) const {
    return {client, case_.subject, case_.options, case_.redis, plan, DeathOf(plan)};
  }

  bool Stopped() const { return case_.stop != nullptr && *case_.stop; }

  void WatchUntil(MonotonicTime deadline) {
    heartbeat_.Beat();
    const MonotonicTime begin = runtime_.Now();
    while (processes_.running() > 0 && !Stopped() && runtime_.Now() < deadline) {
      processes_.Collect(kTick);
      if (disturber_) disturber_->Act(runtime_.Now() - begin, processes_);
      if (!disturber_ || !disturber_->server_stopped()) heartbeat_.Beat();
    }
  }

  Duration Bound() const { return case_.subject->WakeUpBound(case_.options) + kSettling + kSpare; }
  Duration ProbeHold() const { return case_.workload.lease / 4; }
  Duration ProbeLength() const {
    return case_.workload.lease + Bound() + (case_.workload.permits + 1) * ProbeHold();
  }

  /// A client that comes when all is over: what it cannot get is lost. A lock that does not wait is
  /// asked again until any lease that was left must be over.
  ClientPlan Probe() const {
    Operation ask;
    ask.ask = traits_.waits ? Ask::kWaitFor : Ask::kTry;
    ask.wait = ProbeLength();
    ask.hold = ProbeHold();
    ClientPlan plan;
    plan.operations.push_back(ask);
    if (!traits_.waits) {
      ask.think = case_.workload.lease / 4;
      plan.operations.resize(kTriesOfProbe, ask);
    }
    return plan;
  }

  RealRun Report(const HistoryFrame& frame) const {
    RealRun run;
    const std::vector<EventRecord>& records = processes_.records();
    run.history = HistoryOf(records, frame);
    run.stopped = Stopped();
    run.broken = heartbeat_.broken().empty() ? processes_.failure() : heartbeat_.broken();
    run.disturbed = heartbeat_.disturbed();
    if (disturber_) run.disturbances = disturber_->done();
    if (!run.disturbances.empty() && run.disturbed.empty()) {
      run.disturbed = "clients and server were made to stand still";
    }
    std::vector<std::uint64_t> sent(static_cast<std::size_t>(frame.clients), 0);
    for (const EventRecord& record : records) {
      std::uint64_t& commands = sent[static_cast<std::size_t>(record.client)];
      commands = std::max(commands, record.commands);
      run.crashes += record.kind == EventKind::kDied ? 1 : 0;
    }
    for (const std::uint64_t commands : sent) run.commands += commands;
    return run;
  }

  Runtime& runtime_;
  const RealCase& case_;
  const harness::Traits traits_;
  Heartbeat heartbeat_;
  ClientProcesses processes_;
  std::optional<Disturber> disturber_;  // ends before the processes do
};

}  // namespace

Result<RealRun> RunOnRedis(Runtime& runtime, const RealCase& real_case) {
  Result<Admin> admin = Admin::Open(runtime, real_case.redis);
  if (!admin.ok()) return admin.status();
  return OneRun(runtime, real_case, std::move(admin).value()).Run();
}

}  // namespace interlock::scenarios::real
