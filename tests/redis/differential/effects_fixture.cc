// SPDX-License-Identifier: MIT
#include "tests/redis/differential/effects_fixture.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "tests/redis/differential/tested_server.h"

namespace interlock::testing {

using sim::redis::Argv;
using sim::redis::ClientId;
using sim::redis::ToText;
using sim::redis::Value;

namespace {

constexpr const char* kEvents = "__keye*__:*";
constexpr const char* kEnd = "__keyend__:";

std::string Unescaped(const std::string& word) {
  std::string bytes;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word.compare(i, 2, "\\x") == 0 && i + 3 < word.size()) {
      bytes.push_back(static_cast<char>(std::stoi(word.substr(i + 2, 2), nullptr, 16)));
      i += 3;
    } else {
      bytes.push_back(word[i]);
    }
  }
  return bytes;
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

// "pmessage", pattern, channel, message.
std::string EventText(const Value& message) {
  return message.elements[2].text + " " + message.elements[3].text;
}

}  // namespace

std::unique_ptr<RedisServer> EffectsTest::server_;

void EffectsTest::SetUpTestSuite() {
  RedisServerOptions options;
  options.arguments = {"--appendonly",
                       "yes",
                       "--appendfsync",
                       "no",
                       "--save",
                       "",
                       "--notify-keyspace-events",
                       "AKEmn",
                       "--enable-debug-command",
                       "yes"};
  Result<std::unique_ptr<RedisServer>> server = RedisServer::Start(std::move(options));
  ASSERT_TRUE(server.ok()) << server.status().ToString();
  server_ = std::move(server).value();
  // Keys are deleted when a command meets them, not at any moment.
  WireClient(server_->port()).Call({"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
}

void EffectsTest::TearDownTestSuite() { server_.reset(); }

void EffectsTest::SetUp() {
  ASSERT_NE(server_, nullptr);
  engine_.sink = this;
  subscriber_ = std::make_unique<WireClient>(server_->port());
  subscriber_->Call({"PSUBSCRIBE", kEvents});
}

void EffectsTest::OnReply(ClientId client, Value& value) { replies_[client].push_back(value); }

EffectsTest::Connection& EffectsTest::At(int number) {
  Connection& connection = connections_[number];
  if (connection.real == nullptr) {
    connection.real = std::make_unique<WireClient>(server_->port());
    connection.fake = engine_.Connect("");
  }
  return connection;
}

std::string EffectsTest::AppendOnlyFile() const {
  std::ifstream file(server_->directory() + "/appendonlydir/appendonly.aof.1.incr.aof",
                     std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void EffectsTest::Check(std::string_view lines) {
  connections_.clear();
  WireClient control(server_->port());
  control.Call({"FLUSHALL"});
  const Value time = control.Call({"TIME"});
  now_ms_ = std::stoll(time.elements[0].text) * 1000 + std::stoll(time.elements[1].text) / 1000;
  control.Call({"PUBLISH", kEnd, "begin"});
  RealEvents();

  sim::redis::Config config = sim::redis::FreshConfig();
  config.notify_keyspace_events = sim::redis::kNotifyAll | sim::redis::kNotifyKeyMiss |
                                  sim::redis::kNotifyNew | sim::redis::kNotifyKeyspace |
                                  sim::redis::kNotifyKeyevent;
  engine_.SetDialect(TestedDialect());
  config.enable_debug_command = sim::redis::kAllowed;
  engine_.Reset(config);
  engine_.active_expiry = false;
  replies_.clear();
  waited_ms_ = 0;
  engine_.SetTime(now_ms_ * 1000);
  engine_.journal.SetActive(true);
  engine_.journal.KeepAll();
  fake_subscriber_ = engine_.Connect("");
  engine_.Execute(fake_subscriber_, {"PSUBSCRIBE", kEvents});
  replies_.clear();
  file_start_ = AppendOnlyFile().size();

  std::istringstream input{std::string(lines)};
  for (std::string line; std::getline(input, line);) {
    if (line.find_first_not_of(' ') != std::string::npos) RunLine(line);
  }
  control.Call({"PUBLISH", kEnd, "end"});
  const std::string story = "after:\n" + std::string(lines);
  EXPECT_FALSE(engine_.unmodelled) << *engine_.unmodelled << " is not modelled; " << story;
  EXPECT_EQ(Joined(FakeEffects()), Joined(RealEffects())) << "effects " << story;
  EXPECT_EQ(Joined(FakeEvents()), Joined(RealEvents())) << "events " << story;
}

void EffectsTest::RunLine(std::string line) {
  if (line.starts_with('~')) {
    const std::int64_t ms = std::stoll(line.substr(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    waited_ms_ += ms;
    return Pass();
  }
  int number = 1;
  if (const std::size_t arrow = line.find("> "); arrow != std::string::npos && arrow < 12) {
    number = std::stoi(line.substr(0, arrow));
    line.erase(0, arrow + 2);
  }
  Argv argv;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word.starts_with("$nowms")) {
      word = std::to_string(now_ms_ + std::stoll(word.substr(6)));
    } else if (word.starts_with("$now")) {
      word = std::to_string(now_ms_ / 1000 + std::stoll(word.substr(4)));
    }
    argv.push_back(word == "\"\"" ? "" : Unescaped(word));
  }
  Connection& connection = At(number);
  engine_.Execute(connection.fake, argv);
  connection.real->Send(argv);
  CompareReplies(line);
}

void EffectsTest::Pass() {
  engine_.SetTime((now_ms_ + waited_ms_) * 1000);
  if (!engine_.active_expiry) return;
  for (int database = 0; database < sim::redis::kDatabases; ++database) {
    engine_.keyspace.DeleteExpired(database);
    engine_.keyspace.CollectFields(database);
  }
  engine_.AfterCommand();
}

// Whoever got a reply from the fake gets one from the real server; the others stay blocked.
void EffectsTest::CompareReplies(const std::string& line) {
  int blocked = 0;
  for (auto& [number, connection] : connections_) {
    for (const Value& expected : std::exchange(replies_[connection.fake], {})) {
      const std::optional<Value> real = connection.real->Read();
      EXPECT_EQ(Normalised(ToText(expected)), real ? Normalised(ToText(*real)) : "nothing")
          << "reply to connection " << number << " after " << line;
    }
    const sim::redis::Client* client = engine_.clients.Find(connection.fake);
    if (client != nullptr && client->wait) ++blocked;
  }
  EXPECT_TRUE(server_->AwaitBlockedClients(blocked)) << line;
}

// Times from now on in steps of ten seconds, so that a slow machine sees the same.
std::string EffectsTest::Normalised(const std::string& word) const {
  const bool number =
      !word.empty() && word.size() < 15 &&
      std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!number) return word;
  constexpr std::int64_t kFar = 1'000'000'000;
  const std::int64_t ahead = std::stoll(word) - now_ms_;
  if (ahead < -kFar || ahead > kFar) return word;
  return "<now+" + std::to_string((ahead + kFar + 5000) / 10000 * 10 - kFar / 1000) + "s>";
}

std::string EffectsTest::Text(int database, const Argv& argv) const {
  Argv normalised;
  for (const std::string& word : argv) normalised.push_back(Normalised(word));
  return std::to_string(database) + "> " + ToText(normalised);
}

EffectsTest::Lines EffectsTest::FakeEffects() {
  Lines lines;
  const sim::redis::Journal& journal = engine_.journal;
  for (std::uint64_t i = journal.first_index(); i < journal.end_index(); ++i) {
    const sim::redis::Unit& unit = journal.unit(i);
    const bool several = unit.effects.size() > 1;
    if (several) lines.emplace_back("MULTI");
    for (const sim::redis::Effect& effect : unit.effects) {
      lines.push_back(Text(effect.database, effect.argv));
    }
    if (several) lines.emplace_back("EXEC");
  }
  return lines;
}

EffectsTest::Lines EffectsTest::RealEffects() {
  Lines lines;
  const std::string all = AppendOnlyFile();
  int database = 0;
  std::size_t at = 0;
  const auto number = [&] {
    const std::size_t end = all.find("\r\n", at);
    const std::size_t value = std::stoul(all.substr(at + 1, end - at - 1));
    at = end + 2;
    return value;
  };
  while (at < all.size()) {
    const bool counts = at >= file_start_;
    Argv argv;
    for (std::size_t words = number(); words > 0; --words) {
      const std::size_t size = number();
      argv.push_back(all.substr(at, size));
      at += size + 2;
    }
    if (argv[0] == "SELECT") {
      database = std::stoi(argv[1]);
    } else if (counts && (argv[0] == "MULTI" || argv[0] == "EXEC")) {
      lines.push_back(argv[0]);
    } else if (counts) {
      lines.push_back(Text(database, argv));
    }
  }
  return lines;
}

EffectsTest::Lines EffectsTest::FakeEvents() {
  Lines lines;
  for (const Value& message : replies_[fake_subscriber_]) lines.push_back(EventText(message));
  return lines;
}

EffectsTest::Lines EffectsTest::RealEvents() {
  Lines lines;
  for (;;) {
    const std::optional<Value> message = subscriber_->Read();
    if (!message) return {"no end"};
    if (message->elements[2].text == kEnd) return lines;
    lines.push_back(EventText(*message));
  }
}

}  // namespace interlock::testing
