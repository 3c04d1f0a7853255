// SPDX-License-Identifier: MIT
#include "sim/redis/notifications.h"

namespace interlock::sim::redis {

namespace {

struct Letter {
  char letter;
  NotifyClass type;
};

// In the order of CONFIG GET; A stands for the first ten.
constexpr Letter kLetters[] = {
    {'g', kNotifyGeneric},  {'$', kNotifyString},    {'l', kNotifyList},    {'s', kNotifySet},
    {'h', kNotifyHash},     {'z', kNotifySortedSet}, {'x', kNotifyExpired}, {'e', kNotifyEvicted},
    {'t', kNotifyStream},   {'d', kNotifyModule},    {'n', kNotifyNew},     {'K', kNotifyKeyspace},
    {'E', kNotifyKeyevent}, {'m', kNotifyKeyMiss},
};

// Redis prints no n next to A, though A does not include it.
constexpr std::uint16_t kHiddenByAll = kNotifyAll | kNotifyNew;

}  // namespace

bool ParseNotifyClasses(std::string_view text, std::uint16_t* classes) {
  *classes = 0;
  for (const char given : text) {
    std::uint16_t type = given == 'A' ? static_cast<std::uint16_t>(kNotifyAll) : 0;
    for (const Letter& row : kLetters) {
      if (row.letter == given) type = row.type;
    }
    if (type == 0) return false;
    *classes |= type;
  }
  return true;
}

std::string FormatNotifyClasses(std::uint16_t classes) {
  std::string text;
  const bool all = (classes & kNotifyAll) == kNotifyAll;
  if (all) text.push_back('A');
  for (const Letter& row : kLetters) {
    if ((classes & row.type) == 0 || (all && (kHiddenByAll & row.type) != 0)) continue;
    text.push_back(row.letter);
  }
  return text;
}

}  // namespace interlock::sim::redis
