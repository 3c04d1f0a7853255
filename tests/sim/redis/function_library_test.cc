// SPDX-License-Identifier: MIT
//
// Libraries of functions: what they see, who may call them, and what outlives a crash of the server
// or reaches its replicas. What is answered word for word is compared with real servers elsewhere.
#include <string>

#include "sim/redis/dialect.h"
#include "sim/redis/rdb/library_payload.h"
#include "sim/redis/reply.h"
#include "tests/sim/redis/fake_fixture.h"
#include "tests/sim/redis/topology_fixture.h"

namespace interlock::sim::redis {
namespace {

constexpr const char* kLocks = R"(#!lua name=locks
local releases = 0
redis.register_function('release', function(keys, args)
  if redis.call('get', keys[1]) ~= args[1] then return 0 end
  releases = releases + 1
  return redis.call('del', keys[1])
end)
redis.register_function{
  function_name = 'releases', flags = {'no-writes'}, callback = function() return releases end}
)";

class FunctionLibraryTest : public FakeTest {
 protected:
  std::string Load(const std::string& code) { return Run({"FUNCTION", "LOAD", "REPLACE", code}); }
  std::string Call(const std::string& function) { return Run({"FCALL", function, "0"}); }
  void Restart() {
    server_.Kill({});
    server_.Start(0);
    client_ = server_.Connect();
  }
  void Become(const Dialect& dialect) {
    server_.SetDialect(dialect);
    server_.Reset();
    At(kStartMs);
    client_ = server_.Connect();
  }
  void SetLock() { ASSERT_EQ(Run({"SET", "lock", "me"}), "OK"); }
  std::string Release() { return Run({"FCALL", "release", "1", "lock", "me"}); }
};

TEST_F(FunctionLibraryTest, LocalVariablesLastAsLongAsTheLibrary) {
  EXPECT_EQ(Load(kLocks), "\"locks\"");
  SetLock();
  EXPECT_EQ(Release(), "(integer) 1");
  EXPECT_EQ(Release(), "(integer) 0");
  EXPECT_EQ(Run({"FCALL_RO", "Releases", "0"}), "(integer) 1");
  EXPECT_EQ(Run({"FLUSHALL"}), "OK");
  EXPECT_EQ(Call("releases"), "(integer) 1");
  EXPECT_EQ(Load(kLocks), "\"locks\"");
  EXPECT_EQ(Call("releases"), "(integer) 0");
}

TEST_F(FunctionLibraryTest, AnUnlockFailsIfARestartHasForgottenItsFunction) {
  ASSERT_EQ(server_.Configure("save", ""), "");
  Load(kLocks);
  Restart();
  SetLock();
  EXPECT_EQ(Release(), "(error) ERR Function not found");
  EXPECT_EQ(Run({"GET", "lock"}), "\"me\"");
}

TEST_F(FunctionLibraryTest, ASnapshotHoldsTheLibraries) {
  Load(kLocks);
  SetLock();
  EXPECT_EQ(Run({"SAVE"}), "OK");
  EXPECT_EQ(Run({"FUNCTION", "DELETE", "locks"}), "OK");
  Restart();
  EXPECT_EQ(Release(), "(integer) 1");
  EXPECT_EQ(Call("releases"), "(integer) 1");
}

// The same function, in a library of this name.
std::string Naming(const std::string& library) {
  return "#!lua name=" + library + "\nredis.register_function('who', function() return '" +
         library + "' end)";
}

TEST_F(FunctionLibraryTest, ADumpIsRestoredByItsPolicy) {
  const auto restore = [this](const std::vector<std::string>& texts, const Argv& policy) {
    Argv argv = {"FUNCTION", "RESTORE", WriteLibraries(texts, server_.dialect())};
    argv.insert(argv.end(), policy.begin(), policy.end());
    return Run(argv);
  };
  Load(Naming("a"));
  EXPECT_EQ(Run({"FUNCTION", "DUMP"}),
            ToText(StringValue(WriteLibraries(std::vector{Naming("a")}, server_.dialect()))));
  EXPECT_EQ(restore({kLocks}, {}), "OK");
  EXPECT_EQ(restore({kLocks}, {"APPEND"}), "(error) ERR Library locks already exists");
  EXPECT_EQ(restore({kLocks}, {"replace"}), "OK");
  EXPECT_EQ(restore({Naming("b")}, {"REPLACE"}), "(error) ERR Function who already exists");
  EXPECT_EQ(Call("who"), "\"a\"");
  EXPECT_EQ(restore({Naming("b")}, {"FLUSH"}), "OK");
  EXPECT_EQ(Call("who"), "\"b\"");
  EXPECT_EQ(Call("releases"), "(error) ERR Function not found");
  EXPECT_EQ(restore({}, {"FLUSH"}), "OK");
  EXPECT_EQ(Run({"FUNCTION", "LIST"}), "[]");
}

TEST_F(FunctionLibraryTest, ADumpIsRestoredAsAWholeOrNotAtAll) {
  const auto restore = [this](const std::vector<std::string>& texts) {
    return Run({"FUNCTION", "RESTORE", WriteLibraries(texts, server_.dialect()), "FLUSH"});
  };
  Load(Naming("a"));
  EXPECT_EQ(restore({kLocks, Naming("b"), Naming("c")}), "(error) ERR Function who already exists");
  EXPECT_EQ(restore({kLocks, kLocks}), "(error) ERR Library 'locks' already exists");
  EXPECT_EQ(restore({kLocks, "#!lua name=a\n"}), "(error) ERR No functions registered");
  EXPECT_EQ(Call("who"), "\"a\"");
  EXPECT_EQ(Call("releases"), "(error) ERR Function not found");
}

TEST_F(FunctionLibraryTest, ADumpOfALaterFormatIsRefused) {
  const std::string later = WriteLibraries(std::vector{Naming("a")}, *FindDialect("valkey-9.1"));
  const Argv restore = {"FUNCTION", "RESTORE", later};
  const std::string refusal = "(error) ERR DUMP payload version or checksum are wrong";
  EXPECT_EQ(Run(restore), refusal);
  Become(*FindDialect("valkey-8.1"));
  EXPECT_EQ(Run(restore), refusal);
  Become(*FindDialect("valkey-9.1"));
  EXPECT_EQ(Run(restore), "OK");
  const std::string foreign = WriteLibraries(std::vector{Naming("b")}, *FindDialect("redis-8.0"));
  EXPECT_EQ(Run({"FUNCTION", "RESTORE", foreign}), refusal);
}

TEST_F(FunctionLibraryTest, TheAppendOnlyFileHoldsThem) {
  ASSERT_EQ(server_.Configure("appendonly", "yes"), "");
  Load("#!lua name=other\nredis.register_function('other', function() return 1 end)");
  Load(kLocks);
  EXPECT_EQ(Run({"BGREWRITEAOF"}), "Background append only file rewriting started");
  EXPECT_EQ(Run({"FUNCTION", "DELETE", "other"}), "OK");
  SetLock();
  Restart();
  EXPECT_EQ(Release(), "(integer) 1");
  EXPECT_EQ(Call("other"), "(error) ERR Function not found");
}

TEST_F(FunctionLibraryTest, AFailedLoadLeavesWhatWasThere) {
  Load(kLocks);
  for (const char* code : {"#!lua name=locks\nnothing()", "#!lua name=locks\n",
                           "#!lua name=locks\nredis.register_function('x y', function() end)"}) {
    EXPECT_TRUE(Load(code).starts_with("(error) ERR ")) << code;
  }
  EXPECT_EQ(Run({"FUNCTION", "LOAD",
                 "#!lua name=thief\n"
                 "redis.register_function('RELEASE', function() end)"}),
            "(error) ERR Function RELEASE already exists");
  EXPECT_EQ(Call("releases"), "(integer) 0");
}

TEST_F(FunctionLibraryTest, FunctionsWhoseNamesDifferOnlyInCaseAreNotModelled) {
  Load(
      "#!lua name=a\nredis.register_function('f', function() end) "
      "redis.register_function('F', function() end)");
  ASSERT_TRUE(server_.unmodelled());
  EXPECT_EQ(*server_.unmodelled(), "functions whose names differ only in case");
}

TEST_F(FunctionLibraryTest, ALoadWithoutEndIsNotModelled) {
  Load("#!lua name=a\nwhile true do end");
  ASSERT_TRUE(server_.unmodelled());
  EXPECT_EQ(*server_.unmodelled(), "FUNCTION LOAD for so long");
}

TEST_F(FunctionLibraryTest, ValkeyEndsWhereALibraryLogsWhileItIsLoaded) {
  constexpr const char* kLogs =
      "#!lua name=a\nredis.log(redis.LOG_NOTICE, 'x')\n"
      "redis.register_function('f', function() redis.log(redis.LOG_NOTICE, 'y') return 1 end)";
  EXPECT_EQ(Load(kLogs), "\"a\"");
  EXPECT_EQ(Call("f"), "(integer) 1");
  Become(*FindDialect("valkey-9.1"));
  Load(kLogs);
  EXPECT_TRUE(server_.unmodelled());
}

TEST_F(FunctionLibraryTest, FlushForgetsTheSettingsOfCjsonInSomeServers) {
  constexpr const char* kCode =
      "#!lua name=a\n"
      "redis.register_function('short', function() cjson.encode_number_precision(3) end)\n"
      "redis.register_function('show', function() return cjson.encode({1.23456}) end)";
  for (const Dialect& dialect : Dialects()) {
    Become(dialect);
    Load(kCode);
    Call("short");
    EXPECT_EQ(Call("show"), "\"[1.23]\"");
    EXPECT_EQ(Eval("return cjson.encode({1.23456})"), "\"[1.23456]\"");
    Run({"FUNCTION", "FLUSH"});
    Load(kCode);
    EXPECT_EQ(Call("show"), dialect.flush_restarts_lua ? "\"[1.23456]\"" : "\"[1.23]\"")
        << dialect.name;
  }
}

TEST_F(FunctionLibraryTest, ScriptsAndFunctionsShareOneSequenceOfRandomNumbers) {
  Load("#!lua name=a\nredis.register_function('draw', function() return math.random(1000) end)");
  const std::string first = Call("draw");
  const std::string second = Eval("return math.random(1000)");
  Restart();
  EXPECT_EQ(Eval("return math.random(1000)"), first);
  Load("#!lua name=a\nredis.register_function('draw', function() return math.random(1000) end)");
  EXPECT_EQ(Call("draw"), second);
}

// Sends the commands in turn while the function runs.
class BusyFunctionTest : public FunctionLibraryTest {
 protected:
  void SetUp() override {
    Load(
        "#!lua name=a\nredis.register_function('loop', function(k) while true do end end)\n"
        "redis.register_function('write', function(k) redis.call('set', k[1], 'v') "
        "for i = 1, 900000 do end return 1 end)");
  }
  std::string While(const Argv& call, std::vector<Argv> commands) {
    server_.SetLongScriptHandler(
        [this, commands = std::move(commands), next = std::size_t{0}, calls = 0]() mutable {
          Advance(3000);
          if (++calls < 3 || next == commands.size()) return;
          server_.Execute(other_, commands[next++]);
        });
    return Sent(client_, call);
  }
  const ClientId other_ = server_.Connect();
};

TEST_F(BusyFunctionTest, OnlyFunctionKillEndsIt) {
  const std::string busy =
      "2 (error) BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN "
      "NOSAVE.; ";
  EXPECT_EQ(While({"FCALL", "loop", "0"},
                  {{"GET", "k"}, {"SCRIPT", "KILL"}, {"FUNCTION", "LIST"}, {"FUNCTION", "KILL"}}),
            busy + busy + busy +
                "2 OK; 1 (error) ERR Script killed by user with SCRIPT KILL... script: loop, on "
                "@user_function:2.");
}

TEST_F(BusyFunctionTest, StatsShowWhatRuns) {
  EXPECT_TRUE(While({"FCALL", "loop", "1", "k"}, {{"FUNCTION", "STATS"}, {"FUNCTION", "KILL"}})
                  .starts_with("2 [\"running_script\", [\"name\", \"loop\", \"command\", "
                               "[\"FCALL\", \"loop\", \"1\", \"k\"], \"duration_ms\", "
                               "9000], \"engines\", [\"LUA\", [\"libraries_count\", "
                               "1, \"functions_count\", 2]]]; 2 OK; "))
      << Joined();
  EXPECT_TRUE(While({"EVAL", "while true do end", "0"},
                    {{"FUNCTION", "STATS"}, {"FUNCTION", "KILL"}, {"SCRIPT", "KILL"}})
                  .starts_with("2 (error) BUSY Redis is busy running a script. You can only call "
                               "SCRIPT KILL or SHUTDOWN NOSAVE.; 2 (error) BUSY "))
      << Joined();
}

TEST_F(BusyFunctionTest, WhatHasWrittenCannotBeKilled) {
  const std::string sent = While({"FCALL", "write", "1", "k"}, {{"FUNCTION", "KILL"}});
  EXPECT_TRUE(sent.starts_with("2 (error) UNKILLABLE ")) << sent;
  EXPECT_TRUE(sent.ends_with("1 (integer) 1")) << sent;
}

TEST_F(BusyFunctionTest, ValkeySaysItInOtherWords) {
  Become(*FindDialect("valkey-8.1"));
  ASSERT_EQ(server_.Connect(), other_);
  SetUp();
  EXPECT_EQ(While({"FCALL", "loop", "0"}, {{"PING"}, {"FUNCTION", "KILL"}}),
            "2 (error) BUSY Valkey is busy running a script. You can only call FUNCTION KILL or "
            "SHUTDOWN NOSAVE.; 2 OK; 1 (error) ERR Script killed by user with FUNCTION KILL. "
            "script: loop, on @user_function:2.");
}

class ReplicatedFunctionTest : public TopologyTest {
 protected:
  void SetUp() override {
    Build(TopologySpec::WithReplicas(1));
    Pass(2 * kSecond);
  }
};

TEST_F(ReplicatedFunctionTest, AReplicaGetsLibrariesAndEffectsAndRunsOnlyWhatReads) {
  EXPECT_EQ(Run(0, {"FUNCTION", "LOAD", kLocks}), "\"locks\"");
  EXPECT_EQ(Run(0, {"SET", "lock", "me"}), "OK");
  EXPECT_EQ(Run(0, {"FCALL", "release", "1", "lock", "me"}), "(integer) 1");
  Pass(kSecond);
  EXPECT_EQ(Run(1, {"EXISTS", "lock"}), "(integer) 0");
  // The master's own variable; of the function the replica has only seen the effects.
  EXPECT_EQ(Run(0, {"FCALL", "releases", "0"}), "(integer) 1");
  EXPECT_EQ(Run(1, {"FCALL", "releases", "0"}), "(integer) 0");
  const std::string refusal = "(error) READONLY You can't write against a read only replica.";
  EXPECT_EQ(Run(1, {"FCALL", "release", "1", "lock", "me"}), refusal);
  EXPECT_EQ(Run(1, {"FUNCTION", "FLUSH"}), refusal);
}

TEST_F(ReplicatedFunctionTest, AFullResyncBringsTheMastersLibrariesAndNoOthers) {
  Run(1, {"REPLICAOF", "NO", "ONE"});
  Run(1, {"FUNCTION", "LOAD", "#!lua name=own\nredis.register_function('own', function() end)"});
  Run(0, {"FUNCTION", "LOAD", kLocks});
  Run(1, {"REPLICAOF", "10.0.0.1", "6379"});
  Pass(5 * kSecond);
  EXPECT_EQ(Run(1, {"FCALL_RO", "releases", "0"}), "(integer) 0");
  EXPECT_EQ(Run(1, {"FCALL", "own", "0"}), "(error) ERR Function not found");
}

TEST_F(ReplicatedFunctionTest, AMasterThatRestartsWithoutADiskForgetsThem) {
  Run(0, {"FUNCTION", "LOAD", kLocks});
  Pass(kSecond);
  Restart(0);
  EXPECT_EQ(Run(0, {"FCALL", "release", "1", "lock", "me"}), "(error) ERR Function not found");
}

}  // namespace
}  // namespace interlock::sim::redis
