// SPDX-License-Identifier: MIT
//
// The check on a real redis-server: sound locks pass, broken ones are convicted, and the server is
// left as it was found.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/locks/specimen.h"
#include "scenarios/search/real/real_check.h"
#include "tests/support/redis_server.h"

namespace interlock::scenarios {
namespace {

using interlock::testing::RedisServer;
using interlock::testing::RedisServerOptions;

/// Two ways to get a lock wrong: SET without NX lets everybody in; without PX nobody gets in again
/// after a crash.
enum class Mistake { kNoExclusion, kNoTtl };

class BrokenHold final : public harness::Hold {
 public:
  BrokenHold(harness::Environment& environment, std::string key, MonotonicTime valid_until)
      : environment_(environment), key_(std::move(key)), valid_until_(valid_until) {}

  std::string owner_token() const override { return ""; }
  MonotonicTime valid_until() const override { return valid_until_; }
  Status Release() override {
    const MonotonicTime deadline = environment_.runtime.Now() + std::chrono::seconds(2);
    auto connection = environment_.connector.Connect(deadline);
    if (!connection.ok()) return connection.status();
    const std::vector<std::string_view> del = {"DEL", key_};
    return (*connection)->Call(del, deadline).status();
  }

 private:
  harness::Environment& environment_;
  const std::string key_;
  const MonotonicTime valid_until_;
};

class BrokenLock final : public harness::Lock {
 public:
  BrokenLock(harness::Environment& environment, harness::LockOptions options, Mistake mistake)
      : environment_(environment), options_(std::move(options)), mistake_(mistake) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    Runtime& runtime = environment_.runtime;
    const MonotonicTime sent = runtime.Now();
    const MonotonicTime deadline = sent + std::chrono::seconds(2);
    auto connection = environment_.connector.Connect(deadline);
    if (!connection.ok()) return connection.status();
    const std::string key = options_.key_prefix + options_.resource;
    const std::string lease = std::to_string(options_.lease.count());
    const std::vector<std::string_view> set =
        mistake_ == Mistake::kNoExclusion
            ? std::vector<std::string_view>{"SET", key, "x", "PX", lease}
            : std::vector<std::string_view>{"SET", key, "x", "NX"};
    const Result<Reply> reply = (*connection)->Call(set, deadline);
    if (!reply.ok()) return reply.status();
    if (!reply->IsStatus("OK")) return Status(StatusCode::kNotAcquired, "taken");
    const Duration belief = options_.lease - options_.lease / 50;
    return std::unique_ptr<harness::Hold>(
        std::make_unique<BrokenHold>(environment_, key, sent + belief));
  }

  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    for (;;) {
      auto hold = TryAcquire();
      Runtime& runtime = environment_.runtime;
      if (hold.code() != StatusCode::kNotAcquired || runtime.Now() >= deadline) return hold;
      runtime.NewEvent()->WaitUntil(
          std::min(deadline, runtime.Now() + std::chrono::milliseconds(5)));
    }
  }

 private:
  harness::Environment& environment_;
  const harness::LockOptions options_;
  const Mistake mistake_;
};

class BrokenSubject final : public harness::Subject {
 public:
  explicit BrokenSubject(Mistake mistake) : mistake_(mistake) {}
  std::string_view name() const override { return "broken"; }
  std::string_view summary() const override { return "for this test"; }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<BrokenLock>(environment, options, mistake_);
  }
  std::optional<std::vector<harness::Owner>> Owners(const harness::ServerView&,
                                                    const harness::LockOptions&) const override {
    return std::nullopt;
  }

 private:
  const Mistake mistake_;
};

class RealCheckTest : public ::testing::Test {
 protected:
  void SetUp() override { StartServer({}); }

  void StartServer(sim::machine::RedisServerOptions options) {
    server_.reset();
    auto server = sim::machine::RedisServer::Start(std::move(options));
    ASSERT_TRUE(server.ok()) << server.status().ToString();
    server_ = std::move(server).value();
    options_.url = server_->url();
  }

  void Choose(std::string_view scenario) { options_.scenarios.push_back(FindScenario(scenario)); }
  void Choose(std::shared_ptr<const harness::Subject> subject) {
    options_.entries.push_back({std::move(subject), false, {}});
  }

  reports::RunReport MustRun() {
    auto report = RunRealCheck(options_);
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    return report.ok() ? std::move(report).value() : reports::RunReport{};
  }

  static bool Notes(const reports::RunReport& report, std::string_view text) {
    for (const std::string& note : report.notes) {
      if (note.find(text) != std::string::npos) return true;
    }
    return false;
  }

  static const reports::ResultRow* Row(const reports::RunReport& report,
                                       std::string_view property) {
    for (const reports::ResultRow& row : report.results) {
      if (row.property == property) return &row;
    }
    return nullptr;
  }

