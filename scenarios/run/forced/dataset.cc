// SPDX-License-Identifier: MIT
#include "scenarios/run/forced/dataset.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace interlock::scenarios::real {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> FlatByName(Pairs pairs) {
  std::sort(pairs.begin(), pairs.end());
  std::vector<std::string> words;
  for (auto& [name, value] : pairs) {
    words.push_back(std::move(name));
    words.push_back(std::move(value));
  }
  return words;
}

std::vector<std::string> WordsOf(const sim::redis::Server& server, int database,
                                 std::string_view key) {
  if (auto text = server.PeekString(database, key)) return {*std::move(text)};
  if (auto list = server.PeekList(database, key); !list.empty()) return list;
  if (Pairs hash = server.PeekHash(database, key); !hash.empty()) {
    return FlatByName(std::move(hash));
  }
  Pairs members;
  for (const auto& [member, score] : server.PeekSortedSet(database, key)) {
    members.emplace_back(member, fmt::format("{:.17g}", score));
  }
  return FlatByName(std::move(members));
}

Pairs PairsOf(const Reply& reply) {
  Pairs pairs;
  for (std::size_t i = 0; i + 1 < reply.elements.size(); i += 2) {
    pairs.emplace_back(reply.elements[i].text, reply.elements[i + 1].text);
  }
  return pairs;
}

Result<std::vector<std::string>> WordsOf(sim::machine::Admin& admin, std::string_view key) {
  const Result<Reply> type = admin.Call({"TYPE", key});
  if (!type.ok()) return type.status();
  std::vector<std::string_view> command;
  if (type->text == "string") command = {"GET", key};
  if (type->text == "list") command = {"LRANGE", key, "0", "-1"};
  if (type->text == "hash") command = {"HGETALL", key};
  if (type->text == "zset") command = {"ZRANGE", key, "0", "-1", "WITHSCORES"};
  if (command.empty()) return std::vector<std::string>();
  const Result<Reply> content = admin.Call(command);
  if (!content.ok()) return content.status();
  if (type->text == "string") return std::vector<std::string>{content->text};
  if (type->text != "list") return FlatByName(PairsOf(*content));
  std::vector<std::string> words;
  for (const Reply& element : content->elements) words.push_back(element.text);
  return words;
}

}  // namespace

Dataset DataOf(const sim::redis::Server& server, int database, std::int64_t now_ms) {
  Dataset data;
  for (const sim::redis::Server::KeyInfo& key : server.PeekKeys(database)) {
    DataEntry& entry = data[key.key];
    entry.words = WordsOf(server, database, key.key);
    if (key.expires_at_ms) entry.left_ms = *key.expires_at_ms - now_ms;
  }
  return data;
}

Result<Dataset> DataOf(sim::machine::Admin& admin) {
  const Result<Reply> keys = admin.Call({"KEYS", "*"});
  if (!keys.ok()) return keys.status();
  Dataset data;
  for (const Reply& key : keys->elements) {
    auto words = WordsOf(admin, key.text);
    if (!words.ok()) return words.status();
    const Result<Reply> left = admin.Call({"PTTL", key.text});
    if (!left.ok()) return left.status();
    if (left->integer == -2) continue;  // it has just expired
    DataEntry& entry = data[key.text];
    entry.words = *std::move(words);
    if (left->integer >= 0) entry.left_ms = left->integer;
  }
  return data;
}

std::string ToText(const DataEntry& entry) {
  std::string text;
  for (const std::string& word : entry.words) {
    text += (text.empty() ? "" : " ") + sim::redis::ToText(sim::redis::Argv{word});
  }
  if (entry.left_ms) text += fmt::format(" (expires in {} ms)", *entry.left_ms);
  return text;
}

}  // namespace interlock::scenarios::real
