// SPDX-License-Identifier: MIT
//
// notify-keyspace-events: which events are published, and the option's text in both directions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace interlock::sim::redis {

/// The letters of the option.
enum NotifyClass : std::uint16_t {
  kNotifyKeyspace = 1 << 0,   // K: to __keyspace@<db>__:<key>
  kNotifyKeyevent = 1 << 1,   // E: to __keyevent@<db>__:<event>
  kNotifyGeneric = 1 << 2,    // g
  kNotifyString = 1 << 3,     // $
  kNotifyList = 1 << 4,       // l
  kNotifySet = 1 << 5,        // s
  kNotifyHash = 1 << 6,       // h
  kNotifySortedSet = 1 << 7,  // z
  kNotifyExpired = 1 << 8,    // x
  kNotifyEvicted = 1 << 9,    // e
  kNotifyStream = 1 << 10,    // t
  kNotifyKeyMiss = 1 << 11,   // m
  kNotifyModule = 1 << 12,    // d
  kNotifyNew = 1 << 13,       // n
  // A: all except m and n.
  kNotifyAll = kNotifyGeneric | kNotifyString | kNotifyList | kNotifySet | kNotifyHash |
               kNotifySortedSet | kNotifyExpired | kNotifyEvicted | kNotifyStream | kNotifyModule,
};

/// Returns false if the text has an invalid letter.
bool ParseNotifyClasses(std::string_view text, std::uint16_t* classes);
/// As CONFIG GET prints it: "AKE", "gxE".
std::string FormatNotifyClasses(std::uint16_t classes);

}  // namespace interlock::sim::redis