  void ExpectEmpty(int database) {
    // DBSIZE of a database with nothing in it; INFO names only those that have keys.
    const auto size = server_->Command({"EVAL",
                                        "redis.call('SELECT', ARGV[1]); "
                                        "return redis.call('DBSIZE')",
                                        "0", std::to_string(database)});
    ASSERT_TRUE(size.ok()) << size.status().ToString();
    EXPECT_EQ(*size, "0") << "database " << database;
  }

  std::unique_ptr<sim::machine::RedisServer> server_;
  RealCheckOptions options_;
};

using EverySoundLockOnARealServerTest = RealCheckTest;

TEST_F(EverySoundLockOnARealServerTest, HoldsAndRemovesEachOfItsKeys) {
  for (const auto& subject : SoundSubjects()) Choose(subject);
  for (const char* name : {"contention", "crash", "seed-002", "lossy"}) Choose(name);
  const reports::RunReport report = MustRun();
  EXPECT_FALSE(report.results.empty());
  for (const reports::ResultRow& row : report.results) {
    EXPECT_TRUE(row.pass) << row.lock << " " << row.scenario << " " << row.property << " "
                          << ToString(row.verdict) << ": " << row.reason;
  }
  for (const reports::GoalCount& goal : report.goals) EXPECT_GT(goal.count, 0U) << goal.name;
  EXPECT_EQ(report.backend, server_->url());
  // Of each lock: four runs of each of two workloads, and the story of seed-002, which is none of a
  // latch's; more where a promise was not put to the test. A lock of a quorum needs more servers.
  EXPECT_GE(report.totals.runs, 9U * (SoundSubjects().size() - 2) + 8U);
  std::map<std::string, std::uint64_t> runs;  // by lock and scenario
  for (const reports::ResultRow& row : report.results)
    runs[row.lock + " " + row.scenario] = row.runs;
  std::uint64_t all = 0;
  for (const auto& [unit, count] : runs) all += count;
  EXPECT_EQ(report.totals.runs, all) << "none is left out, or counted twice";
  EXPECT_GT(report.totals.commands, 100U);
  EXPECT_GE(report.totals.runs_with_faults, 4U);
  EXPECT_EQ(report.status, reports::RunStatus::kComplete);
  const std::string story = ": 1 lease, 8 refusals, winner's lease lost before release: not-owner";
  EXPECT_TRUE(Notes(report, "seed-002 mutex" + story));
  EXPECT_TRUE(Notes(report, "seed-002 single-file" + story));
  EXPECT_TRUE(Notes(report, "left in peace): lossy"));
  ExpectEmpty(0);
  ExpectEmpty(15);
}

TEST_F(RealCheckTest, ForeignKeysStayAndNothingForbiddenIsSent) {
  ASSERT_TRUE(server_->Command({"SET", "interlock:check:somebody else's", "1"}).ok());
  ASSERT_TRUE(server_->Command({"SET", "REDIS_LOCK_{20171228}", "mine"}).ok());
  ASSERT_TRUE(server_->Command({"CONFIG", "RESETSTAT"}).ok());
  Choose(SoundSubjects().front());
  Choose("contention");
  MustRun();
  EXPECT_EQ(*server_->Command({"DBSIZE"}), "2");
  EXPECT_EQ(*server_->Command({"GET", "REDIS_LOCK_{20171228}"}), "mine");
  EXPECT_GT(server_->Calls("unlink"), 0);
  for (const char* name : {"flushall", "flushdb", "script|flush", "config|set", "keys"}) {
    EXPECT_EQ(server_->Calls(name), 0) << name;
  }
}

TEST_F(RealCheckTest, ALockWithoutExclusionIsConvicted) {
  Choose(std::make_shared<BrokenSubject>(Mistake::kNoExclusion));
  Choose("contention");
  const reports::RunReport report = MustRun();
  for (const char* property : {"belief-exclusion", "section-exclusion", "server-exclusion"}) {
    const reports::ResultRow* row = Row(report, property);
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->verdict, reports::Verdict::kViolated) << property;
    EXPECT_FALSE(row->pass);
    EXPECT_TRUE(row->runs_to_first_violation.has_value());
    EXPECT_FALSE(row->reason.empty());
  }
}

TEST_F(RealCheckTest, ALockWithoutTtlIsConvictedAfterACrash) {
  Choose(std::make_shared<BrokenSubject>(Mistake::kNoTtl));
  Choose("crash");
  const reports::RunReport report = MustRun();
  for (const char* property : {"crash-recovery", "keys"}) {
    const reports::ResultRow* row = Row(report, property);
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->verdict, reports::Verdict::kViolated) << property << ": " << row->reason;
  }
  ExpectEmpty(0);
}

TEST_F(RealCheckTest, ABudgetRepeatsItWithFurtherSeeds) {
  options_.budget = std::chrono::seconds(14);
  Choose(SoundSubjects().front());
  Choose("seed-002");
  const reports::RunReport report = MustRun();
  EXPECT_TRUE(Notes(report, "rounds, with the seeds from 1 on"));
  EXPECT_GT(report.totals.runs, 1U);
  for (const reports::ResultRow& row : report.results) {
    EXPECT_EQ(row.runs, report.totals.runs);
    EXPECT_TRUE(row.pass) << row.property << ": " << row.reason;
  }
}

