// SPDX-License-Identifier: MIT
//
// Every subject and every specimen against the fake Redis, called directly: no scheduler, no
// network, one thread, time moved by hand. The scenarios prove what the locks are worth; this
// proves that each adapter does what its page says.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/oracles/judged.h"
#include "scenarios/specimen.h"
#include "sim/redis/server.h"

namespace interlock::scenarios {
namespace {

using harness::Hold;
using harness::Lock;
using harness::Subject;
using std::chrono::milliseconds;

constexpr milliseconds kLease{1000};

Reply ToReply(const sim::redis::Value& value) {
  using Type = sim::redis::Value::Type;
  Reply reply;
  switch (value.type) {
    case Type::kNil:
    case Type::kNilArray:
      reply.type = Reply::Type::kNil;
      break;
    case Type::kStatus:
      reply.type = Reply::Type::kStatus;
      break;
    case Type::kError:
      reply.type = Reply::Type::kError;
      break;
    case Type::kInteger:
      reply.type = Reply::Type::kInteger;
      break;
    case Type::kString:
      reply.type = Reply::Type::kString;
      break;
    case Type::kArray:
      reply.type = Reply::Type::kArray;
      break;
    default:
      ADD_FAILURE() << "a RESP3 reply on a RESP2 connection";
  }
  reply.integer = value.integer;
  reply.text = value.text;
  for (const sim::redis::Value& element : value.elements) {
    reply.elements.push_back(ToReply(element));
  }
  return reply;
}

/// A command takes its time, so that who asks without rest comes to an end.
constexpr Duration kTravel = std::chrono::microseconds(10);

/// One Redis, one clock, and the few accidents that the tests below need.
class Bench final : public Runtime, public Connector, public sim::redis::Sink {
 public:
  Bench() {
    server_.SetSink(this);
    Advance(Duration::zero());
  }

  // Runtime
  MonotonicTime Now() override { return MonotonicTime(elapsed_); }
  std::unique_ptr<Event> NewEvent() override;
  std::unique_ptr<Task> Spawn(std::string_view /*name*/, std::function<void()> body) override {
    body();
    return nullptr;
  }
  void FillRandom(std::span<std::byte> bytes) override {
    ++random_;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::byte>((random_ >> (8 * (i % 8))) & 0xffU);
    }
  }

  // Connector
  Result<std::unique_ptr<Connection>> Connect(MonotonicTime deadline) override;
  std::string endpoint() const override { return "bench"; }

  // Sink
  void OnReply(sim::redis::ClientId client, const sim::redis::Value& value) override {
    replies_[client].push_back(ToReply(value));
  }
  void OnClosed(sim::redis::ClientId /*client*/) override {}

  void Advance(Duration by) {
    elapsed_ += by;
    constexpr std::int64_t kEpochUs = 1'700'000'000'000'000;
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(elapsed_).count();
    server_.SetTime(kEpochUs + us);
    server_.RunTimers();
  }

  std::unique_ptr<Lock> NewLock(const Subject& subject) {
    harness::LockOptions options = options_;
    if (subject.traits().several)
      options.several = {options.resource, options.resource + "-beside"};
    return subject.NewLock(environment_, options);
  }
  const harness::LockOptions& options() const { return options_; }
  sim::redis::Server& server() { return server_; }
  int sent() const { return sent_; }

  /// From the n-th next command on, every call fails as it does when a run is torn down.
  void CancelAfter(int commands) { cancel_at_ = sent_ + commands; }
  /// The connection breaks after the next command of this name has been executed.
  void LoseReplyTo(std::string_view command) { lose_reply_to_ = command; }
  /// Runs once, before the next command of this name.
  void Before(std::string_view command, std::function<void()> action) {
    before_command_ = command;
    before_ = std::move(action);
  }
  std::optional<std::int64_t> TtlOf(std::string_view key) {
    return server_.PeekExpiresAtMs(0, key);
  }

