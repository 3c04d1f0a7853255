// SPDX-License-Identifier: MIT
//
// Runs the same lines on a real redis-server and on the fake, and compares what clients see, what
// goes to the append-only file, and which keyspace events are published.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/engine.h"
#include "tests/redis/differential/wire_client.h"
#include "tests/support/redis_server.h"

namespace interlock::testing {

class EffectsTest : public ::testing::Test, private sim::redis::Sink {
 protected:
  /// One server for all cases of a suite.
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;

  /// Each line is a command of words without blanks: "SET k v". "2> BLPOP q 0" is sent by the
  /// second connection; "\\x00" and the like stand for bytes; "$now+100" is the Unix time in
  /// seconds 100 s from now, "$nowms+100000" the same in ms; "~10" waits for 10 ms. Everything
  /// begins with no data, and what is over stays until a command meets it: see DEBUG
  /// SET-ACTIVE-EXPIRE.
  void Check(std::string_view lines);

 private:
  using Lines = std::vector<std::string>;
  struct Connection {
    std::unique_ptr<WireClient> real;
    sim::redis::ClientId fake = 0;
  };

  void OnReply(sim::redis::ClientId client, sim::redis::Value& value) override;
  void OnClosed(sim::redis::ClientId) override {}
  Connection& At(int number);
  void RunLine(std::string line);
  /// The fake's clock goes on, and with it the collection of what is over.
  void Pass();
  void CompareReplies(const std::string& line);
  Lines FakeEffects();
  Lines RealEffects();
  Lines FakeEvents();
  Lines RealEvents();
  std::string Normalised(const std::string& word) const;
  std::string Text(int database, const sim::redis::Argv& argv) const;
  std::string AppendOnlyFile() const;

  static std::unique_ptr<sim::machine::RedisServer> server_;
  sim::redis::Engine engine_;
  std::map<int, Connection> connections_;
  std::map<sim::redis::ClientId, std::vector<sim::redis::Value>> replies_;
  std::unique_ptr<WireClient> subscriber_;
  sim::redis::ClientId fake_subscriber_ = 0;
  std::int64_t now_ms_ = 0;
  std::int64_t waited_ms_ = 0;
  std::size_t file_start_ = 0;
};

}  // namespace interlock::testing
