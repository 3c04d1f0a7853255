// SPDX-License-Identifier: MIT
#include "scenarios/search/foreign/likeness.h"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "scenarios/log/words.h"

namespace interlock::scenarios::drive {
namespace {

using Words = std::vector<std::string>;

/// After the client, and the command or the arrow of a reply.
constexpr std::size_t kFirstArgument = 2;

/// Empty: nothing that a client or a server did.
std::string TextOf(const LogEvent& event) {
  if (const auto* sent = std::get_if<SendDetails>(&event.details)) return sent->command;
  if (const auto* reply = std::get_if<ReplyDetails>(&event.details)) return "-> " + reply->text;
  if (const auto* end = std::get_if<EndDetails>(&event.details)) {
    return fmt::format("ends with exit code {}", end->exit_code);
  }
  return {};
}

std::vector<Words> StepsOf(const DriveRun& run) {
  std::vector<Words> steps;
  for (const LogEvent& event : run.events) {
    const std::string text = TextOf(event);
    if (text.empty()) continue;
    Words& words = steps.emplace_back();
    words.push_back(ClientName(event.client));
    std::istringstream all(text);
    for (std::string word; all >> word;) words.push_back(word);
  }
  return steps;
}

std::string Sentence(const Words& words) {
  constexpr std::size_t kMostWords = 12;
  std::string sentence;
  for (std::size_t i = 0; i < std::min(words.size(), kMostWords); ++i) {
    sentence += (i == 0 ? "" : " ") + words[i];
  }
  return sentence;
}

const Words* At(const std::vector<Words>& steps, std::size_t index) {
  return index < steps.size() ? &steps[index] : nullptr;
}

}  // namespace

std::optional<std::string> DifferenceOf(const DriveRun& run, const DriveRun& one,
                                        const DriveRun& again) {
  const std::vector<Words> steps = StepsOf(run);
  const std::vector<Words> of_one = StepsOf(one);
  const std::vector<Words> of_other = StepsOf(again);
  for (std::size_t i = 0; i < std::max(steps.size(), of_one.size()); ++i) {
    const Words* words = At(steps, i);
    const Words* expected = At(of_one, i);
    const Words* other = At(of_other, i);
    if (words == nullptr) return fmt::format("it lacks \"{}\"", Sentence(*expected));
    if (expected == nullptr) return fmt::format("it has \"{}\" in addition", Sentence(*words));
    bool alike = words->size() == expected->size();
    for (std::size_t k = 0; alike && k < words->size(); ++k) {
      // Who does what, and how it ends, does not vary: only what is said with it.
      const bool said = k >= kFirstArgument && !(*expected)[1].starts_with("ends");
      const bool varies = said && other != nullptr && other->size() == expected->size() &&
                          (*other)[k] != (*expected)[k];
      alike = varies || (*words)[k] == (*expected)[k];
    }
    if (!alike) {
      return fmt::format("\"{}\" instead of \"{}\"", Sentence(*words), Sentence(*expected));
    }
  }
  return std::nullopt;
}

}  // namespace interlock::scenarios::drive