 private:
  friend class BenchConnection;
  friend class BenchEvent;

  bool cancelled() const { return cancel_at_.has_value() && sent_ >= *cancel_at_; }

  sim::redis::Server server_;
  std::map<sim::redis::ClientId, std::deque<Reply>> replies_;
  Duration elapsed_{};
  std::uint64_t random_ = 0;
  int sent_ = 0;
  std::optional<int> cancel_at_;
  std::string lose_reply_to_;
  std::string before_command_;
  std::function<void()> before_;
  harness::Environment environment_{*this, *this, {this}};
  harness::LockOptions options_{"test:", "job", kLease, 1};
};

class BenchEvent final : public Event {
 public:
  explicit BenchEvent(Bench& bench) : bench_(bench) {}
  void Set() override { set_ = true; }
  bool IsSet() const override { return set_; }
  bool WaitUntil(MonotonicTime deadline) override {
    if (!set_ && !bench_.cancelled() && deadline > bench_.Now()) {
      bench_.Advance(deadline - bench_.Now());
    }
    return set_;
  }

 private:
  Bench& bench_;
  bool set_ = false;
};

class BenchConnection final : public Connection {
 public:
  explicit BenchConnection(Bench& bench) : bench_(bench), id_(bench.server_.Connect()) {}
  ~BenchConnection() override { bench_.server_.Disconnect(id_); }
  BenchConnection(const BenchConnection&) = delete;
  BenchConnection& operator=(const BenchConnection&) = delete;

  Status Send(std::span<const std::string_view> argv) override {
    if (bench_.cancelled()) return Status(StatusCode::kCancelled);
    if (broken_) return Status(StatusCode::kUnavailable);
    if (bench_.before_ && argv[0] == bench_.before_command_) {
      std::exchange(bench_.before_, nullptr)();
    }
    ++bench_.sent_;
    bench_.Advance(kTravel);
    bench_.server_.Execute(id_, sim::redis::Argv(argv.begin(), argv.end()));
    EXPECT_EQ(bench_.server_.unmodelled(), std::nullopt);
    if (argv[0] == bench_.lose_reply_to_) {
      bench_.lose_reply_to_.clear();
      broken_ = true;
    }
    return Status();
  }

  Result<Reply> Receive(MonotonicTime deadline) override {
    if (bench_.cancelled()) return Status(StatusCode::kCancelled);
    if (broken_) return Status(StatusCode::kUnknownOutcome, "the connection broke");
    std::deque<Reply>& replies = bench_.replies_[id_];
    while (replies.empty()) {
      const std::optional<std::int64_t> timer = bench_.server_.NextTimerUs();
      const Duration left = deadline - bench_.Now();
      Duration step = left;
      if (timer) {
        step =
            std::min<Duration>(step, std::chrono::microseconds(*timer - bench_.server_.time_us()));
      } else if (deadline == kNever) {
        return Status(StatusCode::kCancelled, "nothing can ever wake this waiter");
      }
      if (left <= Duration::zero()) {
        broken_ = true;
        return Status(StatusCode::kUnknownOutcome, "deadline");
      }
      bench_.Advance(std::max<Duration>(step, std::chrono::microseconds(1)));
    }
    Reply reply = std::move(replies.front());
    replies.pop_front();
    return reply;
  }

  Result<Reply> ReceiveUnlessStopped(MonotonicTime deadline, const std::stop_token& /*stop*/,
                                     Duration /*patience*/) override {
    return Receive(deadline);
  }

  bool broken() const override { return broken_; }

