// SPDX-License-Identifier: MIT
#include <interlock/options.h>

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <interlock/client.h>
#include <interlock/mutex.h>
#include <interlock/single_file.h>

#include "tests/support/fake_connection.h"
#include "tests/support/manual_runtime.h"

namespace interlock {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

class OptionsTest : public ::testing::Test {
 protected:
  testing::ManualRuntime runtime_;
  testing::FakeConnector connector_{runtime_};
  Client client_{runtime_, connector_};
};

// The founding texts' defaults: name "default", 300 s, localhost, 6379, one at a time.
TEST_F(OptionsTest, SingleFileHasTheDocumentedDefaults) {
  const SingleFileOptions options;
  EXPECT_EQ(options.name, "default");
  EXPECT_EQ(options.expire_in, 300s);
  EXPECT_EQ(options.concurrency, 1);
  EXPECT_EQ(options.host, "localhost");
  EXPECT_EQ(options.port, 6379);
  EXPECT_TRUE(Validate(options).ok());
}

TEST_F(OptionsTest, AllDefaultsAreValid) {
  EXPECT_TRUE(Validate(ClientOptions()).ok());
  EXPECT_TRUE(Validate(MutexOptions()).ok());
}

TEST_F(OptionsTest, LockDelayMustBeWithinZeroAndOneHour) {
  for (const Duration lock_delay : {Duration(0), Duration(1ns), Duration(1h)}) {
    EXPECT_TRUE(Mutex::Create(client_, "a", {.lock_delay = lock_delay}).ok()) << lock_delay.count();
  }
  for (const Duration lock_delay :
       {Duration(-1ns), Duration::min(), Duration(1h + 1ns), Duration::max()}) {
    const Result<Mutex> refused = Mutex::Create(client_, "a", {.lock_delay = lock_delay});
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument) << lock_delay.count();
    EXPECT_NE(refused.status().message().find("lock_delay is "), std::string::npos);
  }
}

TEST_F(OptionsTest, LeaseMustBeWithinOneMillisecondAndOneDay) {
  for (const Duration lease : {Duration(1ms), Duration(1500us), Duration(24h)}) {
    EXPECT_TRUE(Mutex::Create(client_, "a", {.lease = lease}).ok()) << lease.count();
  }
  for (const Duration lease :
       {Duration(0), Duration(-1s), Duration(999us), Duration(24h + 1ns), Duration::max()}) {
    EXPECT_EQ(Mutex::Create(client_, "a", {.lease = lease}).code(), StatusCode::kInvalidArgument)
        << lease.count();
  }
}

TEST_F(OptionsTest, MessageNamesTheOptionTheValueAndTheRange) {
  const Result<Mutex> mutex = Mutex::Create(client_, "a", {.lease = 25h});
  EXPECT_THAT(mutex.status().message(),
              AllOf(HasSubstr("lease"), HasSubstr("25 h"), HasSubstr("1 ms to 24 h")));
}

TEST_F(OptionsTest, NameMayHoldAnythingButBraces) {
  EXPECT_TRUE(Mutex::Create(client_, std::string("a\0\n\xff:*", 6)).ok());
  EXPECT_TRUE(Mutex::Create(client_, std::string(512, 'x')).ok());
  EXPECT_EQ(Mutex::Create(client_, "").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Mutex::Create(client_, std::string(513, 'x')).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Mutex::Create(client_, "a}").code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Mutex::Create(client_, "{a").status().message(), HasSubstr("hash tag"));
}

TEST_F(OptionsTest, PrefixMayNotMoveTheHashTag) {
  EXPECT_EQ(Mutex::Create(client_, "a", {.key_prefix = "{x}"}).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(Mutex::Create(client_, "a", {.key_prefix = std::string(257, 'p')}).code(),
            StatusCode::kInvalidArgument);
  EXPECT_TRUE(Mutex::Create(client_, "a", {.key_prefix = ""}).ok());
}

TEST_F(OptionsTest, DriftAndRetryAreChecked) {
  EXPECT_FALSE(Mutex::Create(client_, "a", {.drift_per_mille = -1}).ok());
  EXPECT_FALSE(Mutex::Create(client_, "a", {.drift_per_mille = 501}).ok());
  EXPECT_FALSE(Mutex::Create(client_, "a", {.retry = {.max_wait = 0ms}}).ok());
  EXPECT_FALSE(Mutex::Create(client_, "a", {.retry = {.first_pause = 3s, .max_pause = 2s}}).ok());
}

TEST_F(OptionsTest, ConcurrencyIsChecked) {
  for (const int concurrency : {0, -1, kMaxConcurrency + 1}) {
    EXPECT_EQ(SingleFile::Create(client_, {.concurrency = concurrency}).code(),
              StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE(SingleFile::Create(client_, {.concurrency = kMaxConcurrency}).ok());
  EXPECT_FALSE(SingleFile::Create(client_, {.name = ""}).ok());
  EXPECT_FALSE(SingleFile::Create(client_, {.expire_in = 0s}).ok());
}

TEST_F(OptionsTest, EveryCreateReportsBadClientOptions) {
  Client bad(runtime_, connector_, {.command_timeout = 0ms});
  EXPECT_THAT(bad.status().message(), HasSubstr("command_timeout"));
  EXPECT_EQ(Mutex::Create(bad, "a").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(SingleFile::Create(bad).code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(Client(runtime_, connector_, {.max_idle_connections = -1}).status().ok());
  EXPECT_FALSE(Client(runtime_, connector_, {.release_attempts = 0}).status().ok());
  EXPECT_FALSE(Client(runtime_, connector_, {.cleanup_attempts = 0}).status().ok());
  for (const char* label : {"a b", "a@b", "a:b", "{a}", "123456789012345678901234567890123"}) {
    EXPECT_FALSE(Client(runtime_, connector_, {.label = label}).status().ok()) << label;
  }
  EXPECT_TRUE(Client(runtime_, connector_, {.label = "Web-1.eu_2"}).status().ok());
}

TEST_F(OptionsTest, OverrunBoundCountsRoundsAndPauses) {
  Client client(runtime_, connector_,
                {.command_timeout = 100ms, .connect_timeout = 200ms, .cleanup_attempts = 1});
  EXPECT_EQ(client.overrun_bound(), 3 * 300ms + 1ms);
  EXPECT_EQ(client.endpoint(), "redis://fake:6379/0");
}

TEST(StatusTest, HasStableNames) {
  EXPECT_EQ(ToString(StatusCode::kOk), "ok");
  EXPECT_EQ(ToString(StatusCode::kNotAcquired), "not-acquired");
  EXPECT_EQ(Status(StatusCode::kTimeout, "late").ToString(), "timeout: late");
  EXPECT_EQ(Status().ToString(), "ok");
}

}  // namespace
}  // namespace interlock