TEST_F(RealCheckTest, AStoppedCheckIsPartialAndLeavesNoKeys) {
  std::atomic<bool> stop{true};
  options_.stop = &stop;
  Choose(SoundSubjects().front());
  Choose("contention");
  const reports::RunReport report = MustRun();
  EXPECT_EQ(report.status, reports::RunStatus::kPartial);
  EXPECT_TRUE(report.results.empty());
  ExpectEmpty(0);
}

std::atomic<bool> alarm_rang{false};
void OnAlarm(int) { alarm_rang = true; }

TEST_F(RealCheckTest, ASignalInTheMiddleEndsTheCheckAndItsClients) {
  options_.stop = &alarm_rang;
  Choose(std::make_shared<BrokenSubject>(Mistake::kNoTtl));
  Choose("crash");
  std::signal(SIGALRM, OnAlarm);
  alarm(2);  // in the middle: every run with a crash of this lock takes longer
  const reports::RunReport report = MustRun();
  std::signal(SIGALRM, SIG_DFL);
  EXPECT_EQ(report.status, reports::RunStatus::kPartial);
  ExpectEmpty(0);
}

TEST_F(RealCheckTest, CredentialsAreUsedAndNeverShown) {
  sim::machine::RedisServerOptions options;
  options.arguments = {"--requirepass", "secret"};
  options.password = "secret";
  StartServer(std::move(options));
  options_.url = "redis://:secret@127.0.0.1:" + std::to_string(server_->port());
  Choose(SoundSubjects().front());
  Choose("seed-002");
  const reports::RunReport report = MustRun();
  EXPECT_EQ(report.backend, server_->url());
  EXPECT_FALSE(Notes(report, "secret"));
}

TEST_F(RealCheckTest, AServerWithOneDatabaseIsUsedAsItIs) {
  sim::machine::RedisServerOptions options;
  options.arguments = {"--databases", "1"};
  StartServer(std::move(options));
  Choose(SoundSubjects().front());
  Choose("seed-002");
  const reports::RunReport report = MustRun();
  EXPECT_TRUE(Notes(report, "in database 0"));
  EXPECT_EQ(*server_->Command({"DBSIZE"}), "0");
}

TEST_F(RealCheckTest, AReadOnlyReplicaIsRefused) {
  const auto replica = sim::machine::RedisServer::Start(
      {.arguments = {"--replicaof", "127.0.0.1 " + std::to_string(server_->port())}});
  ASSERT_TRUE(replica.ok()) << replica.status().ToString();
  options_.url = (*replica)->url();
  Choose(SoundSubjects().front());
  Choose("contention");
  const auto report = RunRealCheck(options_);
  EXPECT_EQ(report.code(), StatusCode::kUnavailable);
  EXPECT_NE(report.status().message().find("replica"), std::string::npos)
      << report.status().message();
}

TEST(RealCheckOptionsTest, AUrlThatLeavesTheMachineIsRefused) {
  RealCheckOptions options;
  options.entries.push_back({SoundSubjects().front(), false, {}});
  options.scenarios = {FindScenario("contention")};
  for (const char* url :
       {"redis://192.0.2.1:6379", "redis://redis.example", "redis://[2001:db8::1]",
        "redis://127.0.0.1.example", "redis://128.0.0.1"}) {
    options.url = url;
    const auto report = RunRealCheck(options);
    EXPECT_EQ(report.code(), StatusCode::kInvalidArgument) << url;
    EXPECT_NE(report.status().message().find("--allow-remote"), std::string::npos) << url;
  }
}

TEST(RealCheckOptionsTest, ThisMachineUnderItsOtherNamesIsOnlyUnreachable) {
  RealCheckOptions options;
  options.entries.push_back({SoundSubjects().front(), false, {}});
  options.scenarios = {FindScenario("contention")};
  for (const char* url : {"redis://127.0.0.1:1", "redis://127.9.9.9:1", "redis://[::1]:1",
                          "redis://localhost:1", "redis+unix:///nonexistent/redis.sock"}) {
    options.url = url;
    EXPECT_EQ(RunRealCheck(options).code(), StatusCode::kUnavailable) << url;
  }
}

TEST(RealCheckOptionsTest, NothingToRunIsAnError) {
  RealCheckOptions options;
  options.url = "redis://127.0.0.1:1";
  EXPECT_EQ(RunRealCheck(options).code(), StatusCode::kInvalidArgument);
  options.entries.push_back({SoundSubjects().front(), true, {}});  // a specimen
  options.scenarios = {FindScenario("contention")};
  EXPECT_EQ(RunRealCheck(options).code(), StatusCode::kInvalidArgument);
  options.entries.front().specimen = false;
  options.scenarios = {FindScenario("lossy")};
  EXPECT_EQ(RunRealCheck(options).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace interlock::scenarios
