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
                                               const std::vector<int>& ports,
                                               const ForeignProcess::Environment& more,
                                               int passed) {
  std::vector<std::string> urls;
  for (const int port : ports) urls.push_back(fmt::format("redis://127.0.0.1:{}", port));
  const std::string all = fmt::format("{}", fmt::join(urls, ","));
  const std::string port = std::to_string(ports.front());
  const std::string me = std::to_string(client);
  std::vector<std::string> words = command;
  for (std::string& word : words) {
    Replace("{port}", port, word);
    Replace("{url}", urls.front(), word);
    Replace("{urls}", all, word);
    Replace("{client}", me, word);
  }
  ForeignProcess::Environment environment = {{"REDIS_HOST", "127.0.0.1"},
                                             {"REDIS_PORT", port},
                                             {"REDIS_URL", urls.front()},
                                             {"REDIS_URLS", all},
                                             {"INTERLOCK_CLIENT", me}};
  environment.insert(environment.end(), more.begin(), more.end());
  return ForeignProcess::Start(words, environment, passed);
}

}  // namespace interlock::sim::machine
