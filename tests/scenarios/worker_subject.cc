// SPDX-License-Identifier: MIT
#include "tests/scenarios/worker_subject.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace interlock::scenarios::testing {
namespace {

constexpr Duration kWorkerTimeout = std::chrono::milliseconds(500);
constexpr Duration kPause = std::chrono::milliseconds(50);
constexpr std::string_view kDelete =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
constexpr std::string_view kProlong =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then "
    "return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";

/// One command, and its answer.
struct Job {
  std::vector<std::string> argv;
  std::shared_ptr<Event> done;
  Result<Reply> answer = Status(StatusCode::kCancelled);
};

/// A grant that is kept alive until somebody begins to give it back.
struct KeptGrant {
  std::string token;
  MonotonicTime asked{};  ///< when it was last asked for
  MonotonicTime valid_until{};
};

/// What the object is made of; used by all tasks of its process, which take turns.
class Worker {
 public:
  Worker(harness::Environment& environment, const harness::LockOptions& options)
      : environment_(environment),
        key_(options.key_prefix + options.resource),
        lease_(options.lease),
        task_(environment.runtime.Spawn("worker", [this] { Work(); })) {}
  ~Worker() {
    ends_ = true;
    Wake();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  Runtime& runtime() { return environment_.runtime; }

  Result<std::shared_ptr<KeptGrant>> Try() {
    auto grant = std::make_shared<KeptGrant>();
    grant->token = NewToken();
    grant->asked = runtime().Now();
    grant->valid_until = EndFrom(grant->asked);
    const Result<Reply> set =
        Call({"SET", key_, grant->token, "NX", "PX", std::to_string(lease_.count())});
    if (!set.ok()) return set.status();
    if (!set->IsStatus("OK")) return Status(StatusCode::kNotAcquired);
    if (runtime().Now() >= grant->valid_until) return Status(StatusCode::kUnknownOutcome);
    kept_.push_back(grant);
    Wake();
    return grant;
  }

  Status GiveBack(const std::shared_ptr<KeptGrant>& grant) {
    std::erase(kept_, grant);
    const Result<Reply> deleted = Call({"EVAL", std::string(kDelete), "1", key_, grant->token});
    if (!deleted.ok()) return deleted.status();
    return deleted->integer == 1 ? Status() : Status(StatusCode::kNotOwner);
  }

  void Drop(const std::shared_ptr<KeptGrant>& grant) { std::erase(kept_, grant); }

 private:
  MonotonicTime EndFrom(MonotonicTime asked) const {
    const Duration whole = lease_;
    return AddSaturating(asked, whole - whole / 100);
  }

  Result<Reply> Call(std::vector<std::string> argv) {
    const auto job = std::make_shared<Job>(Job{std::move(argv), runtime().NewEvent()});
    jobs_.push_back(job);
    Wake();
    job->done->WaitUntil(kNever);
    return job->answer;
  }

  void Wake() {
    if (wake_ != nullptr) wake_->Set();
  }

  void Work() {
    for (;;) {
      wake_ = runtime().NewEvent();
      while (!jobs_.empty()) {
        const std::shared_ptr<Job> job = jobs_.front();
        jobs_.pop_front();
        job->answer = Send(job->argv);
        job->done->Set();
        if (job->answer.code() == StatusCode::kCancelled) return;
      }
      if (!Renew()) return;
      if (ends_) return;
      if (!jobs_.empty()) continue;
      wake_->WaitUntil(NextRenewal());
    }
  }

  MonotonicTime NextRenewal() {
    MonotonicTime next = kNever;
    for (const auto& grant : kept_) next = std::min(next, AddSaturating(grant->asked, lease_ / 3));
    return next;
  }

  /// Of all that are due. False: the run is over.
  bool Renew() {
    const std::vector<std::shared_ptr<KeptGrant>> now_kept = kept_;
    for (const auto& grant : now_kept) {
      const MonotonicTime now = runtime().Now();
      if (now < AddSaturating(grant->asked, lease_ / 3)) continue;
      grant->asked = now;
      const Result<Reply> renewed = Send(
          {"EVAL", std::string(kProlong), "1", key_, grant->token, std::to_string(lease_.count())});
      if (renewed.code() == StatusCode::kCancelled) return false;
      if (!renewed.ok()) continue;
      if (renewed->integer == 1) {
        grant->valid_until = EndFrom(now);
      } else {
        std::erase(kept_, grant);
      }
    }
    return true;
  }

  Result<Reply> Send(const std::vector<std::string>& argv) {
    const MonotonicTime overdue = AddSaturating(runtime().Now(), kWorkerTimeout);
    if (connection_ == nullptr || connection_->broken()) {
      auto made = environment_.connector.Connect(overdue);
      if (!made.ok()) return made.status();
      connection_ = std::move(made).value();
    }
    const std::vector<std::string_view> words(argv.begin(), argv.end());
    return connection_->Call(words, overdue);
  }

  std::string NewToken() {
    std::array<std::byte, 16> bytes{};
    runtime().FillRandom(bytes);
    std::string token;
    for (const std::byte byte : bytes) {
      token += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4U];
      token += "0123456789abcdef"[std::to_integer<unsigned>(byte) & 15U];
    }
    return token;
  }

