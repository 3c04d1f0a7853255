// SPDX-License-Identifier: MIT
//
// The fake and a real redis-server, one client of each, and one command after the other: for
// comparisons that need no more. See pair.h for several clients, and effects_fixture.h for what
// goes to files and subscribers.
#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "sim/redis/server.h"
#include "tests/redis/differential/tested_server.h"
#include "tests/redis/differential/wire_client.h"
#include "tests/support/redis_server.h"

namespace interlock::testing {

/// The words of a line; '' is an empty one.
inline sim::redis::Argv WordsOf(const std::string& line) {
  sim::redis::Argv argv;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) argv.push_back(word == "''" ? "" : word);
  return argv;
}

class SideBySideTest : public ::testing::Test, private sim::redis::Sink {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<sim::machine::RedisServer>> server = sim::machine::RedisServer::Start();
    ASSERT_TRUE(server.ok()) << server.status().message();
    server_ = std::move(server).value();
    real_ = std::make_unique<WireClient>(server_->port());
    fake_.SetDialect(TestedDialect());
    (void)fake_.Reset();
    fake_.SetSink(this);
    client_ = fake_.Connect();
  }

  /// What the fake answers; nil if it closes the connection, or has nothing to say.
  sim::redis::Value Fake(const sim::redis::Argv& argv) {
    reply_ = {};
    fake_.Execute(client_, argv);
    return reply_;
  }
  sim::redis::Value Real(const sim::redis::Argv& argv) { return real_->Call(argv); }

  sim::redis::Server& fake() { return fake_; }
  WireClient& real() { return *real_; }

 private:
  void OnReply(sim::redis::ClientId, sim::redis::Value& value) override { reply_ = value; }
  void OnClosed(sim::redis::ClientId) override { reply_ = {}; }

  std::unique_ptr<sim::machine::RedisServer> server_;
  std::unique_ptr<WireClient> real_;
  sim::redis::Server fake_;
  sim::redis::ClientId client_ = 0;
  sim::redis::Value reply_;
};

}  // namespace interlock::testing
