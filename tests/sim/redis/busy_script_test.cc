// SPDX-License-Identifier: MIT
//
// Scripts that run for long: whom they keep waiting, who is told BUSY, and how they are killed. The
// long-script handler plays the part of the outer event loop: it moves the clock and lets others
// in.
#include <functional>
#include <string>

#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

constexpr const char* kEndless = "while true do end";
constexpr const char* kBusy =
    "(error) BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN "
    "NOSAVE.";

class BusyScriptTest : public FakeTest {
 protected:
  // Sends the commands, one each time that the script lets the others in, then kills it.
  void WhileBusy(std::vector<Argv> commands) {
    server_.SetLongScriptHandler([this, commands = std::move(commands), next = std::size_t{0},
                                  calls = 0]() mutable {
      Advance(3000);
      if (++calls < 3) return;  // The threshold is 5,000 ms.
      server_.Execute(other_, next < commands.size() ? commands[next++] : Argv{"SCRIPT", "KILL"});
    });
  }
  ClientId other_ = server_.Connect();
};

TEST_F(BusyScriptTest, OthersGetBusyAndScriptKillEndsIt) {
  WhileBusy({{"GET", "k"}, {"PING"}, {"EVAL", "return 1", "0"}});
  EXPECT_EQ(Sent(client_, {"EVAL", kEndless, "0"}),
            "2 " + std::string(kBusy) + "; 2 " + kBusy + "; 2 " + kBusy +
                "; 2 OK; 1 (error) ERR Script killed by user with SCRIPT KILL... script: "
                "694a5fe1ddb97a4c6a1bf299d9537c7d3d0f84e7, on @user_script:1.");
}

TEST_F(BusyScriptTest, TheThresholdIsConfigured) {
  ASSERT_EQ(Run({"CONFIG", "SET", "lua-time-limit", "100000"}), "OK");
  server_.SetLongScriptHandler([this] {
    server_.Execute(other_, {"PING"});
    Advance(20000);
  });
  EXPECT_EQ(Sent(client_, {"EVAL", "for i = 1, 150000 do end return 1", "0"}),
            "1 (integer) 1; 2 PONG");
}

TEST_F(BusyScriptTest, BeforeTheThresholdOthersWaitForItsEnd) {
  server_.SetLongScriptHandler([this] { server_.Execute(other_, {"GET", "k"}); });
  EXPECT_EQ(
      Sent(client_, {"EVAL", "for i = 1, 150000 do end redis.call('set', 'k', 'v') return 1", "0"}),
      "1 (integer) 1; 2 \"v\"");
}

TEST_F(BusyScriptTest, AKilledScriptCannotCatchItsEnd) {
  WhileBusy({});
  const std::string sent =
      Sent(client_, {"EVAL", "while true do pcall(function() while true do end end) end", "0"});
  EXPECT_TRUE(sent.starts_with("2 OK; 1 (error) ERR Script killed by user")) << sent;
}

TEST_F(BusyScriptTest, AScriptThatHasWrittenIsUnkillable) {
  server_.SetLongScriptHandler([this, calls = 0]() mutable {
    Advance(6000);
    if (++calls == 2) server_.Execute(other_, {"SCRIPT", "KILL"});
  });
  const std::string sent =
      Sent(client_, {"EVAL", "redis.call('set', 'k', 'v') for i = 1, 600000 do end return 1", "0"});
  EXPECT_TRUE(sent.starts_with("2 (error) UNKILLABLE Sorry the script already executed")) << sent;
  EXPECT_TRUE(sent.ends_with("1 (integer) 1")) << sent;
}

TEST_F(BusyScriptTest, ExecDuringABusyScriptAbortsItsTransaction) {
  ASSERT_EQ(Sent(other_, {"MULTI"}), "2 OK");
  ASSERT_EQ(Sent(other_, {"SET", "k", "v"}), "2 QUEUED");
  WhileBusy({{"EXEC"}});
  const std::string sent = Sent(client_, {"EVAL", kEndless, "0"});
  EXPECT_TRUE(sent.starts_with("2 (error) EXECABORT Transaction discarded because of: BUSY"))
      << sent;
  EXPECT_EQ(Run({"EXISTS", "k"}), "(integer) 0");
}

TEST_F(BusyScriptTest, TheNextScriptIsNotKilled) {
  WhileBusy({});
  (void)Sent(client_, {"EVAL", kEndless, "0"});
  server_.SetLongScriptHandler([] {});
  EXPECT_EQ(Eval("for i = 1, 300000 do end return 7"), "(integer) 7");
}

TEST_F(BusyScriptTest, TheClientOfTheScriptMayLeave) {
  server_.SetLongScriptHandler([this, calls = 0]() mutable {
    if (++calls > 1) return;
    server_.Disconnect(client_);
    (void)server_.Connect();
  });
  (void)Sent(client_, {"EVAL", "for i = 1, 300000 do end return 7", "0"});
  EXPECT_EQ(Sent(other_, {"PING"}), "2 PONG");
}

TEST_F(BusyScriptTest, AScriptIsAsLongAsItIsWhateverRanBefore) {
  int calls = 0;
  server_.SetLongScriptHandler([&] { ++calls; });
  for (int i = 0; i < 5; ++i) Eval("for i = 1, 60000 do end return 1");
  EXPECT_EQ(calls, 0);
}

TEST_F(BusyScriptTest, WithoutAHandlerAnEndlessScriptIsUnmodelled) {
  EXPECT_EQ(Sent(client_, {"EVAL", kEndless, "0"}), "");
  EXPECT_EQ(server_.unmodelled(), "script over the time limit (BUSY)");
}

TEST_F(BusyScriptTest, KillWithoutAScriptIsNotBusy) {
  EXPECT_EQ(Run({"SCRIPT", "KILL"}), "(error) NOTBUSY No scripts in execution right now.");
}

}  // namespace
}  // namespace interlock::sim::redis
