// SPDX-License-Identifier: MIT
//
// The fake against a real redis-server 7.0: the same commands on three connections each, every
// value that either sends compared byte by byte, and the data compared at the end. A disagreement
// prints the sequence as redis-cli would take it.
#include <gtest/gtest.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/redis/server.h"
#include "tests/redis/differential/generator.h"
#include "tests/redis/differential/scripts.h"
#include "tests/redis/differential/wire_client.h"
#include "tests/support/redis_server.h"

namespace interlock::testing {
namespace {

using sim::redis::Argv;
using sim::redis::ClientId;
using sim::redis::Server;
using sim::redis::Sink;
using sim::redis::ToText;
using sim::redis::Value;

constexpr std::size_t kConnections = 3;
constexpr int kSteps = 60;

class Collector final : public Sink {
 public:
  void OnReply(ClientId client, const Value& value) override {
    replies.emplace_back(client, value);
  }
  void OnClosed(ClientId client) override { closed.push_back(client); }
  std::vector<std::pair<ClientId, Value>> replies;
  std::vector<ClientId> closed;
};

bool Mentions(const Argv& argv, std::initializer_list<const char*> words) {
  for (std::string text : argv) {
    for (char& c : text) c = static_cast<char>(std::tolower(c));
    for (const char* word : words) {
      if (text.find(word) != std::string::npos) return true;
    }
  }
  return false;
}

bool Before(const Value& a, const Value& b) { return ToText(a) < ToText(b); }

// Arrays whose order a real server does not promise.
void SortArrays(Value* value) {
  for (Value& element : value->elements) SortArrays(&element);
  std::sort(value->elements.begin(), value->elements.end(), Before);
}

// The client id in the answer to HELLO is the one thing there that differs.
void HideClientId(Value* value) {
  for (Value& element : value->elements) HideClientId(&element);
  if (value->elements.size() == 14 && value->elements[0].text == "server") {
    value->elements[7].integer = 0;
  }
}

// Equal, or two readings of one TTL with up to five seconds between them.
bool SameUpToTime(const Value& a, const Value& b) {
  if (a.type != b.type || a.text != b.text || a.elements.size() != b.elements.size()) return false;
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    if (!SameUpToTime(a.elements[i], b.elements[i])) return false;
  }
  if (a.integer == b.integer) return true;
  if (a.integer < 900 || b.integer < 900) return false;  // Seconds of a TTL at least.
  const auto [low, high] = std::minmax(a.integer, b.integer);
  return high - low <= (low > 100000 ? 5000 : 5);
}

class Differential : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    RedisServerOptions options;
    options.arguments = {"--enable-debug-command", "yes"};
    auto started = RedisServer::Start(options);
    ASSERT_TRUE(started.ok()) << started.status().message();
    real_ = std::move(*started).release();
  }
  static void TearDownTestSuite() { delete std::exchange(real_, nullptr); }

  void SetUp() override {
    ASSERT_NE(real_, nullptr);
    control_ = std::make_unique<WireClient>(real_->port());
    // DBSIZE counts dead keys until something meets them: that must not be the cron.
    control_->Call({"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
    for (auto& wire : wires_) wire = std::make_unique<WireClient>(real_->port());
    for (std::size_t i = 0; i < kConnections; ++i) {
      real_ids_[i] = wires_[i]->Call({"CLIENT", "ID"}).integer;
    }
    fake_.SetSink(&sink_);
  }

  void Begin() {
    fake_.Reset();
    SetTime();
    for (std::size_t i = 0; i < kConnections; ++i) {
      fake_ids_[i] = fake_.Connect();
      wires_[i]->Call({"RESET"});
    }
    control_->Call({"FLUSHALL"});
    control_->Call({"SCRIPT", "FLUSH"});
    history_.clear();
    sink_.replies.clear();
  }

  void SetTime() {
    timeval now{};
    ::gettimeofday(&now, nullptr);
    fake_.SetTime(std::int64_t{now.tv_sec} * 1000000 + now.tv_usec);
  }

  std::size_t IndexOf(ClientId id) const {
    return static_cast<std::size_t>(std::find(fake_ids_.begin(), fake_ids_.end(), id) -
                                    fake_ids_.begin());
  }

  // "@" stands for the id of the first blocked connection, else of the first.
  Argv WithIds(const Argv& argv, bool real) const {
    std::size_t target = 0;
    for (std::size_t i = 0; i < kConnections; ++i) {
      if (fake_.IsBlocked(fake_ids_[i])) {
        target = i;
        break;
      }
    }
    Argv replaced = argv;
    for (std::string& word : replaced) {
      if (word == "@") {
        word =
            std::to_string(real ? real_ids_[target] : static_cast<std::int64_t>(fake_ids_[target]));
      }
    }
    return replaced;
  }

  std::string History() const {
    std::string text;
    for (const auto& line : history_) text += line + "\n";
    return text;
  }

  // One command on both sides; false after a disagreement.
  bool Step(std::size_t connection, const Argv& argv) {
    const Argv for_real = WithIds(argv, true);
    const Argv for_fake = WithIds(argv, false);
    history_.push_back(std::to_string(connection).append(": ").append(ToText(argv)));
    sink_.replies.clear();
    wires_[connection]->Send(for_real);
    SetTime();
    fake_.Execute(fake_ids_[connection], for_fake);
    if (fake_.unmodelled()) {
      ADD_FAILURE() << "not modelled: " << *fake_.unmodelled() << "\n" << History();
      return false;
    }
    // Redis serves blocked clients after the command, so each connection's own order is what
    // counts.
    bool loose = Mentions(argv, {"ttl", "expiretime", "exec"});
    bool sorted = Mentions(argv, {"keys", "smembers", "scan", "spop", "exec", "argv"});
    for (const auto& [id, expected] : sink_.replies) {
      const std::size_t receiver = IndexOf(id);
      std::optional<Value> actual = wires_[receiver]->Read();
      if (!actual) {
        ADD_FAILURE() << History() << "redis sent nothing to " << receiver << ", the fake "
                      << ToText(expected);
        return false;
      }
      Value ours = expected;
      HideClientId(&ours);
      HideClientId(&*actual);
      if (sorted) {
        SortArrays(&ours);
        SortArrays(&*actual);
      }
      if (!(loose || sorted ? SameUpToTime(ours, *actual) : ours == *actual)) {
        ADD_FAILURE() << History() << "to " << receiver << "\nredis: " << ToText(*actual)
                      << "\nfake:  " << ToText(ours);
        return false;
      }
    }
    return !fake_.IsBlocked(fake_ids_[connection]) || AwaitBlocked();
  }

  // A command without a reply must have blocked its client on the real server as well.
  bool AwaitBlocked() {
    std::size_t blocked = 0;
    for (const ClientId id : fake_ids_) blocked += fake_.IsBlocked(id) ? 1 : 0;
    const std::string wanted = "blocked_clients:" + std::to_string(blocked) + "\r\n";
    for (int attempt = 0; attempt < 2000; ++attempt) {
      if (control_->Call({"INFO", "clients"}).text.find(wanted) != std::string::npos) return true;
    }
    ADD_FAILURE() << History() << "redis has not blocked the client";
    return false;
  }

  // Ends what is open on every connection, then compares all data.
  bool End() {
    for (std::size_t i = 0; i < kConnections; ++i) {
      if (!fake_.IsBlocked(fake_ids_[i])) continue;
      if (!Unblock(i)) return false;
    }
    for (std::size_t i = 0; i < kConnections; ++i) {
      if (!Step(i, {"RESET"})) return false;
    }
    return CompareData("0") && CompareData("1");
  }

  bool Unblock(std::size_t blocked) {
    const ClientId other = fake_.Connect();
    sink_.replies.clear();
    fake_.Execute(other, {"CLIENT", "UNBLOCK", std::to_string(fake_ids_[blocked])});
    control_->Call({"CLIENT", "UNBLOCK", std::to_string(real_ids_[blocked])});
    const std::optional<Value> actual = wires_[blocked]->Read();
    const bool same = actual && !sink_.replies.empty() && *actual == sink_.replies.front().second;
    EXPECT_TRUE(same) << History() << "after CLIENT UNBLOCK of " << blocked;
    return same;
  }

  bool CompareData(const std::string& database) {
    if (!Step(0, {"SELECT", database}) || !Step(0, {"KEYS", "*"})) return false;
    const Value keys = sink_.replies.back().second;
    static const std::map<std::string, Argv> kDumps = {
        {"string", {"GET", "?"}},
        {"list", {"LRANGE", "?", "0", "-1"}},
        {"hash", {"HGETALL", "?"}},
        {"set", {"SMEMBERS", "?"}},
        {"zset", {"ZRANGE", "?", "0", "-1", "WITHSCORES"}}};
    for (const Value& key : keys.elements) {
      if (!Step(0, {"PEXPIRETIME", key.text}) || !Step(0, {"TYPE", key.text})) return false;
      Argv dump = kDumps.at(sink_.replies.back().second.text);
      dump[1] = key.text;
      if (!Step(0, dump)) return false;
    }
    return true;
  }

  // The next connection that can send, and its command.
  bool RandomStep(Generator& generator) {
    std::size_t connection = generator.Below(kConnections);
    for (std::size_t i = 0; i < kConnections && fake_.IsBlocked(fake_ids_[connection]); ++i) {
      connection = (connection + 1) % kConnections;
    }
    if (fake_.IsBlocked(fake_ids_[connection])) return Unblock(connection);
    const std::uint64_t kind = generator.Below(100);
    const Argv argv = kind < special_percent_                     ? generator.SpecialCommand()
                      : kind < special_percent_ + script_percent_ ? generator.Script()
                                                                  : generator.DataCommand();
    return Step(connection, argv);
  }

  void Run(std::uint64_t first_seed, int sequences) {
    for (int i = 0; i < sequences; ++i) {
      const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
      SCOPED_TRACE("seed " + std::to_string(seed));
      Generator generator(seed);
      Begin();
      for (int step = 0; step < kSteps; ++step) {
        if (!RandomStep(generator)) return;
      }
      if (!End()) return;
    }
  }

  static inline RedisServer* real_ = nullptr;
  Server fake_;
  Collector sink_;
  std::unique_ptr<WireClient> control_;
  std::array<std::unique_ptr<WireClient>, kConnections> wires_;
  std::array<std::int64_t, kConnections> real_ids_{};
  std::array<ClientId, kConnections> fake_ids_{};
  std::vector<std::string> history_;
  std::uint64_t special_percent_ = 0;
  std::uint64_t script_percent_ = 0;
};

// Every data command, with wrong types, arities, options and numbers.
TEST_F(Differential, DataCommandsAgree) { Run(1, 250); }

// Blocking pops, transactions, subscriptions and settings of the connection among them.
TEST_F(Differential, SpecialCommandsAgree) {
  special_percent_ = 45;
  Run(100001, 250);
}

// Each script body once over the same data, so that one disagreement does not hide another.
TEST_F(Differential, EveryScriptBodyAgrees) {
  for (const std::string_view body : ScriptBodies()) {
    Begin();
    Step(0, {"SET", "k1", "text"});
    Step(0, {"HSET", "hash", "a", "1"});
    Step(0, {"ZADD", "zset", "0.1", "a"});
    Step(0, {"EVAL", std::string(body), "2", "k1", "list", "text", "10"});
    Step(0, {"EVAL", std::string(body), "2", "hash", "list", "\r\n", "-1"});
    End();
  }
}

// Scripts: conversions, errors, the sandbox, and any command called from a script.
TEST_F(Differential, ScriptsAgree) {
  special_percent_ = 5;
  script_percent_ = 70;
  Run(200001, 200);
}

}  // namespace
}  // namespace interlock::testing
