// SPDX-License-Identifier: MIT
#include "scenarios/run/load/client.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <span>
#include <stop_token>
#include <string_view>
#include <utility>

#include "scenarios/cases/scenario.h"
#include "sim/redis/text.h"

namespace interlock::scenarios::contend {
namespace {

class NotingConnection final : public Connection {
 public:
  NotingConnection(std::unique_ptr<Connection> inner, int client, int number, const Note& note)
      : inner_(std::move(inner)), client_(client), number_(number), note_(note) {}

  Status Send(std::span<const std::string_view> argv, MonotonicTime deadline) override {
    SendDetails details{.connection = number_, .command = std::string(argv.front())};
    for (const std::string_view word : argv) {
      details.bytes += static_cast<std::int64_t>(word.size());
    }
    note_(client_, 0, EventKind::kSend, std::move(details));
    Status sent = inner_->Send(argv, deadline);
    unanswered_.emplace_back(Sleeps(argv.front()) ? argv.front() : "");
    if (!sent.ok()) GiveUp();
    return sent;
  }
  Result<Reply> Receive(MonotonicTime deadline) override { return Took(inner_->Receive(deadline)); }
  Result<Reply> ReceiveUnlessStopped(MonotonicTime deadline, const std::stop_token& stop,
                                     Duration patience) override {
    return Took(inner_->ReceiveUnlessStopped(deadline, stop, patience));
  }
  bool broken() const override { return inner_->broken(); }

 private:
  /// Whether the command blocks in the server until another client acts.
  static bool Sleeps(std::string_view command) {
    constexpr std::string_view kSleeping[] = {"blpop",      "brpop",    "blmove",   "blmpop",
                                              "brpoplpush", "bzpopmin", "bzpopmax", "bzmpop"};
    return std::any_of(
        std::begin(kSleeping), std::end(kSleeping),
        [command](std::string_view name) { return sim::redis::EqualsIgnoreCase(command, name); });
  }

  static bool IsMessage(const Reply& reply) {
    if (!reply.IsArray() || reply.elements.empty()) return false;
    const std::string& kind = reply.elements.front().text;
    return kind == "message" || kind == "pmessage" || kind == "smessage";
  }

  Result<Reply> Took(Result<Reply> reply) {
    if (!reply.ok()) {
      if (inner_->broken()) GiveUp();
      return reply;
    }
    if (IsMessage(*reply)) {
      note_(client_, 0, EventKind::kWoken, WokenDetails{"message"});
    } else if (!unanswered_.empty()) {
      const std::string slept = std::move(unanswered_.front());
      unanswered_.pop_front();
      Answered(reply->IsError() ? ReplyKind::kError : ReplyKind::kReply);
      if (!slept.empty() && !reply->IsNil() && !reply->IsError()) {
        note_(client_, 0, EventKind::kWoken, WokenDetails{slept});
      }
    }
    return reply;
  }

  void Answered(ReplyKind answer) {
    note_(client_, 0, EventKind::kReply, ReplyDetails{number_, answer});
  }

  /// Records that no more replies come over the connection.
  void GiveUp() {
    for (; !unanswered_.empty(); unanswered_.pop_front()) Answered(ReplyKind::kNone);
  }

  std::unique_ptr<Connection> inner_;
  const int client_;
  const int number_;  // among the client's connections
  const Note& note_;
  std::deque<std::string> unanswered_;  // blocking commands by name; "" for any other
};

/// Connects like `inner`, and logs what is sent.
class NotingConnector final : public Connector {
 public:
  NotingConnector(Connector& inner, int client, const Note& note)
      : inner_(inner), client_(client), note_(note) {}

  Result<std::unique_ptr<Connection>> Connect(MonotonicTime deadline) override {
    Result<std::unique_ptr<Connection>> made = inner_.Connect(deadline);
    if (!made.ok()) return made.status();
    return std::unique_ptr<Connection>(
        std::make_unique<NotingConnection>(std::move(made).value(), client_, made_++, note_));
  }
  std::string endpoint() const override { return inner_.endpoint(); }