 private:
  Bench& bench_;
  sim::redis::ClientId id_;
  bool broken_ = false;
};

std::unique_ptr<Event> Bench::NewEvent() { return std::make_unique<BenchEvent>(*this); }

Result<std::unique_ptr<Connection>> Bench::Connect(MonotonicTime /*deadline*/) {
  if (cancelled()) return Status(StatusCode::kCancelled);
  return std::unique_ptr<Connection>(std::make_unique<BenchConnection>(*this));
}

class BenchView final : public harness::ServerView {
 public:
  explicit BenchView(const sim::redis::Server& server) : server_(server) {}
  std::optional<std::string> String(std::string_view key) const override {
    return server_.PeekString(0, key);
  }
  std::vector<std::string> List(std::string_view key) const override {
    return server_.PeekList(0, key);
  }
  std::vector<std::pair<std::string, std::string>> Hash(std::string_view key) const override {
    return server_.PeekHash(0, key);
  }
  std::vector<std::pair<std::string, double>> SortedSet(std::string_view key) const override {
    return server_.PeekSortedSet(0, key);
  }
  std::optional<std::int64_t> ExpiresAtMs(std::string_view key) const override {
    return server_.PeekExpiresAtMs(0, key);
  }
  std::int64_t NowMs() const override { return server_.time_us() / 1000; }

 private:
  const sim::redis::Server& server_;
};

std::vector<std::shared_ptr<const Subject>> Everything() {
  std::vector<std::shared_ptr<const Subject>> all = SoundSubjects();
  for (const Specimen& specimen : Specimens()) all.push_back(specimen.subject);
  return all;
}

const Subject& Named(const std::vector<std::shared_ptr<const Subject>>& all,
                     std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const auto& subject) { return subject->name() == name; });
  return found == all.end() ? *all.front() : **found;
}

bool IsDefiniteNo(StatusCode code) {
  return code == StatusCode::kNotAcquired || code == StatusCode::kTimeout;
}

std::vector<std::string> TokensOf(const std::vector<harness::Owner>& owners) {
  std::vector<std::string> tokens;
  for (const harness::Owner& owner : owners) tokens.push_back(owner.token);
  return tokens;
}

/// A test over every subject, each with a bench of its own.
class EverySubject : public testing::TestWithParam<std::string> {
 protected:
  const Subject& subject() const { return Named(all_, GetParam()); }
  std::unique_ptr<Lock> NewLock() { return bench_.NewLock(subject()); }
  std::optional<std::vector<harness::Owner>> Owners() {
    return subject().Owners(BenchView(bench_.server()), bench_.options());
  }

  const std::vector<std::shared_ptr<const Subject>> all_ = Everything();
  Bench bench_;
};

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& subject : Everything()) {
    // One grants to nobody, another keeps nothing of what it grants: that is their story. The
    // others renew beside their holders, and a bench has no tasks.
    if (subject->name() == "broken/inverted-test") continue;
    if (subject->name() == "broken/reentrant-frees-all") continue;
    if (subject->name() == "broken/renewal-outlives-release") continue;
    if (subject->traits().renews) continue;
    if (subject->traits().quorum) continue;  // and it has one server
    names.emplace_back(subject->name());
  }
  return names;
}

/// Specimens whose waiters do not see that a lease has ended, or stay back when it has, or whose
/// leases do not end.
bool WaitsInVain(std::string_view name) {
  static const std::set<std::string_view> kNames = {
      "broken/blocks-for-ever", "broken/milliseconds-as-seconds", "broken/push-then-delete",
      "broken/signal-deleted",  "broken/waits-out-the-herd",      "broken/zero-is-for-ever"};
  return kNames.contains(name);
}

/// Specimens that do not give up at their deadline.
bool OutwaitsItsDeadline(std::string_view name) {
  return name == "broken/deadline-not-looked-at" || name == "broken/sleeps-to-the-end" ||
         name == "broken/zero-is-for-ever";
}

INSTANTIATE_TEST_SUITE_P(Subjects, EverySubject, testing::ValuesIn(Names()),
                         [](const auto& parameter) {
                           std::string name;
                           for (const char c : parameter.param) {
                             if (c != '/' && c != '-' && c != '.') name += c;
                           }
                           return name;
                         });

