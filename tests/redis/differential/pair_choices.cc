// SPDX-License-Identifier: MIT
//
// Commands whose answer is a choice of the server's: what one has chosen the other one might have,
// too, and then both are told to choose it.
#include <algorithm>
#include <set>
#include <string>

#include "sim/redis/text.h"
#include "tests/redis/differential/compare.h"
#include "tests/redis/differential/pair.h"

namespace interlock::testing {

using sim::redis::Argv;
using sim::redis::ClientId;
using sim::redis::EqualsIgnoreCase;
using sim::redis::Value;

Value Pair::AskFake(std::size_t connection, const Argv& argv) {
  sink_.replies.clear();
  fake_.Execute(static_cast<ClientId>(fake_ids_[connection]), argv);
  for (const auto& [id, value] : sink_.replies) {
    if (IndexOf(id) == connection) return value;
  }
  return {};
}

// All that may stand in the answer; found without touching a key whose time is over.
std::optional<std::set<std::string>> Pair::ChoicesOf(const Step& step) {
  const std::string& database = databases_[step.connection];
  const std::string key = step.argv.size() > 1 ? step.argv[1] : "";
  std::set<std::string> choices;
  bool found = false;
  const auto keys = fake_.PeekKeys(std::stoi(database));
  for (const auto& info : keys) {
    if (step.argv.size() == 1) choices.insert(info.key);
    found |= info.key == key;
  }
  AskFake(kControl, {"SELECT", database});
  if (step.argv.size() == 1) {
    // It may delete any number of keys whose time is over before it finds one.
    const Value counted = AskFake(kControl, {"DBSIZE"});
    if (counted.integer != static_cast<std::int64_t>(keys.size())) return std::nullopt;
  }
  if (!found) return choices;
  for (const Argv& look : {Argv{"SMEMBERS", key}, Argv{"HGETALL", key},
                           Argv{"ZRANGE", key, "0", "-1", "WITHSCORES"}}) {
    for (const Value& element : AskFake(kControl, look).elements) choices.insert(element.text);
  }
  return choices;
}

// All pages, because Redis may cut them anywhere.
std::optional<std::string> Pair::RunPages(const Step& step) {
  const std::size_t sender = step.connection;
  const std::size_t cursor = EqualsIgnoreCase(step.argv[0], "scan") ? 1 : 2;
  SendToBoth(step);
  if (fake_.unmodelled()) return std::nullopt;
  auto sent = sink_.replies;
  const auto found = std::find_if(
      sent.begin(), sent.end(), [&](const auto& reply) { return IndexOf(reply.first) == sender; });
  if (found == sent.end() || found->second.elements.size() != 2 ||
      found->second.elements[1].type != Value::Type::kArray) {
    return CompareReplies(sender);
  }
  const Value own = found->second;
  std::array<std::set<std::string>, 2> seen;
  std::optional<Value> page = Receive(sender);
  for (int side = 0; side < 2; ++side) {
    Value next = side == 0 ? page.value_or(Value()) : own;
    for (int pages = 0; next.elements.size() == 2; ++pages) {
      for (const Value& element : next.elements[1].elements) {
        seen[static_cast<std::size_t>(side)].insert(ToText(element));
      }
      if (next.elements[0].text == "0") break;
      Argv argv = step.argv;
      argv[cursor] = next.elements[0].text;
      next = side == 0 ? wires_[sender]->Call(argv) : AskFake(sender, argv);
      if (side == 1) sent.insert(sent.end(), sink_.replies.begin(), sink_.replies.end());
      if (pages > 1000) return DescribeDifference(sender, "pages", "pages without an end");
    }
  }
  if (!page || page->type != own.type || seen[0] != seen[1]) {
    return DescribeDifference(sender, page ? ToText(*page) : kNoAnswer, ToText(own));
  }
  return CompareOthers(sender, sent);
}

// What a command whose answer was compared already has sent to other connections.
std::optional<std::string> Pair::CompareOthers(
    std::size_t sender, const std::vector<std::pair<ClientId, Value>>& sent) {
  sink_.replies.clear();
  for (const auto& reply : sent) {
    if (IndexOf(reply.first) != sender) sink_.replies.push_back(reply);
  }
  auto disagreement = CompareReplies(kControl);
  sink_.replies = sent;
  return disagreement;
}

std::optional<std::string> Pair::RunChoice(const Step& step) {
  const std::size_t sender = step.connection;
  const std::optional<std::set<std::string>> choices = ChoicesOf(step);
  if (!choices) return std::nullopt;
  sink_.replies.clear();
  SendToBoth(step);
  if (fake_.unmodelled() || sink_.replies.empty()) return std::nullopt;
  const std::optional<Value> real = Receive(sender);
  const auto sent = sink_.replies;
  for (const auto& [id, fake] : sent) {
    if (IndexOf(id) != sender) continue;
    if (!real || !(*real == fake || AgreeInChoice(*real, fake, *choices))) {
      return DescribeDifference(sender, real ? ToText(*real) : kNoAnswer, ToText(fake));
    }
    if (!EqualsIgnoreCase(step.argv[0], "spop") || *real == fake) continue;
    Argv add = {"SADD", step.argv[1]};
    Argv remove = {"SREM", step.argv[1]};
    for (const Value* chosen : {&fake, &*real}) {
      Argv& fix = chosen == &fake ? add : remove;
      if (chosen->elements.empty()) fix.push_back(chosen->text);
      for (const Value& element : chosen->elements) fix.push_back(element.text);
      AskFake(kControl, fix);
    }
  }
  return CompareOthers(sender, sent);
}

}  // namespace interlock::testing
