// SPDX-License-Identifier: MIT
//
// Instants are stamped on the safe side: before what the client is about to do, after what it was
// told.
#include "scenarios/run/processes/client_main.h"

#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <interlock/connection.h>
#include <interlock/hiredis_connector.h>
#include <interlock/sentinel_connector.h>
#include <interlock/thread_runtime.h>

#include "scenarios/cases/kind_model.h"
#include "scenarios/log/log_file.h"
#include "scenarios/run/forks.h"
#include "scenarios/run/latch_program.h"
#include "scenarios/run/wall_clock.h"
#include "sim/trace.h"

namespace interlock::scenarios::real {
namespace {

/// Is told of the traffic on the client's connections, before and after.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual void OnConnect() = 0;
  virtual void OnSend() = 0;
  virtual void OnSent() = 0;
  virtual void OnReceived() = 0;
};

class WatchedConnection final : public Connection {
 public:
  WatchedConnection(std::unique_ptr<Connection> inner, Wire& wire)
      : inner_(std::move(inner)), wire_(wire) {}

  Status Send(std::span<const std::string_view> argv, MonotonicTime deadline) override {
    wire_.OnSend();
    Status sent = inner_->Send(argv, deadline);
    wire_.OnSent();
    return sent;
  }
  Result<Reply> Receive(MonotonicTime deadline) override {
    return Heard(inner_->Receive(deadline));
  }
  Result<Reply> ReceiveUnlessStopped(MonotonicTime deadline, const std::stop_token& stop,
                                     Duration patience) override {
    return Heard(inner_->ReceiveUnlessStopped(deadline, stop, patience));
  }
  bool broken() const override { return inner_->broken(); }

 private:
  Result<Reply> Heard(Result<Reply> reply) {
    wire_.OnReceived();
    return reply;
  }

  std::unique_ptr<Connection> inner_;
  Wire& wire_;
};

class WatchedConnector final : public Connector {
 public:
  WatchedConnector(std::unique_ptr<Connector> inner, Wire& wire)
      : inner_(std::move(inner)), wire_(wire) {}

  Result<std::unique_ptr<Connection>> Connect(MonotonicTime deadline) override {
    wire_.OnConnect();
    Result<std::unique_ptr<Connection>> made = inner_->Connect(deadline);
    if (!made.ok()) return made.status();
    return std::unique_ptr<Connection>(
        std::make_unique<WatchedConnection>(std::move(made).value(), wire_));
  }
  std::string endpoint() const override { return inner_->endpoint(); }

 private:
  const std::unique_ptr<Connector> inner_;
  Wire& wire_;
};

/// Connects to each node or, by the Sentinels' word, to one.
std::vector<std::unique_ptr<Connector>> Connect(Runtime& runtime,
                                                const sim::machine::ClientWay& way, Wire& wire) {
  std::vector<std::unique_ptr<Connector>> connectors;
  if (!way.sentinels.empty()) {
    const auto nodes = MakeHiredisNodes(runtime, {});
    auto made = SentinelConnector::Create(
        runtime, *nodes, *nodes,
        {.sentinels = way.sentinels, .master_name = std::string(sim::machine::kMasterName)});
    if (!made.ok()) _exit(2);
    connectors.push_back(std::make_unique<WatchedConnector>(std::move(made).value(), wire));
    return connectors;
  }
  for (const HiredisOptions& node : way.nodes) {
    auto made = MakeHiredisConnector(runtime, node);
    if (!made.ok()) _exit(2);
    connectors.push_back(std::make_unique<WatchedConnector>(std::move(made).value(), wire));
  }
  return connectors;
}

/// A line must not be longer than what a pipe takes whole.
constexpr std::size_t kLongestToken = 256;

/// A line keeps what is printable as it is.
std::string Reported(std::string token) {
  const bool plain = std::ranges::all_of(token, [](char c) { return c >= ' ' && c <= '~'; });
  if (plain && token.size() <= kLongestToken) return token;
  return fmt::format("{:016x}", sim::HashBytes(token, 0));
}

/// Some locks work in a task of their own, too, so steps and sends are counted across tasks.
class ReportingEvents final : public ProgramEvents, public Wire {
 public:
  ReportingEvents(const ClientTask& task, int pipe, Runtime& runtime)
      : task_(task), pipe_(pipe), runtime_(runtime) {}

  /// Several resources taken at once are reported as the first of them.
  void On(Party who, EventKind kind, const EventDetails& details) override {
    if (who.resource > 0) return;
    switch (kind) {
      case EventKind::kAsk:
        if (asked_) ++operation_;
        asked_ = true;
        [[fallthrough]];
      case EventKind::kCountDown:
        sends_ = 0;
        Call(kind, details);
        asking_ = true;
        return;
      case EventKind::kRelease:
        DieIfAt(DeathPlace::kBeforeRelease);
        StopIfDue();
        return Call(kind, details);
      case EventKind::kExtend:
        return Call(kind, details);
      case EventKind::kAskValid:
        called_ = Now();
        return;
      case EventKind::kGranted:
      case EventKind::kRefused:
      case EventKind::kAnswered:
        asking_ = false;
        return Return(kind, details);
      case EventKind::kExtended:
      case EventKind::kAskedValid:
      case EventKind::kReleased:
        return Return(kind, details);
      case EventKind::kEnter:
      case EventKind::kLeave:
        return Write(New(kind));
      default:
        return;  // of what real clients do not do
    }
  }
  void Step(int /*client*/) override {
    DieIfAt(DeathPlace::kInSection);
    StopIfDue();
  }

