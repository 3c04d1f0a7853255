// SPDX-License-Identifier: MIT
//
// The adapter. Everything the lock needs from outside comes from the Environment: the clock, events
// (the only way to wait), connections and random bytes. Replace the bodies of the four steps
// (SET, DEL, the wait, Owners) by calls of your own code.
#include "job_lock.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace acme {
namespace {

using interlock::MonotonicTime;
using interlock::Reply;
using interlock::Result;
using interlock::Status;
using interlock::StatusCode;
namespace harness = interlock::harness;

constexpr std::string_view kDeleteIfMine =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

enum class Removal { kUnconditional, kCompareAndDelete };

/// One client's connection, made anew after it broke.
class Redis {
 public:
  explicit Redis(harness::Environment& world) : world_(world) {}

  Result<Reply> Call(const std::vector<std::string_view>& command) {
    const MonotonicTime deadline = world_.runtime.Now() + std::chrono::seconds(1);
    if (!connection_ || connection_->broken()) {
      auto made = world_.connector.Connect(deadline);
      if (!made.ok()) return made.status();
      connection_ = std::move(made).value();
    }
    auto reply = connection_->Call(command, deadline);
    // A server that is loading or full has said neither yes nor no.
    if (reply.ok() && reply->IsError()) return Status(StatusCode::kUnavailable, reply->text);
    return reply;
  }

  Result<Reply> Remove(Removal removal, const std::string& key, const std::string& token) {
    if (removal == Removal::kUnconditional) return Call({"DEL", key});
    return Call({"EVAL", kDeleteIfMine, "1", key, token});
  }

 private:
  harness::Environment& world_;
  std::unique_ptr<interlock::Connection> connection_;
};

/// What identifies one grant: where it stands, who owns it, and how it is removed.
struct Grant {
  std::string key;
  std::string token;
  MonotonicTime valid_until;
  Removal removal;
};

class JobHold final : public harness::Hold {
 public:
  JobHold(std::shared_ptr<Redis> redis, Grant grant)
      : redis_(std::move(redis)), grant_(std::move(grant)) {}

  std::string owner_token() const override { return grant_.token; }
  MonotonicTime valid_until() const override { return grant_.valid_until; }
  Status Release() override {
    const auto reply = redis_->Remove(grant_.removal, grant_.key, grant_.token);
    if (!reply.ok()) return reply.status();
    return reply->integer == 1 ? Status() : Status(StatusCode::kNotOwner);
  }

 private:
  std::shared_ptr<Redis> redis_;
  Grant grant_;
};

class OneJobLock final : public harness::Lock {
 public:
  OneJobLock(harness::Environment& world, const harness::LockOptions& options, Removal removal)
      : redis_(std::make_shared<Redis>(world)),
        runtime_(world.runtime),
        options_(options),
        removal_(removal) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    // The lease counts from before the request is sent; 1 % is for clocks that run at other rates.
    const Grant grant{options_.key_prefix + options_.resource, NewToken(),
                      runtime_.Now() + options_.lease * 99 / 100, removal_};
    const std::string ttl = std::to_string(options_.lease.count());
    const auto reply = redis_->Call({"SET", grant.key, grant.token, "NX", "PX", ttl});
    if (reply.ok() && !reply->IsStatus("OK")) return Status(StatusCode::kNotAcquired);
    if (reply.ok() && runtime_.Now() < grant.valid_until) {
      return std::unique_ptr<harness::Hold>(std::make_unique<JobHold>(redis_, grant));
    }
    // The lock may have been granted, and nobody is going to use it.
    if (!redis_->Remove(removal_, grant.key, grant.token).ok()) {
      return Status(StatusCode::kUnknownOutcome);
    }
    return reply.ok() ? Status(StatusCode::kTimeout) : reply.status();
  }

  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    for (;;) {
      auto hold = TryAcquire();
      if (hold.ok() || hold.code() != StatusCode::kNotAcquired) return hold;
      if (runtime_.Now() >= deadline) return Status(StatusCode::kTimeout);
      runtime_.NewEvent()->WaitUntil(
          std::min(deadline, runtime_.Now() + std::chrono::milliseconds(50)));
    }
  }

 private:
  std::string NewToken() {
    std::byte bytes[16];
    runtime_.FillRandom(bytes);
    std::string token;
    for (const std::byte byte : bytes) {
      token += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4];
      token += "0123456789abcdef"[std::to_integer<unsigned>(byte) & 15];
    }
    return token;
  }

  std::shared_ptr<Redis> redis_;
  interlock::Runtime& runtime_;
  const harness::LockOptions options_;
  const Removal removal_;
};

class JobSubject final : public harness::Subject {
 public:
  JobSubject(std::string_view name, std::string_view summary, Removal removal)
      : name_(name), summary_(summary), removal_(removal) {}

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& world,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<OneJobLock>(world, options, removal_);
  }

  /// Who owns the resource according to the server's data: what the oracles go by.
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    const std::string key = options.key_prefix + options.resource;
    std::vector<harness::Owner> owners;
    if (auto token = server.String(key))
      owners.push_back({*token, server.ExpiresAtMs(key), false, harness::LastMs::kOwned});
    return owners;
  }

  /// What the lock claims of itself; `guarantees` holds it to that.
  std::vector<harness::Promise> Promises() const override {
    return {{"none", "standalone", "LK001 LK002 LK003 LK005", ""},
            {"client-pause", "standalone", "LK001 LK002 LK005", "LK003"}};
  }

 private:
  std::string_view name_;
  std::string_view summary_;
  Removal removal_;
};

}  // namespace

std::shared_ptr<const harness::Subject> JobLock() {
  return std::make_shared<const JobSubject>("acme.job-lock", "SET NX PX, polls, compare-and-delete",
                                            Removal::kCompareAndDelete);
}

std::shared_ptr<const harness::Subject> NaiveJobLock() {
  return std::make_shared<const JobSubject>("acme.naive-job-lock",
                                            "SET NX PX, polls, DEL without a check of the owner",
                                            Removal::kUnconditional);
}

}  // namespace acme
