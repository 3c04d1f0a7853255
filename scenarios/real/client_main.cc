// SPDX-License-Identifier: MIT
//
// Instants are stamped on the safe side: before what the client is about to do, after what it was
// told.
#include "scenarios/real/client_main.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <interlock/connection.h>
#include <interlock/thread_runtime.h>

#include "scenarios/latch_program.h"

namespace interlock::scenarios::real {
namespace {

/// Counts what is sent, and tells of each send.
class WatchedConnection final : public Connection {
 public:
  WatchedConnection(std::unique_ptr<Connection> inner, const std::function<void()>& on_sent)
      : inner_(std::move(inner)), on_sent_(on_sent) {}

  Status Send(std::span<const std::string_view> argv, MonotonicTime deadline) override {
    Status sent = inner_->Send(argv, deadline);
    on_sent_();
    return sent;
  }
  Result<Reply> Receive(MonotonicTime deadline) override { return inner_->Receive(deadline); }
  Result<Reply> ReceiveUnlessStopped(MonotonicTime deadline, const std::stop_token& stop,
                                     Duration patience) override {
    return inner_->ReceiveUnlessStopped(deadline, stop, patience);
  }
  bool broken() const override { return inner_->broken(); }

 private:
  std::unique_ptr<Connection> inner_;
  const std::function<void()>& on_sent_;
};

class WatchedConnector final : public Connector {
 public:
  WatchedConnector(Connector& inner, std::function<void()> on_sent)
      : inner_(inner), on_sent_(std::move(on_sent)) {}

  Result<std::unique_ptr<Connection>> Connect(MonotonicTime deadline) override {
    Result<std::unique_ptr<Connection>> made = inner_.Connect(deadline);
    if (!made.ok()) return made.status();
    return std::unique_ptr<Connection>(
        std::make_unique<WatchedConnection>(std::move(made).value(), on_sent_));
  }
  std::string endpoint() const override { return inner_.endpoint(); }

 private:
  Connector& inner_;
  const std::function<void()> on_sent_;
};

class ReportingEvents final : public ProgramEvents {
 public:
  ReportingEvents(const ClientTask& task, int pipe, Runtime& runtime)
      : task_(task), pipe_(pipe), runtime_(runtime) {}

  void OnAsk(Party /*who*/, const Operation& operation) override {
    if (asked_) ++operation_;
    asked_ = true;
    EventRecord record = New(EventKind::kAsk);
    record.ask = operation.ask;
    record.shared = operation.shared;
    Write(record);
    asking_ = true;
  }
  void OnRefused(Party /*who*/, const Status& status) override {
    asking_ = false;
    WriteStatus(EventKind::kRefused, status);
  }
  void OnGranted(Party /*who*/, const harness::Hold& hold) override {
    asking_ = false;
    EventRecord record = New(EventKind::kGranted);
    record.valid_until_ns = hold.valid_until().time_since_epoch().count();
    Write(record);
  }
  void OnEnter(Party /*who*/) override { Write(New(EventKind::kEnter)); }
  void Step(int /*client*/) override { DieIfAt(DeathPlace::kInSection); }
  void OnLeave(Party /*who*/) override { Write(New(EventKind::kLeave)); }
  void OnExtend(Party /*who*/) override { Write(New(EventKind::kExtend)); }
  void OnExtended(Party /*who*/, const Status& status, const harness::Hold& hold) override {
    EventRecord record = New(EventKind::kExtended);
    record.status = status.code();
    record.valid_until_ns = hold.valid_until().time_since_epoch().count();
    Write(record);
  }
  void OnRelease(Party /*who*/) override {
    DieIfAt(DeathPlace::kBeforeRelease);
    Write(New(EventKind::kRelease));
  }
  void OnReleased(Party /*who*/, const Status& status) override {
    WriteStatus(EventKind::kReleased, status);
  }
  void OnCountDown(Party /*who*/, int party) override {
    EventRecord record = New(EventKind::kCountDown);
    record.party = party;
    Write(record);
    asking_ = true;
  }
  void OnAnswered(Party /*who*/, const Status& status) override {
    asking_ = false;
    WriteStatus(EventKind::kAnswered, status);
  }

  void OnSent() {
    ++commands_;
    if (asking_) DieIfAt(DeathPlace::kAskSent);
  }
  void OnEnd() { Write(New(EventKind::kEnded)); }

 private:
  EventRecord New(EventKind kind) {
    EventRecord record;
    record.kind = kind;
    record.client = task_.client;
    record.at_ns = runtime_.Now().time_since_epoch().count();
    record.commands = commands_;
    return record;
  }

  void WriteStatus(EventKind kind, const Status& status) {
    EventRecord record = New(kind);
    record.status = status.code();
    Write(record);
  }

  /// Without its reader the client has nothing to live for: SIGPIPE ends it.
  void Write(const EventRecord& record) const {
    while (write(pipe_, &record, sizeof record) < 0) {
      if (errno != EINTR) _exit(1);
    }
  }

  void DieIfAt(DeathPlace place) {
    const auto& death = task_.death;
    if (!death.has_value() || death->place != place || operation_ < death->operation) return;
    Write(New(EventKind::kDied));
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }

  const ClientTask& task_;
  const int pipe_;
  Runtime& runtime_;
  std::size_t operation_ = 0;
  std::uint64_t commands_ = 0;
  bool asked_ = false;
  bool asking_ = false;
};

void AwaitEverybody(int barrier) {
  char nothing = 0;
  while (read(barrier, &nothing, 1) < 0 && errno == EINTR) {
  }
}

void Work(const ClientTask& task, harness::Environment& environment,
          std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events) {
  const harness::Traits traits = task.subject->traits();
  std::size_t next = 0;
  if (!traits.latch) {
    RunClient(task.client, task.plan, next, environment, traits, locks, events);
  } else if (!task.late_comer.has_value()) {
    RunLatchClient(task.client, task.plan, next, environment, locks, events);
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
  // Ctrl-C goes to the whole process group; what becomes of the clients is for the parent to say.
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);

  ThreadRuntime runtime;
  ReportingEvents events(task, channels.report, runtime);
  Result<std::unique_ptr<Connector>> connector = MakeHiredisConnector(runtime, task.redis);
  if (!connector.ok()) _exit(2);
  WatchedConnector watched(**connector, [&events] { events.OnSent(); });
  harness::Environment environment{runtime, watched, {&watched}};
  const std::unique_ptr<harness::Lock> locks[] = {
      task.subject->NewLock(environment, OptionsOf(task.client, task.options))};
  AwaitEverybody(channels.barrier);
  Work(task, environment, locks, events);
  events.OnEnd();
  _exit(0);
}

}  // namespace interlock::scenarios::real
