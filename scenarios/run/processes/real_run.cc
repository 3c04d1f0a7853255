// SPDX-License-Identifier: MIT
#include "scenarios/run/processes/real_run.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "scenarios/cases/kind_model.h"
#include "scenarios/judge/liveness_bound.h"
#include "scenarios/run/processes/client_process.h"
#include "sim/machine/fault_driver.h"
#include "sim/machine/heartbeat.h"
#include "sim/machine/key_sweeper.h"
#include "sim/machine/stage.h"

namespace interlock::scenarios::real {
namespace {

using std::chrono::milliseconds;

constexpr Duration kTick = milliseconds(20);
constexpr Duration kSpare = std::chrono::seconds(1);  // added to the judges' bounds
constexpr int kTriesOfProbe = 8;

bool IsReborn(const ClientPlan& plan) {
  const std::optional<Death> death = DeathOf(plan);
  return death.has_value() && death->reborn;
}

/// The number of clients that may ask in the run, restarted ones and probes included.
int MostClients(const Workload& workload) {
  const auto reborn = std::ranges::count_if(workload.clients, IsReborn);
  return static_cast<int>(workload.clients.size()) + static_cast<int>(reborn) + workload.permits +
         1;
}

/// How many commands the event's client had sent by then, as far as the event tells.
std::uint64_t CommandsBy(const LogEvent& event) {
  return std::visit(
      [](const auto& of) -> std::uint64_t {
        if constexpr (requires { of.commands; }) return of.commands;
        return 0;
      },
      event.details);
}

class OneRun {
 public:
  OneRun(Runtime& runtime, const RealCase& real_case, std::unique_ptr<sim::machine::Stage> stage,
         sim::machine::Admin admin)
      : runtime_(runtime),
        case_(real_case),
        traits_(real_case.subject->traits()),
        stage_(std::move(stage)),
        heartbeat_(runtime, std::move(admin)) {}

  Result<RealRun> Run() {
    const MonotonicTime started = runtime_.Now();
    std::vector<ClientTask> tasks;
    for (const ClientPlan& plan : case_.workload.clients) tasks.push_back(NextTask(plan));
    if (Status s = processes_.Start(tasks); !s.ok()) return s;
    if (stage_ != nullptr) driver_.emplace(*stage_, case_.faults);
    const Duration length = SerialLength(case_.workload) + case_.workload.lease + Bound();
    if (Status s = WatchUntil(AddSaturating(started, length + LengthOfFaults())); !s.ok()) return s;
    EndFaults();
    if (!Stopped()) {
      if (Status s = processes_.Start(Probes()); !s.ok()) return s;
      const Status watched = WatchUntil(
          AddSaturating(runtime_.Now(), sim::machine::kSilence + ProbeLength() + Bound()));
      if (!watched.ok()) return watched;
    }
    const MonotonicTime ended = runtime_.Now();
    processes_.KillAll();
    TakeStrikes();
    return Report(started, {ended - started, case_.workload.lease, case_.workload.permits, clients_,
                            PrefersWriters(traits_.kind), faults_over_ - started});
  }

 private:
  ClientTask NextTask(const ClientPlan& plan) {
    const int client = clients_++;
    const sim::machine::ClientWay way =
        stage_ != nullptr ? stage_->WayOf(client) : sim::machine::ClientWay{{case_.redis}};
    ClientTask task = {client, case_.subject, case_.options, way, plan, DeathOf(plan)};
    for (const sim::machine::RealFault& fault : case_.faults) {
      const bool its_own =
          fault.client == client && fault.kind == sim::machine::RealFaultKind::kPause;
      if (its_own) task.pauses.push_back(fault);
    }
    return task;
  }

  std::vector<ClientTask> Probes() {
    std::vector<ClientTask> tasks;
    for (int i = 0; i < case_.workload.permits + 1; ++i) {
      tasks.push_back(NextTask(Probe()));
      if (ModelOf(traits_.kind).held) continue;
      tasks.back().late_comer = {!case_.forgetful, PartiesOf(case_.workload, 0),
                                 OneTooMany(case_.workload)};
    }
    return tasks;
  }