TEST_P(EverySubject, AcquiresRefusesAndReleases) {
  const std::unique_ptr<Lock> first = NewLock();
  const std::unique_ptr<Lock> second = NewLock();
  Result<std::unique_ptr<Hold>> hold = first->TryAcquire();
  ASSERT_TRUE(hold.ok()) << hold.status().ToString();
  EXPECT_GT((*hold)->valid_until(), bench_.Now());
  const Result<std::unique_ptr<Hold>> refused = second->TryAcquire();
  EXPECT_TRUE(IsDefiniteNo(refused.code())) << refused.status().ToString();
  EXPECT_TRUE((*hold)->Release().ok());

  Result<std::unique_ptr<Hold>> next = second->TryAcquire();
  ASSERT_TRUE(next.ok()) << next.status().ToString();
  EXPECT_TRUE((*next)->Release().ok());
}

/// The entry in the server is the hold's own token, ends no earlier than its belief, and goes away.
TEST_P(EverySubject, ShowsItsOwnerWhileHeld) {
  const std::unique_ptr<Lock> lock = NewLock();
  const MonotonicTime before = bench_.Now();
  Result<std::unique_ptr<Hold>> hold = lock->TryAcquire();
  ASSERT_TRUE(hold.ok());
  const std::optional<std::vector<harness::Owner>> owners = Owners();
  if (!owners.has_value()) return;
  ASSERT_EQ(TokensOf(*owners), std::vector<std::string>{(*hold)->owner_token()});
  ASSERT_TRUE(owners->front().expires_at_ms.has_value());
  const int in_seconds = subject().name() == "broken/milliseconds-as-seconds" ? 1000 : 1;
  EXPECT_EQ(*owners->front().expires_at_ms,
            bench_.server().time_us() / 1000 + kLease.count() * in_seconds);
  EXPECT_LT((*hold)->valid_until(), before + kLease);
  EXPECT_TRUE((*hold)->Release().ok());
  EXPECT_EQ(Owners()->size(), 0U);
}

TEST_P(EverySubject, UsesNoKeyOutsideItsPrefix) {
  const std::unique_ptr<Lock> lock = NewLock();
  Result<std::unique_ptr<Hold>> hold = lock->TryAcquire();
  ASSERT_TRUE(hold.ok());
  EXPECT_FALSE(bench_.server().PeekKeys(0).empty());
  for (const auto& info : bench_.server().PeekKeys(0)) {
    EXPECT_EQ(info.key.rfind(bench_.options().key_prefix, 0), 0U) << info.key;
  }
}

TEST_P(EverySubject, GivesUpAtTheDeadline) {
  if (OutwaitsItsDeadline(subject().name())) return;
  const std::unique_ptr<Lock> first = NewLock();
  const std::unique_ptr<Lock> second = NewLock();
  Result<std::unique_ptr<Hold>> hold = first->TryAcquire();
  ASSERT_TRUE(hold.ok());
  const MonotonicTime deadline = bench_.Now() + milliseconds(350);
  const Result<std::unique_ptr<Hold>> refused = second->AcquireUntil(deadline);
  EXPECT_EQ(refused.code(), StatusCode::kTimeout) << refused.status().ToString();
  EXPECT_GE(bench_.Now(), deadline - milliseconds(1)) << "Redis counts in milliseconds";
  EXPECT_LE(bench_.Now(), deadline + milliseconds(100));
}

TEST_P(EverySubject, AcquiresWithoutADeadlineWhenTheLeaseOfAnotherEnds) {
  if (!Owners().has_value()) return;  // a lock without leases would wait for ever, as it should
  if (WaitsInVain(subject().name())) return;
  const std::unique_ptr<Lock> first = NewLock();
  const std::unique_ptr<Lock> second = NewLock();
  Result<std::unique_ptr<Hold>> hold = first->TryAcquire();
  ASSERT_TRUE(hold.ok());
  const MonotonicTime start = bench_.Now();
  const Result<std::unique_ptr<Hold>> next = second->AcquireUntil(kNever);
  ASSERT_TRUE(next.ok()) << next.status().ToString();
  const Duration travel = milliseconds(1);
  EXPECT_LE(bench_.Now(), start + kLease + subject().WakeUpBound(bench_.options()) + travel);
}