 private:
  Connector& inner_;
  const int client_;
  const Note& note_;
  std::atomic<int> made_{0};
};

class LoadClient {
 public:
  LoadClient(const ClientTask& task, harness::Environment& environment, const Note& note,
             const std::function<void()>& at_work)
      : task_(task),
        runtime_(environment.runtime),
        draws_(task.seed, task.client),
        note_(note),
        at_work_(at_work),
        end_(AddSaturating(task.began, task.load.whole())) {
    for (const harness::LockOptions& options : task.options) {
      locks_.push_back(task.subject->NewLock(environment, OptionsOf(task.client, options)));
    }
  }

  void Run() {
    const Load& load = task_.load;
    MonotonicTime next =
        task_.began + draws_.Spread(load, load.open() ? load.interval : load.think);
    while (next < end_ && !(task_.stop != nullptr && *task_.stop)) {
      SleepUntil(next);
      if (!Serve(next)) return;
      next = load.open() ? next + draws_.Spread(load, load.interval)
                         : runtime_.Now() + draws_.Spread(load, load.think);
    }
  }

 private:
  /// Returns false if the runtime is shutting down.
  bool Serve(MonotonicTime intended) {
    const int resource =
        static_cast<int>(draws_.Below(static_cast<std::uint32_t>(task_.load.resources)));
    harness::Lock& lock = *locks_[static_cast<std::size_t>(resource)];
    const MonotonicTime now = runtime_.Now();
    if (now >= end_) return true;
    const auto note = [&](EventKind kind, EventDetails details = {}) {
      note_(task_.client, resource, kind, std::move(details));
    };
    const MonotonicTime until = std::min(AddSaturating(now, task_.load.patience), end_);
    AskDetails request{.ask = Ask::kWaitFor, .patience = until - now};
    if (task_.load.open()) request.due = intended - task_.began;
    note(EventKind::kAsk, request);
    Result<std::unique_ptr<harness::Hold>> asked = lock.AcquireUntil(until);
    if (!asked.ok()) {
      if (asked.code() == StatusCode::kCancelled) return false;
      note(EventKind::kRefused,
           AnswerDetails{.status = asked.code(), .error = asked.status().message()});
      return true;
    }
    harness::Hold& hold = **asked;
    note(EventKind::kGranted, GrantDetails{.token = hold.owner_token(),
                                           .fencing_token = hold.fencing_token(),
                                           .valid_until = SinceTheBegin(hold.valid_until())});
    note(EventKind::kEnter);
    const auto show_token = [&] {
      if (const auto token = hold.fencing_token()) {
        note(EventKind::kAccess, AccessDetails{*token});
      }
    };
    show_token();
    if (at_work_) at_work_();
    SleepUntil(runtime_.Now() + task_.load.hold);
    show_token();
    note(EventKind::kLeave);
    note(EventKind::kRelease);
    const Status released = hold.Release();
    if (released.code() == StatusCode::kCancelled) return false;
    note(EventKind::kReleased, AnswerDetails{.status = released.code()});
    return true;
  }

  VirtualTime SinceTheBegin(MonotonicTime when) const {
    return when == kNever ? kOpen : when - task_.began;
  }

  void SleepUntil(MonotonicTime when) {
    if (runtime_.Now() < when) runtime_.NewEvent()->WaitUntil(when);
  }

  const ClientTask& task_;
  Runtime& runtime_;
  Draws draws_;
  const Note& note_;
  const std::function<void()>& at_work_;
  const MonotonicTime end_;
  std::vector<std::unique_ptr<harness::Lock>> locks_;
};

}  // namespace

void RunLoadClient(const ClientTask& task, const ClientPlace& place, const Note& note,
                   const std::function<void()>& at_work) {
  std::vector<std::unique_ptr<Connector>> noting;
  std::vector<Connector*> nodes;
  for (Connector* node : place.nodes) {
    noting.push_back(std::make_unique<NotingConnector>(*node, task.client, note));
    nodes.push_back(noting.back().get());
  }
  harness::Environment environment{place.runtime, *nodes.front(), nodes, place.wall_ms};
  LoadClient(task, environment, note, at_work).Run();
}

}  // namespace interlock::scenarios::contend
