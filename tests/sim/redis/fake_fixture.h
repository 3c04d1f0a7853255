// SPDX-License-Identifier: MIT
//
// A server with a clock that the test moves, and everything it sent, as text.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

class FakeTest : public ::testing::Test, protected Sink {
 protected:
  FakeTest() {
    server_.SetSink(this);
    At(kStartMs);
    client_ = server_.Connect();
  }

  void OnReply(ClientId client, Value& value) override {
    log_.push_back(std::to_string(client) + " " + ToText(value));
  }
  void OnClosed(ClientId client) override { log_.push_back(std::to_string(client) + " closed"); }

  void At(std::int64_t ms) {
    now_ms_ = ms;
    server_.SetTime(ms * 1000);
  }
  void Advance(std::int64_t ms) { At(now_ms_ + ms); }

  /// What the command sent, to whomever: "1 OK", joined by "; ".
  std::string Sent(ClientId client, const Argv& argv) {
    log_.clear();
    server_.Execute(client, argv);
    return Joined();
  }
  std::string Joined() const {
    std::string all;
    for (const std::string& line : log_) all += (all.empty() ? "" : "; ") + line;
    return all;
  }
  /// The reply to the first client alone: "OK". REQUIRES: it is the only thing sent.
  std::string Run(const Argv& argv) {
    const std::string sent = Sent(client_, argv);
    const std::string own = std::to_string(client_) + " ";
    return sent.starts_with(own) ? sent.substr(own.size()) : "no single reply: " + sent;
  }
  std::string Eval(const std::string& body, const Argv& keys = {}, const Argv& arguments = {}) {
    Argv argv = {"EVAL", body, std::to_string(keys.size())};
    argv.insert(argv.end(), keys.begin(), keys.end());
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return Run(argv);
  }

  static constexpr std::int64_t kStartMs = 1'700'000'000'000;
  Server server_;
  ClientId client_ = 0;
  std::int64_t now_ms_ = 0;
  std::vector<std::string> log_;
};

}  // namespace interlock::sim::redis