/// The holder may be dead: what its objects do when they go must not be seen by the server.
TEST_P(EverySubject, SendsNothingWhenAHoldIsDropped) {
  const std::unique_ptr<Lock> lock = NewLock();
  Result<std::unique_ptr<Hold>> hold = lock->TryAcquire();
  ASSERT_TRUE(hold.ok());
  const int sent = bench_.sent();
  (*hold).reset();
  EXPECT_EQ(bench_.sent(), sent);
}

/// Wherever the run is torn down, the waiter comes back at once.
TEST_P(EverySubject, EndsWhenCancelledAnywhere) {
  for (int commands = 0; commands < 12; ++commands) {
    Bench bench;
    const std::unique_ptr<Lock> first = bench.NewLock(subject());
    const std::unique_ptr<Lock> second = bench.NewLock(subject());
    Result<std::unique_ptr<Hold>> hold = first->TryAcquire();
    ASSERT_TRUE(hold.ok());
    bench.CancelAfter(commands);
    const Result<std::unique_ptr<Hold>> waited = second->AcquireUntil(kNever);
    if (!waited.ok()) {
      EXPECT_EQ(waited.code(), StatusCode::kCancelled);
    }
    EXPECT_LE(bench.sent(), commands + 20);
  }
}

TEST(SpecimensTest, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const auto& subject : Everything()) {
    EXPECT_TRUE(names.insert(subject->name()).second) << subject->name();
    EXPECT_FALSE(subject->summary().empty());
  }
  EXPECT_EQ(names.size(), SoundSubjects().size() + Specimens().size());
}

TEST(SpecimensTest, EveryExpectationNamesAJudgedProperty) {
  for (const Specimen& specimen : Specimens()) {
    EXPECT_FALSE(specimen.expected.empty()) << specimen.subject->name();
    for (const Conviction& conviction : specimen.expected) {
      EXPECT_TRUE(JudgedFromSlug(conviction.property).has_value()) << conviction.property;
      EXPECT_FALSE(conviction.scenario.empty());
    }
  }
}

/// A test of one page's story.
class StoryTest : public testing::Test {
 protected:
  std::unique_ptr<Lock> NewLock(std::string_view name) {
    const Subject& subject = Named(all_, name);
    EXPECT_EQ(subject.name(), name);
    return bench_.NewLock(subject);
  }

  const std::string key_ = "test:job";
  const std::vector<std::shared_ptr<const Subject>> all_ = Everything();
  Bench bench_;
};

TEST_F(StoryTest, ExistsSetExpireGrantsTwiceIfBothSeeTheKeyAbsent) {
  const auto first = NewLock("broken/exists-set-expire");
  const auto second = NewLock("broken/exists-set-expire");
  std::unique_ptr<Hold> inner;
  bench_.Before("SET", [&] { inner = std::move(second->TryAcquire()).value(); });
  Result<std::unique_ptr<Hold>> outer = first->TryAcquire();
  ASSERT_TRUE(outer.ok());
  ASSERT_NE(inner, nullptr);
  EXPECT_EQ(bench_.server().PeekString(0, key_), (*outer)->owner_token());
  EXPECT_EQ(inner->Release().code(), StatusCode::kNotOwner);
}

TEST_F(StoryTest, ExistsSetExpireLeavesAKeyWithoutTtl) {
  const auto lock = NewLock("broken/exists-set-expire");
  bench_.CancelAfter(2);
  EXPECT_FALSE(lock->TryAcquire().ok());
  EXPECT_TRUE(bench_.server().PeekString(0, key_).has_value());
  EXPECT_EQ(bench_.TtlOf(key_), std::nullopt);
}

