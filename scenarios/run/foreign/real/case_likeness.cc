// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/real/case_likeness.h"

#include <array>
#include <cctype>
#include <string_view>

#include "scenarios/run/foreign/sent_words.h"
#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

using sim::redis::Argv;
using sim::redis::EqualsIgnoreCase;

/// Numbers from here on may be times, which differ.
constexpr std::size_t kDigitsOfTime = 3;

bool IsNumber(const std::string& word) {
  double value = 0;
  return sim::redis::ParseDouble(word, &value);
}

/// Whether a client may draw the one in one run, and the other in another.
bool MayDiffer(const std::string& a, const std::string& b) {
  return (a.size() == b.size() && a.size() >= kShortestToken) || (IsNumber(a) && IsNumber(b));
}

/// The text with each long number as one and the same sign.
std::string WithoutTimes(const std::string& text) {
  std::string without;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end - at >= kDigitsOfTime) {
      without += '#';
    } else {
      if (end == at) ++end;
      without += text.substr(at, end - at);
    }
    at = end;
  }
  return without;
}

bool AsksForTime(const Argv& command) {
  constexpr std::array<std::string_view, 5> kNames = {"ttl", "pttl", "expiretime", "pexpiretime",
                                                      "time"};
  for (const std::string_view name : kNames) {
    if (EqualsIgnoreCase(command.front(), name)) return true;
  }
  return false;
}

}  // namespace

bool CaseLikeness::Commands(const Argv& in_case, const Argv& now) {
  if (in_case.size() != now.size()) return false;
  if (!EqualsIgnoreCase(now.front(), sim::redis::ToLower(in_case.front()))) return false;
  for (std::size_t i = 1; i < now.size(); ++i) {
    if (in_case[i] == now[i]) continue;
    if (!MayDiffer(in_case[i], now[i])) return false;
    const auto [known, is_new] = words_.try_emplace(in_case[i], now[i]);
    if (!is_new && known->second != now[i] && !IsNumber(now[i])) return false;
  }
  return true;
}

bool CaseLikeness::Replies(const Argv& command, const std::string& in_case,
                           const std::string& now) const {
  if (in_case == now || AsksForTime(command)) return true;
  std::string expected = in_case;
  for (const auto& [word, present] : words_) {
    for (std::size_t at = expected.find(word); at != std::string::npos;
         at = expected.find(word, at + present.size())) {
      expected.replace(at, word.size(), present);
    }
  }
  return expected == now || WithoutTimes(expected) == WithoutTimes(now);
}

}  // namespace interlock::scenarios::drive
