// SPDX-License-Identifier: MIT
//
// An acquire whose reply was lost may have taken effect, so its token is deleted again, on a new
// connection, before the lock tries anew. A request that is merely late could still overtake that;
// the lock then keeps others out until the TTL, but never believes that it holds.
#include "acme_lock.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace acme {
namespace {

using interlock::AddSaturating;
using interlock::Duration;
using interlock::MonotonicTime;
using interlock::Reply;
using interlock::Result;
using interlock::Status;
using interlock::StatusCode;
namespace harness = interlock::harness;

constexpr std::string_view kDeleteIfMine =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

/// What one client's lock and its holds share: one connection, re-made when it broke.
class Channel {
 public:
  Channel(harness::Environment& environment, const harness::LockOptions& options)
      : environment_(environment), options_(options), key_(options.key_prefix + options.resource) {}

  MonotonicTime Now() { return environment_.runtime.Now(); }
  const harness::LockOptions& options() const { return options_; }
  const std::string& key() const { return key_; }

  Result<Reply> Call(std::initializer_list<std::string_view> argv) {
    // No longer than a second: a caller with a deadline of its own waits for it.
    const Duration patience = std::min<Duration>(options_.lease, std::chrono::seconds(1));
    const MonotonicTime deadline = AddSaturating(Now(), patience);
    if (!connection_ || connection_->broken()) {
      Result<std::unique_ptr<interlock::Connection>> made =
          environment_.connector.Connect(deadline);
      if (!made.ok()) return made.status();
      connection_ = std::move(made).value();
    }
    Result<Reply> reply = connection_->Call(std::span(argv.begin(), argv.size()), deadline);
    // A server that is loading, full or read-only has not said "somebody else holds it".
    if (reply.ok() && reply->IsError()) return Status(StatusCode::kUnavailable, reply->text);
    return reply;
  }

  std::string NewToken() {
    std::array<std::byte, 16> bytes{};
    environment_.runtime.FillRandom(bytes);
    std::string token;
    for (const std::byte byte : bytes) {
      token += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4];
      token += "0123456789abcdef"[std::to_integer<unsigned>(byte) & 15];
    }
    return token;
  }

  void Sleep(MonotonicTime until) { environment_.runtime.NewEvent()->WaitUntil(until); }

  Result<Reply> DeleteIfMine(const std::string& token) {
    return Call({"EVAL", kDeleteIfMine, "1", key_, token});
  }

 private:
  harness::Environment& environment_;
  harness::LockOptions options_;
  std::string key_;
  std::unique_ptr<interlock::Connection> connection_;
};

class AcmeHold final : public harness::Hold {
 public:
  AcmeHold(std::shared_ptr<Channel> channel, std::string token, MonotonicTime valid_until,
           bool blind)
      : channel_(std::move(channel)),
        token_(std::move(token)),
        valid_until_(valid_until),
        blind_(blind) {}

  std::string owner_token() const override { return token_; }
  MonotonicTime valid_until() const override { return valid_until_; }

  Status Release() override {
    Result<Reply> reply =
        blind_ ? channel_->Call({"DEL", channel_->key()}) : channel_->DeleteIfMine(token_);
    bool earlier_may_count = false;
    for (int tries = 1; !blind_ && !reply.ok() && tries < 3; ++tries) {
      earlier_may_count = earlier_may_count || reply.outcome() == interlock::Outcome::kUnknown;
      reply = channel_->DeleteIfMine(token_);
      if (reply.ok() && reply->integer == 0 && earlier_may_count) {
        return Status(StatusCode::kUnknownOutcome, "an earlier try may have released");
      }
    }
    if (!reply.ok() && earlier_may_count) {
      return Status(StatusCode::kUnknownOutcome, "an earlier try may have released");
    }
    if (!reply.ok()) return reply.status();
    return reply->integer == 1 ? Status() : Status(StatusCode::kNotOwner);
  }

 private:
  std::shared_ptr<Channel> channel_;
  std::string token_;
  MonotonicTime valid_until_;
  bool blind_;
};

class AcmeLock final : public harness::Lock {
 public:
  AcmeLock(harness::Environment& environment, const harness::LockOptions& options, bool blind)
      : channel_(std::make_shared<Channel>(environment, options)), blind_(blind) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    const Duration lease = channel_->options().lease;
    const std::string ttl = std::to_string(channel_->options().lease.count());
    std::string token = channel_->NewToken();
    const MonotonicTime sent = channel_->Now();
    const Result<Reply> reply = channel_->Call({"SET", channel_->key(), token, "NX", "PX", ttl});
    if (!reply.ok()) {
      if (reply.code() != StatusCode::kUnknownOutcome) return reply.status();
      static_cast<void>(channel_->DeleteIfMine(token));
      return reply.status();
    }
    if (!reply->IsStatus("OK")) return Status(StatusCode::kNotAcquired, "somebody else holds it");
    // A tenth of the lease stands for clocks that run at different rates.
    const MonotonicTime valid_until = sent + lease - lease / 10;
    if (channel_->Now() >= valid_until) {
      static_cast<void>(channel_->DeleteIfMine(token));
      return Status(StatusCode::kTimeout, "the reply came too late to be of use");
    }
    return std::unique_ptr<harness::Hold>(
        std::make_unique<AcmeHold>(channel_, std::move(token), valid_until, blind_));
  }

  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    const Duration pause =
        std::max<Duration>(channel_->options().lease / 8, interlock::Duration(1));
    bool unknown = false;
    for (;;) {
      Result<std::unique_ptr<harness::Hold>> hold = TryAcquire();
      if (hold.ok() || hold.code() == StatusCode::kCancelled) return hold;
      unknown = unknown || hold.outcome() == interlock::Outcome::kUnknown;
      const MonotonicTime now = channel_->Now();
      if (now >= deadline) {
        return Status(unknown ? StatusCode::kUnknownOutcome : StatusCode::kTimeout,
                      "no grant in time");
      }
      channel_->Sleep(std::min(deadline, AddSaturating(now, pause)));
    }
  }

 private:
  std::shared_ptr<Channel> channel_;
  bool blind_;
};

class AcmeSubject final : public harness::Subject {
 public:
  explicit AcmeSubject(bool blind) : blind_(blind) {}

  std::string_view name() const override { return blind_ ? "acme.blind-release" : "acme.lock"; }
  std::string_view summary() const override {
    return blind_ ? "SET NX PX, released by DEL without a look at the owner"
                  : "SET NX PX, compare-and-delete, waits by polling";
  }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<AcmeLock>(environment, options, blind_);
  }

  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    const std::string key = options.key_prefix + options.resource;
    std::vector<harness::Owner> owners;
    if (std::optional<std::string> token = server.String(key)) {
      owners.push_back({std::move(*token), server.ExpiresAtMs(key)});
    }
    return owners;
  }

 private:
  bool blind_;
};

}  // namespace

std::shared_ptr<const harness::Subject> SoundLock() {
  return std::make_shared<const AcmeSubject>(false);
}

std::shared_ptr<const harness::Subject> BlindReleaseLock() {
  return std::make_shared<const AcmeSubject>(true);
}

}  // namespace acme
