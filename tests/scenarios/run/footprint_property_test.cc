// SPDX-License-Identifier: MIT
//
// Commands whose footprints are independent commute: from any state of the fake Redis both orders
// leave the same state, and give each client the same replies.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sim/redis/footprint.h"
#include "sim/redis/state.h"

namespace interlock::sim::redis {
namespace {

constexpr int kClients = 3;

struct Call {
  int client = 0;
  Argv argv;
  int wait_ms = 0;  ///< before it
};

std::string AnyKey() { return *rc::gen::element<std::string>("a", "b", "c"); }
std::string AnyWord() { return *rc::gen::element<std::string>("1", "2", "x"); }

Argv AnyScript() {
  static const std::string kRelease =
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end "
      "return 0";
  static const std::string kCopy =
      "local v = redis.call('get', KEYS[1]) if v then redis.call('set', KEYS[2], v, 'PX', 40) end "
      "return redis.call('publish', 'news', 'copied')";
  if (*rc::gen::arbitrary<bool>()) return {"EVAL", kRelease, "1", AnyKey(), AnyWord()};
  return {"EVAL", kCopy, "2", AnyKey(), AnyKey()};
}

Argv AnyCommand() {
  const std::string key = AnyKey();
  const std::string word = AnyWord();
  switch (*rc::gen::inRange(0, 24)) {
    case 0:
      return {"GET", key};
    case 1:
      return {"SET", key, word, "PX", "30"};
    case 2:
      return {"SET", key, word, "NX", "PX", "50"};
    case 3:
      return {"SETNX", key, word};
    case 4:
      return {"DEL", key, AnyKey()};
    case 5:
      return {"EXISTS", key, AnyKey()};
    case 6:
      return {"INCR", key};
    case 7:
      return {"PEXPIRE", key, "20"};
    case 8:
      return {"PTTL", key};
    case 9:
      return {"PERSIST", key};
    case 10:
      return {"RENAME", key, AnyKey()};
    case 11:
      return {"HINCRBY", key, word, "1"};
    case 12:
      return {"HGET", key, word};
    case 13:
      return {"ZADD", key, "1", word};
    case 14:
      return {"ZREM", key, word};
    case 15:
      return {"LPUSH", key, word};
    case 16:
      return {"BLPOP", key, AnyKey(), "0.05"};
    case 17:
      return {"PUBLISH", "news", word};
    case 18:
      return {"SUBSCRIBE", *rc::gen::element<std::string>("news", "other")};
    case 19:
      return {"UNSUBSCRIBE", "news"};
    case 20:
      return {"MGET", key, AnyKey()};
    case 21:
      return {"KEYS", "*"};
    case 22:
      return {"RANDOMKEY"};
    default:
      return AnyScript();
  }
}

Call AnyCall() { return {*rc::gen::inRange(0, kClients), AnyCommand(), *rc::gen::inRange(0, 20)}; }

/// A server with what each of its clients was sent.
class Observed : private Sink, private StateSink {
 public:
  explicit Observed(const std::vector<Call>& calls) : sent_(kClients) {
    server_.SetSink(this);
    server_.SetTime(now_ms_ * 1000);
    for (int i = 0; i < kClients; ++i) clients_.push_back(server_.Connect());
    for (const Call& call : calls) {
      now_ms_ += call.wait_ms;
      server_.SetTime(now_ms_ * 1000);
      server_.RunTimers();
      Execute(call);
    }
  }

  Footprint Execute(const Call& call) {
    Footprint footprint;
    SetFootprint(server_, &footprint);
    server_.Execute(clients_[static_cast<std::size_t>(call.client)], call.argv);
    SetFootprint(server_, nullptr);
    return footprint;
  }
  bool IsBlocked(int client) const {
    return server_.IsBlocked(clients_[static_cast<std::size_t>(client)]);
  }
  const std::vector<std::string>& sent() const { return sent_; }
  std::vector<std::string> State() {
    parts_.assign(1, "");
    DescribeState(server_.engine(), *this);
    std::sort(parts_.begin(), parts_.end());
    return parts_;
  }

 private:
  void OnReply(ClientId client, Value& value) override {
    const auto at = std::find(clients_.begin(), clients_.end(), client);
    sent_[static_cast<std::size_t>(at - clients_.begin())] += ToText(value) + ";";
  }
  void OnClosed(ClientId) override {}
  void Number(std::uint64_t number) override { parts_.back() += std::to_string(number) + ","; }
  void Text(std::string_view bytes) override { parts_.back().append(bytes).append(","); }
  void OfClient(ClientId client) override { Number(client); }
  void BeginPart() override { parts_.emplace_back(); }

  Server server_;
  std::int64_t now_ms_ = 1'700'000'000'000;
  std::vector<ClientId> clients_;
  std::vector<std::string> sent_;
  std::vector<std::string> parts_;
};

RC_GTEST_PROP(FootprintProperty, IndependentCommandsCommute, ()) {
  std::vector<Call> before;
  for (int left = *rc::gen::inRange(0, 12); left > 0; --left) before.push_back(AnyCall());
  Observed forth(before);
  Observed back(before);
  const Call one{0, AnyCommand()};
  const Call other{1, AnyCommand()};
  // Nobody who waits for an answer sends anything.
  RC_PRE(!forth.IsBlocked(one.client) && !forth.IsBlocked(other.client));
  const Footprint first = forth.Execute(one);
  const Footprint second = back.Execute(other);
  const bool independent = Independent(first, second);
  RC_CLASSIFY(independent);
  if (!independent) return;
  forth.Execute(other);
  back.Execute(one);
  RC_ASSERT(forth.sent() == back.sent());
  RC_ASSERT(forth.State() == back.State());
}

}  // namespace
}  // namespace interlock::sim::redis
