// SPDX-License-Identifier: MIT
//
// What an observer is told, and in which order.
#include <interlock/observer.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <interlock/count_down_latch.h>
#include <interlock/fair_mutex.h>
#include <interlock/redlock.h>

#include "tests/lib/lib_test.h"

namespace interlock {
namespace {

using namespace std::chrono_literals;
using Kind = Observation::Kind;
using testing::Answer;
using ::testing::ElementsAre;

/// Keeps what the views refer to as well.
class Notes final : public Observer {
 public:
  struct Note {
    Observation what;
    std::string resource;
    std::string token;
  };

  void Observe(const Observation& what) noexcept override {
    notes_.push_back({what, std::string(what.resource), std::string(what.token)});
  }

  std::vector<std::string_view> kinds() const {
    std::vector<std::string_view> kinds;
    for (const Note& note : notes_) kinds.push_back(ToString(note.what.kind));
    return kinds;
  }
  const Note& at(std::size_t index) const { return notes_.at(index); }
  const Note& last() const { return notes_.back(); }
  void Clear() { notes_.clear(); }

 private:
  std::vector<Note> notes_;
};

class ObserverTest : public LockTest {
 protected:
  Mutex NewObserved(Duration lease = 10s) {
    return Mutex::Create(watched_, "res", {.key_prefix = "t:", .lease = lease}).value();
  }

  std::shared_ptr<Notes> notes_ = std::make_shared<Notes>();
  Client watched_{runtime_, connector_, {.observer = notes_}};
};

TEST_F(ObserverTest, EveryKindHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (std::size_t kind = 0; kind < Observation::kKinds; ++kind) {
    names.insert(ToString(static_cast<Kind>(kind)));
  }
  EXPECT_EQ(names.size(), Observation::kKinds);
  EXPECT_EQ(names.count("undefined"), 0U);
}

TEST_F(ObserverTest, TheConnectorsEventsAreCountedByTheSameObserver) {
  auto counts = std::make_shared<CountingObserver>();
  const TopologyObserver tell = ToTopologyObserver(counts);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < TopologyEvent::kKinds; ++i) {
    const auto kind = static_cast<TopologyEvent::Kind>(i);
    names.insert(ToString(kind));
    for (std::size_t times = 0; times <= i; ++times) tell({kind, {"10.0.0.1", 6379}});
    EXPECT_EQ(counts->count(kind), i + 1);
  }
  EXPECT_EQ(names.size(), TopologyEvent::kKinds);
  EXPECT_EQ(names.count("undefined"), 0U);
  EXPECT_EQ(counts->count(Kind::kRetried), 0U);

