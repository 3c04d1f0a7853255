// SPDX-License-Identifier: MIT
#include "tests/scenarios/connection_subject.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace interlock::scenarios::testing {
namespace {

constexpr Duration kReplyTimeout = std::chrono::seconds(1);
constexpr Duration kBetweenLooks = std::chrono::milliseconds(50);
constexpr std::string_view kDeleteIfSo =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

std::string KeyOfLock(const harness::LockOptions& options) {
  return options.key_prefix + options.resource;
}

/// Of a value "<token>@<client id>".
std::string_view IdIn(std::string_view value) { return value.substr(value.find('@') + 1); }

/// The connection of one grant, or of one attempt.
class Session {
 public:
  explicit Session(harness::Environment& environment) : environment_(environment) {}

  Runtime& runtime() { return environment_.runtime; }
  bool open() const { return connection_ != nullptr && !connection_->broken(); }

  Status Open() {
    auto made = environment_.connector.Connect(AddSaturating(runtime().Now(), kReplyTimeout));
    if (!made.ok()) return made.status();
    connection_ = std::move(made).value();
    const Result<Reply> id = Call({"CLIENT", "ID"});
    if (!id.ok()) return Status(StatusCode::kUnavailable, id.status().message());
    id_ = std::to_string(id->integer);
    return Status();
  }

  /// REQUIRES: Open has succeeded.
  Result<Reply> Call(std::initializer_list<std::string_view> argv) {
    return connection_->Call(std::span(argv.begin(), argv.size()),
                             AddSaturating(runtime().Now(), kReplyTimeout));
  }

  const std::string& id() const { return id_; }

 private:
  harness::Environment environment_;
  std::unique_ptr<Connection> connection_;
  std::string id_;
};

class SessionHold final : public harness::Hold {
 public:
  SessionHold(std::unique_ptr<Session> session, std::string key, std::string value)
      : session_(std::move(session)), key_(std::move(key)), value_(std::move(value)) {}

  std::string owner_token() const override { return value_; }
  MonotonicTime valid_until() const override { return kNever; }

  Status Release() override {
    if (!session_->open()) return Status(StatusCode::kLeaseLost, "its connection has ended");
    const Result<Reply> deleted = session_->Call({"EVAL", kDeleteIfSo, "1", key_, value_});
    if (!deleted.ok()) return deleted.status();
    return deleted->integer == 1 ? Status() : Status(StatusCode::kNotOwner);
  }

 private:
  std::unique_ptr<Session> session_;
  std::string key_;
  std::string value_;
};

class SessionLock final : public harness::Lock {
 public:
  SessionLock(harness::Environment& environment, const harness::LockOptions& options,
              const ConnectionOptions& how)
      : environment_(environment), key_(KeyOfLock(options)), how_(how) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    auto session = std::make_unique<Session>(environment_);
    if (Status opened = session->Open(); !opened.ok()) return opened;
    const std::string value = NewToken() + "@" + session->id();
    for (int tries = 0; tries < 2; ++tries) {
      const Result<Reply> set = session->Call({"SET", key_, value, "NX"});
      if (!set.ok()) return set.status();
      if (set->IsStatus("OK")) {
        return std::unique_ptr<harness::Hold>(
            std::make_unique<SessionHold>(std::move(session), key_, value));
      }
      if (Status gone = TakeAwayIfOver(*session); !gone.ok()) return gone;
    }
    return Status(StatusCode::kNotAcquired);
  }

  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    Runtime& runtime = environment_.runtime;
    for (;;) {
      Result<std::unique_ptr<harness::Hold>> hold = TryAcquire();
      if (hold.code() != StatusCode::kNotAcquired) return hold;
      const MonotonicTime now = runtime.Now();
      if (now >= deadline) return Status(StatusCode::kTimeout);
      runtime.NewEvent()->WaitUntil(std::min(deadline, AddSaturating(now, kBetweenLooks)));
    }
  }

 private:
  /// kOk: it was, or is gone. kNotAcquired: somebody owns it.
  Status TakeAwayIfOver(Session& session) {
    if (!how_.cleans) return Status(StatusCode::kNotAcquired);
    const Result<Reply> owner = session.Call({"GET", key_});
    if (!owner.ok()) return Refused(owner.status());
    if (!owner->IsString()) return Status();
    const std::string value = owner->text;
    if (how_.looks) {
      const Result<Reply> there = session.Call({"CLIENT", "LIST", "ID", IdIn(value)});
      if (!there.ok()) return Refused(there.status());
      if (!there->text.empty()) return Status(StatusCode::kNotAcquired);
    }
    const Result<Reply> deleted = session.Call({"EVAL", kDeleteIfSo, "1", key_, value});
    return deleted.ok() ? Status() : Refused(deleted.status());
  }

  /// Nothing of its own is there.
  static Status Refused(const Status& why) {
    if (why.code() == StatusCode::kCancelled) return why;
    return Status(StatusCode::kUnavailable, why.message());
  }

  std::string NewToken() {
    std::array<std::byte, 8> bytes{};
    environment_.runtime.FillRandom(bytes);
    std::string token;
    for (const std::byte byte : bytes) {
      token += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4U];
      token += "0123456789abcdef"[std::to_integer<unsigned>(byte) & 15U];
    }
    return token;
  }

  harness::Environment environment_;
  const std::string key_;
  const ConnectionOptions& how_;  // the subject's, which outlives every run
};

class SessionSubject final : public harness::Subject {
 public:
  explicit SessionSubject(ConnectionOptions options) : options_(std::move(options)) {}

  std::string_view name() const override { return options_.name; }
  std::string_view summary() const override { return "a grant lasts as long as its connection"; }
  harness::Traits traits() const override { return {.lasts_as_connection = true}; }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<SessionLock>(environment, options, options_);
  }

  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    std::vector<harness::Owner> owners;
    const std::optional<std::string> value = server.String(KeyOfLock(options));
    if (!value.has_value()) return owners;
    const std::string_view id = IdIn(*value);
    std::int64_t number = 0;
    std::from_chars(id.data(), id.data() + id.size(), number);
    if (server.IsConnected(number)) owners.push_back({*value, std::nullopt});
    return owners;
  }

  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override {
    return {{KeyOfLock(options), std::chrono::milliseconds::max()}};
  }

  std::chrono::milliseconds WakeUpBound(const harness::LockOptions& options) const override {
    return options.lease + std::chrono::duration_cast<std::chrono::milliseconds>(kBetweenLooks);
  }

 private:
  const ConnectionOptions options_;
};

}  // namespace

std::shared_ptr<const harness::Subject> ConnectionSubject(ConnectionOptions options) {
  return std::make_shared<const SessionSubject>(std::move(options));
}

}  // namespace interlock::scenarios::testing