  bool Stopped() const { return case_.stop != nullptr && *case_.stop; }

  Status WatchUntil(MonotonicTime deadline) {
    heartbeat_.Beat();
    const MonotonicTime begin = runtime_.Now();
    while (processes_.running() > 0 && !Stopped() && runtime_.Now() < deadline) {
      const MonotonicTime before = runtime_.Now();
      processes_.Collect(kTick);
      if (driver_.has_value() && !driver_->over()) {
        heartbeat_.Waited(runtime_.Now() - before);
        driver_->Act(runtime_.Now() - begin);
        if (driver_->over()) Calm();
      } else {
        heartbeat_.Beat();
      }
      TakeStrikes();
      if (Status s = Revive(); !s.ok()) return s;
    }
    return Status();
  }

  /// Starts each client that was to come back after its death, as a new client.
  Status Revive() {
    std::vector<ClientTask> tasks;
    const EventLog& events = processes_.events();
    for (; seen_ < events.size(); ++seen_) {
      const LogEvent& event = events[seen_];
      const auto client = static_cast<std::size_t>(event.client);
      if (event.kind != EventKind::kDied || client >= case_.workload.clients.size()) continue;
      ClientPlan plan = case_.workload.clients[client];
      if (!IsReborn(plan)) continue;
      plan.faults.clear();
      const auto begin = plan.operations.begin();
      plan.operations.erase(begin, begin + event.As<EndDetails>().operation);
      tasks.push_back(NextTask(plan));
    }
    return tasks.empty() ? Status() : processes_.Start(tasks);
  }

  /// Called when the servers are as they should be again.
  void Calm() {
    if (driver_->done().empty()) return;
    faults_over_ = std::max(faults_over_, runtime_.Now());
    Result<sim::machine::Admin> admin = sim::machine::Admin::Open(runtime_, stage_->OptionsOf(0));
    if (admin.ok()) {
      heartbeat_.Resume(std::move(admin).value());
    } else {
      Break("a server did not recover", admin.status());
    }
  }

  void EndFaults() {
    if (!driver_.has_value() || driver_->over()) return;
    if (!driver_->End()) {
      Break("the servers", Status(StatusCode::kUnavailable, "a fault could not be ended"));
    }
    Calm();
  }

  void Break(const char* what, const Status& status) {
    if (broken_.empty()) broken_ = fmt::format("{}: {}", what, status.message());
  }

  void TakeStrikes() {
    if (stage_ == nullptr || stage_->proxy() == nullptr) return;
    for (const sim::machine::ProxyStrike& strike : stage_->proxy()->Collect()) {
      faults_over_ = std::max(faults_over_, MonotonicTime(Duration(strike.until_ns)));
      strikes_.push_back(strike);
    }
  }

  Duration Bound() const { return case_.subject->WakeUpBound(case_.options) + kSettling + kSpare; }
  Duration ProbeHold() const { return case_.workload.lease / 4; }
  Duration ProbeLength() const {
    return case_.workload.lease + Bound() + (case_.workload.permits + 1) * ProbeHold();
  }

  Duration LengthOfFaults() const {
    Duration sum = driver_.has_value() ? driver_->total() : Duration{};
    for (const sim::machine::RealFault& fault : case_.faults) {
      const sim::machine::RealFaultPlace place = InfoOf(fault.kind).place;
      if (place == sim::machine::RealFaultPlace::kServer) continue;
      sum += fault.length +
             (place == sim::machine::RealFaultPlace::kLink ? sim::machine::kSilence : Duration{});
    }
    return sum;
  }

  /// The plan of a client that arrives when all is over: what it cannot get is lost. A lock that
  /// does not wait is asked again until any lease that was left must be over.
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

