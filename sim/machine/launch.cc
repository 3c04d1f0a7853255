// SPDX-License-Identifier: MIT
#include "sim/machine/launch.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace interlock::sim::machine {
namespace {

void Replace(std::string_view name, std::string_view value, std::string& word) {
  for (std::size_t at = word.find(name); at != std::string::npos;
       at = word.find(name, at + value.size())) {
    word.replace(at, name.size(), value);
  }
}

}  // namespace

bool LacksACommand(const std::vector<std::string>& commands) {
  bool empty = true;
  for (const std::string& word : commands) {
    const bool separates = word == "--and";
    if (separates && empty) return true;
    empty = separates;
  }
  return empty;
}

std::vector<std::string> CommandOf(const std::vector<std::string>& commands, int client) {
  std::vector<std::vector<std::string>> all(1);
  for (const std::string& word : commands) {
    if (word == "--and") {
      all.emplace_back();
    } else {
      all.back().push_back(word);
    }
  }
  std::erase_if(all, [](const auto& one) { return one.empty(); });
  return all[static_cast<std::size_t>(client) % all.size()];
}

Result<std::unique_ptr<ForeignProcess>> Launch(const std::vector<std::string>& command, int client,
                                               const Ports& ports,
                                               const ForeignProcess::Environment& more,
                                               int passed) {
  std::vector<std::string> urls;
  std::vector<std::string> sentinels;
  const std::size_t with_data = ports.all.size() - static_cast<std::size_t>(ports.sentinels);
  for (const int port : ports.all) {
    const std::string place = fmt::format("127.0.0.1:{}", port);
    if (urls.size() < with_data) {
      urls.push_back("redis://" + place);
    } else {
      sentinels.push_back(place);
    }
  }
  const std::string watching = fmt::format("{}", fmt::join(sentinels, ","));
  const std::string all = fmt::format("{}", fmt::join(urls, ","));
  const std::string port = std::to_string(ports.all.front());
  const std::string me = std::to_string(client);
  std::vector<std::string> words = command;
  for (std::string& word : words) {
    Replace("{port}", port, word);
    Replace("{url}", urls.front(), word);
    Replace("{urls}", all, word);
    Replace("{sentinels}", watching, word);
    Replace("{client}", me, word);
  }
  ForeignProcess::Environment environment = {{"REDIS_HOST", "127.0.0.1"},
                                             {"REDIS_PORT", port},
                                             {"REDIS_URL", urls.front()},
                                             {"REDIS_URLS", all},
                                             {"INTERLOCK_CLIENT", me}};
  if (ports.sentinels > 0) environment.emplace_back("REDIS_SENTINELS", watching);
  environment.insert(environment.end(), more.begin(), more.end());
  return ForeignProcess::Start(words, environment, passed);
}

}  // namespace interlock::sim::machine