  harness::Environment environment_;
  const std::string key_;
  const std::chrono::milliseconds lease_;
  std::deque<std::shared_ptr<Job>> jobs_;
  std::vector<std::shared_ptr<KeptGrant>> kept_;
  std::shared_ptr<Event> wake_;
  std::unique_ptr<Connection> connection_;
  bool ends_ = false;
  std::unique_ptr<Task> task_;  // last: its end is waited for first
};

class WorkerHold final : public harness::Hold {
 public:
  WorkerHold(std::shared_ptr<Worker> worker, std::shared_ptr<KeptGrant> grant)
      : worker_(std::move(worker)), grant_(std::move(grant)) {}
  ~WorkerHold() override { worker_->Drop(grant_); }
  WorkerHold(const WorkerHold&) = delete;
  WorkerHold& operator=(const WorkerHold&) = delete;

  std::string owner_token() const override { return grant_->token; }
  MonotonicTime valid_until() const override { return grant_->valid_until; }
  Status Release() override { return worker_->GiveBack(grant_); }

 private:
  std::shared_ptr<Worker> worker_;
  std::shared_ptr<KeptGrant> grant_;
};

class WorkerLock final : public harness::Lock {
 public:
  WorkerLock(harness::Environment& environment, const harness::LockOptions& options)
      : worker_(std::make_shared<Worker>(environment, options)) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    Result<std::shared_ptr<KeptGrant>> grant = worker_->Try();
    if (!grant.ok()) return grant.status();
    return std::unique_ptr<harness::Hold>(
        std::make_unique<WorkerHold>(worker_, std::move(grant).value()));
  }

  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    Runtime& runtime = worker_->runtime();
    for (;;) {
      Result<std::unique_ptr<harness::Hold>> hold = TryAcquire();
      if (hold.code() != StatusCode::kNotAcquired) return hold;
      const MonotonicTime now = runtime.Now();
      if (now >= deadline) return Status(StatusCode::kTimeout);
      runtime.NewEvent()->WaitUntil(std::min(deadline, AddSaturating(now, kPause)));
    }
  }

 private:
  std::shared_ptr<Worker> worker_;
};

class WorkersSubject final : public harness::Subject {
 public:
  std::string_view name() const override { return "test/worker"; }
  std::string_view summary() const override { return "one task of its own works for all users"; }
  harness::Traits traits() const override { return {.renews = true, .concurrent = true}; }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<WorkerLock>(environment, options);
  }

  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    const std::string key = options.key_prefix + options.resource;
    std::vector<harness::Owner> owners;
    if (auto token = server.String(key)) {
      owners.push_back(
          {std::move(*token), server.ExpiresAtMs(key), false, harness::LastMs::kOwned});
    }
    return owners;
  }

  std::chrono::milliseconds WakeUpBound(const harness::LockOptions& options) const override {
    return options.lease + std::chrono::duration_cast<std::chrono::milliseconds>(kPause);
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> WorkerSubject() {
  return std::make_shared<const WorkersSubject>();
}

}  // namespace interlock::scenarios::testing