  EXPECT_FALSE(ToTopologyObserver(nullptr));
  notes_->ObserveTopology({});  // who does not care need not override it
}

TEST_F(ObserverTest, AHoldFromTryToRelease) {
  Mutex mutex = NewObserved();
  Script(Grant(7).After(3ms));
  Result<Lease> lease = mutex.TryAcquire();
  ASSERT_TRUE(lease.ok());
  EXPECT_THAT(notes_->kinds(), ElementsAre("attempt", "connected", "granted"));
  EXPECT_EQ(notes_->at(0).resource, "t:{res}");
  EXPECT_EQ(notes_->at(0).what.attempt, 1);
  EXPECT_EQ(notes_->at(1).resource, connector_.endpoint());
  EXPECT_EQ(notes_->last().token, lease->token());
  EXPECT_EQ(notes_->last().what.fencing_token, 7U);
  EXPECT_EQ(notes_->last().what.valid_until, lease->valid_until());
  EXPECT_EQ(notes_->last().what.duration, 3ms);
  EXPECT_EQ(notes_->last().what.at, runtime_.Now());
  notes_->Clear();

  runtime_.Advance(1s);
  Script(Number(1).After(2ms));
  ASSERT_TRUE(lease->Extend().ok());
  runtime_.Advance(1s);
  Script(Number(1));
  ASSERT_TRUE(lease->Release().ok());
  EXPECT_THAT(notes_->kinds(), ElementsAre("extended", "released"));
  EXPECT_EQ(notes_->at(0).what.duration, 2ms);
  EXPECT_EQ(notes_->at(0).what.valid_until, lease->valid_until());
  EXPECT_EQ(notes_->at(1).what.duration, 2002ms);
  EXPECT_TRUE(notes_->at(1).what.status.ok());
}

TEST_F(ObserverTest, AWaitInAllItsSteps) {
  Mutex mutex = NewObserved();
  Script(Refuse(8s));
  Pop(Hint().After(2s));
  Script(Grant(1));
  Result<Lease> lease = mutex.AcquireFor(5s);
  ASSERT_TRUE(lease.ok());
  EXPECT_THAT(notes_->kinds(),
              ElementsAre("attempt", "connected", "refused", "waiting", "attempt", "granted"));
  EXPECT_EQ(notes_->at(2).what.duration, 8s);
  EXPECT_EQ(notes_->at(3).what.duration, 5s);
  EXPECT_EQ(notes_->at(4).what.attempt, 2);
  EXPECT_EQ(notes_->last().what.duration, 2s);
  lease->Forget();
}

TEST_F(ObserverTest, GivingUpTellsWhy) {
  Mutex mutex = NewObserved();
  Script(Refuse(8s));
  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_THAT(notes_->kinds(), ElementsAre("attempt", "connected", "refused", "gave-up"));
  EXPECT_EQ(notes_->last().what.status.code(), StatusCode::kNotAcquired);
}

TEST_F(ObserverTest, EveryPauseIsTold) {
  Mutex mutex = NewObserved();
  connector_.FailConnect(Status(StatusCode::kUnavailable, "refused"));
  connector_.FailConnect(Status(StatusCode::kUnavailable, "refused"));
  Script(Grant(1));
  mutex.AcquireFor(5s)->Forget();
  EXPECT_THAT(notes_->kinds(),
              ElementsAre("attempt", "connect-failed", "retried", "attempt", "connect-failed",
                          "retried", "attempt", "reconnected", "granted"));
  EXPECT_EQ(notes_->at(2).what.attempt, 1);
  EXPECT_EQ(notes_->at(5).what.attempt, 2);
  EXPECT_EQ(notes_->at(5).what.status.code(), StatusCode::kUnavailable);
  ASSERT_EQ(runtime_.waits().size(), 2U);
  EXPECT_EQ(notes_->at(2).what.duration, runtime_.waits()[0]);
  EXPECT_EQ(notes_->at(5).what.duration, runtime_.waits()[1]);
}

TEST_F(ObserverTest, TheTriesOfAReleaseAreTold) {
  Mutex mutex = NewObserved();
  Script(Grant(1));
  Result<Lease> lease = mutex.TryAcquire();
  notes_->Clear();
  Script(Answer::Reset());
  Script(Number(1));
  ASSERT_TRUE(lease->Release().ok());
  EXPECT_THAT(notes_->kinds(), ElementsAre("retried", "reconnected", "released"));
  EXPECT_EQ(notes_->at(0).what.status.code(), StatusCode::kUnknownOutcome);
}

TEST_F(ObserverTest, ALossIsToldOnceByClockOrByWord) {
  Mutex mutex = NewObserved();
  Script(Grant(1));
  Result<Lease> lease = mutex.TryAcquire();
  notes_->Clear();
  runtime_.Advance(20s);
  EXPECT_FALSE(lease->valid());
  EXPECT_FALSE(lease->valid());
  EXPECT_THAT(notes_->kinds(), ElementsAre("lost"));
  EXPECT_EQ(notes_->last().what.status.code(), StatusCode::kLeaseLost);
  lease->Forget();

  Script(Grant(2));
  lease = mutex.TryAcquire();
  notes_->Clear();
  Script(Number(0));
  EXPECT_EQ(lease->Extend().code(), StatusCode::kNotOwner);
  EXPECT_THAT(notes_->kinds(), ElementsAre("lost", "extended"));
  EXPECT_EQ(notes_->at(0).what.status.code(), StatusCode::kNotOwner);
  EXPECT_EQ(notes_->at(1).what.status.code(), StatusCode::kNotOwner);
  EXPECT_EQ(notes_->at(0).token, lease->token());
}

TEST_F(ObserverTest, AFairWaiterAndALatchTellAsWell) {
  FairMutex mutex = FairMutex::Create(watched_, "res", {.key_prefix = "t:", .lease = 10s}).value();
  Script(Refuse(8s));
  Pop(Answer::With(testing::Array({testing::Text("turn"), testing::Text("5 1")})).After(1s));
  Result<Lease> lease = mutex.AcquireFor(5s);
  ASSERT_TRUE(lease.ok());
  EXPECT_THAT(notes_->kinds(),
              ElementsAre("attempt", "connected", "refused", "waiting", "granted"));
  EXPECT_EQ(notes_->last().token, notes_->at(0).token);
  lease->Forget();
  notes_->Clear();

  CountDownLatch latch = CountDownLatch::Create(watched_, "res").value();
  const auto open =
      Answer::With(testing::Array({testing::Integer(1), testing::Integer(0), testing::Integer(0)}));
  const auto closed =
      Answer::With(testing::Array({testing::Integer(1), testing::Integer(1), testing::Integer(0)}));
  Script(closed);
  Pop(Hint().After(1s));
  Script(open);
  ASSERT_TRUE(latch.AwaitFor(5s).ok());
  EXPECT_THAT(notes_->kinds(), ElementsAre("attempt", "refused", "waiting", "attempt", "granted"));
  EXPECT_EQ(notes_->last().what.duration, 1s);
}

TEST_F(ObserverTest, ARedlockTellsThroughItsFirstClient) {
  testing::FakeConnector second{runtime_, "redis://second"};
  testing::FakeConnector third{runtime_, "redis://third"};
  Client two(runtime_, second);
  Client three(runtime_, third);
  Redlock lock = Redlock::Create({&watched_, &two, &three}, "res").value();
  const auto refuse = [](const auto&) { return Refuse(8s); };
  connector_.Otherwise(refuse);
  second.Otherwise(refuse);
  third.Otherwise(refuse);
  EXPECT_EQ(lock.AcquireFor(20ms).code(), StatusCode::kTimeout);
  const auto kinds = notes_->kinds();
  ASSERT_GE(kinds.size(), 5U);
  EXPECT_THAT(std::vector(kinds.begin(), kinds.begin() + 5),
              ElementsAre("attempt", "connected", "refused", "waiting", "attempt"));
  EXPECT_EQ(kinds.back(), "gave-up");
  EXPECT_EQ(notes_->at(2).what.duration, 8001ms);
  EXPECT_EQ(notes_->at(4).what.attempt, 2);
}

TEST_F(ObserverTest, CountsMakeMetrics) {
  auto counts = std::make_shared<CountingObserver>();
  Client client(runtime_, connector_, {.observer = counts});
  Mutex mutex = Mutex::Create(client, "res", {.lease = 10s}).value();
  for (int i = 0; i < 2; ++i) {
    Script(Refuse(8s));
    Pop(Hint().After(2s));
    Script(Grant(1));
    Result<Lease> lease = mutex.Acquire();
    Script(i == 0 ? Number(1) : Number(0));
    (void)lease->Release();
  }
  EXPECT_EQ(counts->count(Kind::kAttempt), 4U);
  EXPECT_EQ(counts->count(Kind::kGranted), 2U);
  EXPECT_EQ(counts->total(Kind::kGranted), 4s);
  EXPECT_EQ(counts->count(Kind::kReleased), 2U);
  EXPECT_EQ(counts->failed(Kind::kReleased), 1U);
  EXPECT_EQ(counts->failed(Kind::kGranted), 0U);
}

// Without an observer nothing is asked of the runtime that was not asked before there were any.
TEST_F(ObserverTest, WithoutOneTheClockIsNotRead) {
  class Counting final : public Runtime {
   public:
    explicit Counting(Runtime& inner) : inner_(inner) {}
    MonotonicTime Now() override {
      ++reads_;
      return inner_.Now();
    }
    std::unique_ptr<Event> NewEvent() override { return inner_.NewEvent(); }
    std::unique_ptr<Task> Spawn(std::string_view name, std::function<void()> body) override {
      return inner_.Spawn(name, std::move(body));
    }
    void FillRandom(std::span<std::byte> bytes) override { inner_.FillRandom(bytes); }
    int TakeReads() { return std::exchange(reads_, 0); }

   private:
    Runtime& inner_;
    int reads_ = 0;
  };
  Counting runtime(runtime_);
  const auto reads = [&](ClientOptions options) {
    Client client(runtime, connector_, std::move(options));
    Mutex mutex = Mutex::Create(client, "res").value();
    Script(Grant(1));
    Script(Number(1));
    (void)mutex.TryAcquire()->Release();
    return runtime.TakeReads();
  };
  // Connecting, sending the acquire, looking at its validity, sending the release.
  EXPECT_EQ(reads({}), 4);
  EXPECT_GT(reads({.observer = notes_}), 4);
}

}  // namespace
}  // namespace interlock