TEST_F(StoryTest, SetnxThenExpireLeavesAKeyWithoutTtlAndSaysNotAcquired) {
  const auto lock = NewLock("broken/setnx-then-expire");
  bench_.LoseReplyTo("SETNX");
  EXPECT_EQ(lock->TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(bench_.server().PeekString(0, key_).has_value());
  EXPECT_EQ(bench_.TtlOf(key_), std::nullopt);
}

TEST_F(StoryTest, GetCompareDelReleasesWhoeverHoldsAfterTheComparison) {
  const auto first = NewLock("broken/get-compare-del");
  const auto second = NewLock("broken/get-compare-del");
  Result<std::unique_ptr<Hold>> hold = first->TryAcquire();
  ASSERT_TRUE(hold.ok());
  bench_.Before("DEL", [&] {
    bench_.Advance(kLease + milliseconds(1));
    EXPECT_TRUE(second->TryAcquire().ok());
  });
  EXPECT_TRUE((*hold)->Release().ok());
  EXPECT_FALSE(bench_.server().PeekString(0, key_).has_value());
}

TEST_F(StoryTest, DelWithoutOwnerReleasesWhoeverHolds) {
  const auto first = NewLock("broken/del-without-owner");
  const auto second = NewLock("broken/del-without-owner");
  Result<std::unique_ptr<Hold>> hold = first->TryAcquire();
  ASSERT_TRUE(hold.ok());
  bench_.Advance(kLease + milliseconds(1));
  ASSERT_TRUE(second->TryAcquire().ok());
  EXPECT_TRUE((*hold)->Release().ok());
  EXPECT_FALSE(bench_.server().PeekString(0, key_).has_value());
}

/// The control of the test above.
TEST_F(StoryTest, MutexLeavesAnotherHoldersKeyAlone) {
  const auto first = NewLock("mutex");
  const auto second = NewLock("mutex");
  Result<std::unique_ptr<Hold>> hold = first->TryAcquire();
  ASSERT_TRUE(hold.ok());
  bench_.Advance(kLease + milliseconds(1));
  const Result<std::unique_ptr<Hold>> next = second->TryAcquire();
  ASSERT_TRUE(next.ok());
  EXPECT_EQ((*hold)->Release().code(), StatusCode::kNotOwner);
  EXPECT_EQ(bench_.server().PeekString(0, "test:{job}"), next.value()->owner_token());
}

TEST_F(StoryTest, RedisSingleFileLetsAnotherInAfterAWaiterHasGivenUp) {
  const auto holder = NewLock("broken/redis-single-file");
  const auto third = NewLock("broken/redis-single-file");
  Result<std::unique_ptr<Hold>> hold = holder->TryAcquire();
  ASSERT_TRUE(hold.ok());
  EXPECT_FALSE(third->TryAcquire().ok());
  EXPECT_TRUE(third->TryAcquire().ok());
}

TEST_F(StoryTest, RedisSingleFileLosesTheTokenWithTheReplyToBlpop) {
  const auto first = NewLock("broken/redis-single-file");
  const auto second = NewLock("broken/redis-single-file");
  bench_.LoseReplyTo("BLPOP");
  EXPECT_EQ(first->AcquireUntil(kNever).code(), StatusCode::kCancelled);
  EXPECT_EQ(second->AcquireUntil(kNever).code(), StatusCode::kCancelled);
}

TEST_F(StoryTest, RedisSingleFilePushesTwiceIfTheReplyToLpushIsLost) {
  const auto lock = NewLock("broken/redis-single-file");
  Result<std::unique_ptr<Hold>> hold = lock->TryAcquire();
  ASSERT_TRUE(hold.ok());
  bench_.LoseReplyTo("LPUSH");
  EXPECT_TRUE((*hold)->Release().ok());
  EXPECT_EQ(bench_.server().PeekList(0, "test:RedisSingleFile/Queue/job").size(), 2U);
}

}  // namespace
}  // namespace interlock::scenarios