  RealRun Report(MonotonicTime started, const HistoryFrame& frame) {
    RealRun run;
    run.log = processes_.events();
    for (LogEvent& event : run.log) CountFrom(started.time_since_epoch(), event);
    run.history = HistoryOf(run.log, frame);
    run.stopped = Stopped();
    run.disturbed = heartbeat_.disturbed();
    std::vector<std::uint64_t> sent(static_cast<std::size_t>(frame.clients), 0);
    for (const LogEvent& event : run.log) {
      std::uint64_t& commands = sent[static_cast<std::size_t>(event.client)];
      commands = std::max(commands, CommandsBy(event));
      run.crashes += event.kind == EventKind::kDied ? 1 : 0;
      if (event.kind == EventKind::kGoesOn)
        run.struck.push_back(ToString(sim::machine::RealFaultKind::kPause));
    }
    for (const sim::machine::ProxyStrike& strike : strikes_)
      run.struck.push_back(ToString(strike.kind));
    if (driver_.has_value()) {
      for (const sim::machine::RealFault& fault : driver_->done())
        run.struck.push_back(ToString(fault.kind));
      run.servers_answered = driver_->done().empty() && strikes_.empty();
    }
    for (const std::uint64_t commands : sent) run.commands += commands;
    if (!run.stopped) LookAtKeys(run);
    for (const std::string& why : {broken_, heartbeat_.broken(), processes_.failure()}) {
      if (run.broken.empty()) run.broken = why;
    }
    return run;
  }

  void LookAtKeys(RealRun& run) {
    const std::size_t nodes = stage_ != nullptr ? stage_->nodes() : 1;
    for (std::size_t i = 0; i < nodes; ++i) {
      const HiredisOptions redis = stage_ != nullptr ? stage_->OptionsOf(i) : case_.redis;
      auto keys = sim::machine::KeySweeper(runtime_, redis, case_.key_prefix).Look(redis.database);
      if (keys.ok()) run.keys.insert(run.keys.end(), keys->begin(), keys->end());
      if (!keys.ok()) Break("nobody could look at the keys", keys.status());
    }
  }

  Runtime& runtime_;
  const RealCase& case_;
  const harness::Traits traits_;
  const std::unique_ptr<sim::machine::Stage> stage_;  // nullptr for somebody else's server
  sim::machine::Heartbeat heartbeat_;
  ClientProcesses processes_;
  std::optional<sim::machine::FaultDriver> driver_;  // ends before the processes do
  std::vector<sim::machine::ProxyStrike> strikes_;
  MonotonicTime faults_over_{};
  std::string broken_;
  std::size_t seen_ = 0;  // number of events
  int clients_ = 0;
};

}  // namespace

Result<RealRun> RunOnRedis(Runtime& runtime, const RealCase& real_case) {
  std::unique_ptr<sim::machine::Stage> stage;
  Status ready;
  if (real_case.own) {
    auto opened =
        sim::machine::Stage::Open(real_case.faults, {.topology = real_case.workload.topology,
                                                     .nodes = real_case.workload.nodes,
                                                     .persistence = real_case.workload.persistence,
                                                     .sentinels = real_case.sentinels,
                                                     .clients = MostClients(real_case.workload),
                                                     .database = real_case.redis.database});
    ready = opened.status();
    if (opened.ok()) stage = std::move(opened).value();
  }
  if (ready.ok()) {
    Result<sim::machine::Admin> admin = sim::machine::Admin::Open(
        runtime, stage != nullptr ? stage->OptionsOf(0) : real_case.redis);
    if (admin.ok()) {
      return OneRun(runtime, real_case, std::move(stage), std::move(admin).value()).Run();
    }
    ready = admin.status();
  }
  if (!real_case.own) return ready;
  // An overloaded machine may still start the next servers in time.
  RealRun run;
  run.broken = fmt::format("servers could not be started: {}", ready.message());
  return run;
}

}  // namespace interlock::scenarios::real
