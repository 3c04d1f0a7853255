// SPDX-License-Identifier: MIT
//
// What both servers of a pair have sent, and at the end their data, compared.
#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/redis/engine.h"
#include "tests/redis/differential/compare.h"
#include "tests/redis/differential/pair.h"
#include "tests/redis/differential/tested_server.h"

namespace interlock::testing {

using sim::redis::Argv;
using sim::redis::ClientId;
using sim::redis::Value;

namespace {

// What a loaded machine may need to answer, and several times that where another thread does it;
// only a disagreement waits for it.
constexpr int kImpatienceMs = 250;

}  // namespace

std::string DescribeDifference(std::size_t receiver, std::string_view real, std::string_view fake) {
  return std::string("   to connection ")
      .append(std::to_string(receiver))
      .append("\n   redis: ")
      .append(real)
      .append("\n   fake:  ")
      .append(fake)
      .append("\n");
}

std::optional<Value> Pair::Receive(std::size_t connection) {
  const bool slow = TestedDialect().flushes_in_background;
  std::optional<Value> value = wires_[connection]->Read(slow ? 20 * kImpatienceMs : kImpatienceMs);
  if (value || wires_[connection]->closed()) return value;
  Barrier();
  return wires_[connection]->Read(0);
}

// Each connection's own order is what counts: Redis serves blocked clients after the command.
std::optional<std::string> Pair::CompareReplies(std::size_t sender) {
  std::map<std::size_t, std::vector<Value>> expected;
  for (const auto& [id, value] : sink_.replies) expected[IndexOf(id)].push_back(value);
  bool answered = sender == kControl || expected.contains(sender);
  for (auto& [receiver, fakes] : expected) {
    std::vector<Value> reals;
    while (reals.size() < fakes.size()) {
      std::optional<Value> real = Receive(receiver);
      if (!real) break;
      reals.push_back(std::move(*real));
    }
    SortMessages(&fakes);
    SortMessages(&reals);
    for (std::size_t i = 0; i < reals.size(); ++i) {
      if (auto disagreement = CompareReply(receiver, reals[i], fakes[i])) return disagreement;
    }
    const auto id = static_cast<ClientId>(fake_ids_[receiver]);
    // MULTI may have been sent while it was blocked.
    const auto* client = fake_.engine().clients.Find(id);
    const bool queues = client != nullptr && client->in_multi;
    if (!in_multi_[receiver] && !queues && !fake_.IsBlocked(id)) tolerances_[receiver] = {};
    // What was not yet written when a connection is killed is lost.
    const bool killed =
        std::find(sink_.closed.begin(), sink_.closed.end(), id) != sink_.closed.end();
    if (reals.size() < fakes.size() && !(killed && wires_[receiver]->closed())) {
      return DescribeDifference(receiver, wires_[receiver]->closed() ? "(closed)" : kNoAnswer,
                                ToText(fakes[reals.size()]));
    }
  }
  for (const ClientId id : sink_.closed) {
    const std::size_t gone = IndexOf(id);
    const std::optional<Value> value = wires_[gone]->Read(1000);
    if (value || !wires_[gone]->closed()) {
      return DescribeDifference(gone, value ? ToText(*value) : "(stays open)", "(closed)");
    }
    answered |= gone == sender;
    fake_ids_[gone] = -1;
  }
  return answered ? std::nullopt : ExpectSilence(sender);
}

std::optional<std::string> Pair::CompareReply(std::size_t receiver, const Value& real,
                                              const Value& fake) {
  const std::vector<Argv>& queued = queued_[receiver];
  const bool transaction = in_multi_[receiver] && !queued.empty() &&
                           real.elements.size() == queued.size() &&
                           fake.elements.size() == queued.size() && real.type == fake.type;
  bool agree = true;
  for (std::size_t i = 0; transaction && i < queued.size(); ++i) {
    agree &= Agree(real.elements[i], fake.elements[i], ToleranceFor(queued[i]), TheSurroundings());
  }
  if (!transaction) agree = Agree(real, fake, tolerances_[receiver], TheSurroundings());
  return agree ? std::nullopt
               : std::optional(DescribeDifference(receiver, ToText(real), ToText(fake)));
}

std::optional<std::string> Pair::ExpectSilence(std::size_t connection) {
  Barrier();
  const std::optional<Value> value = wires_[connection]->Read(0);
  if (value) return DescribeDifference(connection, ToText(*value), kNoAnswer);
  if (wires_[connection]->closed()) return DescribeDifference(connection, "(closed)", kNoAnswer);
  return std::nullopt;
}

std::optional<std::string> Pair::CompareAll(const std::vector<Argv>& commands,
                                            std::vector<Value>* replies) {
  WireClient& control = *wires_[kControl];
  for (const Argv& command : commands) control.Queue(command);
  control.Flush();
  SetTime();
  replies->clear();
  std::string disagreement;
  for (const Argv& command : commands) {
    sink_.replies.clear();
    fake_.Execute(static_cast<ClientId>(fake_ids_[kControl]), command);
    if (fake_.unmodelled() || sink_.replies.empty()) {
      throw std::logic_error("the fake does not answer " + sim::redis::ToText(command));
    }
    const Value real = control.Await();
    Value& fake = sink_.replies.front().second;
    if (!Agree(real, fake, ToleranceFor(command), TheSurroundings())) {
      disagreement.append("data: " + sim::redis::ToText(command) + "\n");
      disagreement.append(DescribeDifference(kControl, ToText(real), ToText(fake)));
    }
    replies->push_back(std::move(fake));
  }
  return disagreement.empty() ? std::nullopt : std::optional(disagreement);
}

std::optional<std::string> Pair::CompareData() {
  constexpr int kDatabases = 16;
  std::vector<Value> replies;
  std::vector<Argv> commands;
  for (int i = 0; i < kDatabases; ++i) {
    commands.push_back({"SELECT", std::to_string(i)});
    commands.push_back({"DBSIZE"});
    commands.push_back({"KEYS", "*"});
  }
  if (auto disagreement = CompareAll(commands, &replies)) return disagreement;
  std::vector<Argv> looks;
  for (std::size_t i = 0; i < commands.size(); i += 3) {
    if (replies[i + 2].elements.empty()) continue;
    looks.push_back(commands[i]);
    for (const Value& key : replies[i + 2].elements) {
      looks.push_back({"TYPE", key.text});
      looks.push_back({"PEXPIRETIME", key.text});
    }
  }
  if (looks.empty()) return std::nullopt;
  if (auto disagreement = CompareAll(looks, &replies)) return disagreement;
  static const std::map<std::string, Argv> kDumps = {
      {"string", {"GET", ""}},
      {"list", {"LRANGE", "", "0", "-1"}},
      {"hash", {"HGETALL", ""}},
      {"set", {"SMEMBERS", ""}},
      {"zset", {"ZRANGE", "", "0", "-1", "WITHSCORES"}}};
  std::vector<Argv> dumps;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    if (looks[i][0] == "SELECT") dumps.push_back(looks[i]);
    if (looks[i][0] != "TYPE") continue;
    Argv& dump = dumps.emplace_back(kDumps.at(replies[i].text));
    dump[1] = looks[i][1];
    if (replies[i].text == "hash") dumps.push_back({"HLEN", looks[i][1]});
  }
  return CompareAll(dumps, &replies);
}

}  // namespace interlock::testing