  void OnConnect() override { StopIfDue(); }
  void OnSend() override {
    StopIfDue();
    sent_ = Now();
  }
  void OnSent() override {
    ++commands_;
    ++sends_;
    if (asking_) DieIfAt(DeathPlace::kAskSent);
    StopIfDue();
  }
  void OnReceived() override { StopIfDue(); }
  void OnEnd() { Write(New(EventKind::kEnded, EndDetails{.commands = commands_})); }

 private:
  VirtualTime Now() { return runtime_.Now().time_since_epoch(); }

  LogEvent New(EventKind kind, EventDetails details = {}) {
    const VirtualTime now = Now();
    if (auto* asked = std::get_if<AskDetails>(&details)) asked->commands = commands_;
    if (auto* answer = std::get_if<AnswerDetails>(&details)) answer->commands = commands_;
    if (auto* grant = std::get_if<GrantDetails>(&details)) {
      grant->commands = commands_;
      grant->sent = sent_;
      grant->token = Reported(std::move(grant->token));
    }
    return {now, now, task_.client, 0, kind, std::move(details)};
  }
  void Call(EventKind kind, const EventDetails& details) {
    const LogEvent event = New(kind, details);
    called_ = event.at_earliest;
    Write(event);
  }
  /// The call returned: what was done about it was done since.
  void Return(EventKind kind, const EventDetails& details) {
    LogEvent event = New(kind, details);
    event.at_earliest = called_;
    Write(event);
  }

  /// A client without its reader has no purpose: SIGPIPE ends it.
  void Write(const LogEvent& event) const {
    const std::string line = ToLine(event);
    if (line.size() > PIPE_BUF) _exit(1);  // it might be torn
    if (!SendAll(pipe_, line)) _exit(1);
  }

  void DieIfAt(DeathPlace place) {
    const auto& death = task_.death;
    if (!death.has_value() || death->place != place || operation_ < death->operation) return;
    if (place == DeathPlace::kAskSent && sends_ < death->sends) return;
    const auto operation = static_cast<int>(operation_.load());
    Write(New(EventKind::kDied, EndDetails{operation, commands_}));
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }

  /// Stops here, if the plan says so, until the parent lets the client go on.
  void StopIfDue() {
    const int step = steps_++;
    for (const sim::machine::RealFault& pause : task_.pauses) {
      if (pause.step != step) continue;
      Write(New(EventKind::kStops, StopDetails{pause.length}));
      kill(getpid(), SIGSTOP);
    }
  }

  const ClientTask& task_;
  const int pipe_;
  Runtime& runtime_;
  std::atomic<std::size_t> operation_ = 0;
  std::atomic<std::uint64_t> commands_ = 0;
  std::atomic<VirtualTime> sent_{};
  std::atomic<int> steps_ = 0;
  std::atomic<int> sends_ = 0;  // of the present request
  VirtualTime called_{};        // the latest call
  bool asked_ = false;
  std::atomic<bool> asking_ = false;
};

void AwaitEverybody(int barrier) {
  char nothing = 0;
  while (read(barrier, &nothing, 1) < 0 && errno == EINTR) {
  }
}

void Work(const ClientTask& task, harness::Environment& environment,
          std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events) {
  const harness::Traits traits = task.subject->traits();
  Progress progress;
  if (ModelOf(traits.kind).held) {
    RunClient(task.client, task.plan, progress, environment, traits, locks, events);
  } else if (!task.late_comer.has_value()) {
    RunLatchClient(task.client, task.plan, progress, environment, locks, events);
  } else {
    for (const Operation& operation : task.plan.operations) {
      CountForAll(task.client, operation, *task.late_comer, environment, locks, events);
    }
  }
}

}  // namespace

void RunClientProcess(const ClientTask& task, const ClientChannels& channels) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != channels.parent) _exit(1);
  // Ctrl-C goes to the whole process group; the parent decides what becomes of the clients.
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);

  ThreadRuntime runtime;
  ReportingEvents events(task, channels.report, runtime);
  const auto connectors = Connect(runtime, task.way, events);
  std::vector<Connector*> nodes;
  for (const auto& connector : connectors) nodes.push_back(connector.get());
  harness::Environment environment{runtime, *nodes.front(), nodes, MachineWallClock()};
  const std::unique_ptr<harness::Lock> locks[] = {task.subject->NewLock(
      environment, OptionsOf(task.client, WithPlan(task.plan, task.options)))};
  AwaitEverybody(channels.barrier);
  Work(task, environment, locks, events);
  events.OnEnd();
  _exit(0);
}

}  // namespace interlock::scenarios::real
