// SPDX-License-Identifier: MIT
#include "tests/redis/differential/connection_fixture.h"

#include <sys/time.h>

#include <cstdint>
#include <optional>
#include <sstream>
#include <utility>

#include "tests/redis/differential/tested_server.h"

namespace interlock::testing {

using sim::redis::Argv;
using sim::redis::ToText;
using sim::redis::Value;

namespace {

// "id=3 addr=... name=x" with what differs between two servers left out.
std::string HideClientFields(const std::string& text) {
  const std::set<std::string> hidden = {
      "id",  "addr", "laddr",    "fd",        "age",     "idle",      "rbs",
      "rbp", "omem", "argv-mem", "multi-mem", "tot-mem", "qbuf-free", "tot-net-out"};
  std::string shown;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::string name = word.substr(0, word.find('='));
    shown += (hidden.count(name) != 0 ? name : word) + " ";
  }
  return shown;
}

// "name:value" lines: the names.
std::string NamesOfInfo(const std::string& text) {
  std::string names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) names += line.substr(0, line.find(':')) + "\n";
  return names;
}

void Hide(Value* value) {
  for (Value& element : value->elements) Hide(&element);
  if (value->text.find(" laddr=") != std::string::npos) value->text = HideClientFields(value->text);
  if (value->text.starts_with("# ")) value->text = NamesOfInfo(value->text);
  if (value->elements.size() == 14 && value->elements[0].text == "server") {
    value->elements[7].integer = 0;
  }
}

std::string FakeAddress(std::size_t i) { return "127.0.0.1:" + std::to_string(50000 + i); }

}  // namespace

void ConnectionComparison::SetUp() {
  sim::machine::RedisServerOptions options;
  options.arguments = {"--enable-debug-command", "yes"};
  auto started = sim::machine::RedisServer::Start(options);
  ASSERT_TRUE(started.ok()) << started.status().message();
  real_ = std::move(*started);
  fake_.SetSink(this);
  fake_.SetDialect(TestedDialect());
  SetTime();
  EXPECT_EQ(fake_.Configure("enable-debug-command", "yes"), "");
  for (std::size_t i = 0; i < kConnections; ++i) {
    wires_[i] = std::make_unique<WireClient>(real_->port());
    ids_[i] = fake_.Connect(FakeAddress(i));
    const std::string info = wires_[i]->Call({"CLIENT", "INFO"}).text;
    real_ids_[i] = info.substr(3, info.find(' ') - 3);
    const std::size_t at = info.find("addr=") + 5;
    real_addresses_[i] = info.substr(at, info.find(' ', at) - at);
    fake_.Execute(ids_[i], {"CLIENT", "INFO"});
  }
  replies_.clear();
}

void ConnectionComparison::SetTime() {
  timeval now{};
  ::gettimeofday(&now, nullptr);
  fake_.SetTime(std::int64_t{now.tv_sec} * 1000000 + now.tv_usec);
}

Argv ConnectionComparison::Filled(const Argv& argv, bool real) const {
  Argv filled = argv;
  for (std::string& word : filled) {
    for (std::size_t i = 0; i < kConnections; ++i) {
      const std::string number = std::to_string(i);
      if (word == "$ID" + number) word = real ? real_ids_[i] : std::to_string(ids_[i]);
      if (word == "$ADDR" + number) word = real ? real_addresses_[i] : FakeAddress(i);
    }
  }
  return filled;
}

void ConnectionComparison::CompareReplies(const std::string& where) {
  for (std::size_t i = 0; i < kConnections; ++i) {
    for (Value& expected : replies_[ids_[i]]) {
      std::optional<Value> actual = wires_[i]->Read();
      ASSERT_TRUE(actual) << where << "\nredis sent nothing to " << i << ", the fake "
                          << ToText(expected);
      Hide(&expected);
      Hide(&*actual);
      EXPECT_EQ(ToText(expected), ToText(*actual)) << where << "\nto connection " << i;
    }
    replies_[ids_[i]].clear();
  }
}

void ConnectionComparison::Compare(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    const std::string where = std::to_string(step.connection) + "> " + ToText(step.argv);
    wires_[step.connection]->Send(Filled(step.argv, true));
    SetTime();
    fake_.Execute(ids_[step.connection], Filled(step.argv, false));
    ASSERT_FALSE(fake_.unmodelled()) << where << ": " << *fake_.unmodelled();
    CompareReplies(where);
    if (HasFatalFailure()) return;
    // No answer tells that the real server has read what blocks.
    if (step.argv[0] == "BLPOP" && fake_.IsBlocked(ids_[step.connection])) {
      ASSERT_TRUE(real_->AwaitBlockedClients(1)) << where;
    }
  }
  for (std::size_t i = 0; i < kConnections; ++i) {
    const bool closed = closed_.count(ids_[i]) != 0;
    if (closed) {
      EXPECT_FALSE(wires_[i]->Read()) << "more for the closed connection " << i;
      EXPECT_TRUE(wires_[i]->closed()) << i;
    } else if (!fake_.IsBlocked(ids_[i])) {
      wires_[i]->Send({"PING"});
      fake_.Execute(ids_[i], {"PING"});
    }
  }
  CompareReplies("at the end");
}

std::vector<ConnectionComparison::Step> ConnectionComparison::Alone(
    const std::vector<Argv>& commands) {
  std::vector<Step> steps;
  for (const Argv& argv : commands) steps.push_back({0, argv});
  return steps;
}

}  // namespace interlock::testing
