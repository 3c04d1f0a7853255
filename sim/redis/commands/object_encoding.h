// SPDX-License-Identifier: MIT
//
// How the real server would hold a value: what OBJECT and DEBUG OBJECT show.
#pragma once

#include <cstdint>
#include <string_view>

namespace interlock::sim::redis {

struct Entry;

/// "listpack", "embstr" ...
std::string_view EncodingOf(const Entry& entry);
/// 1, or INT32_MAX for the small integers that all share.
std::int64_t ReferencesTo(const Entry& entry);

}  // namespace interlock::sim::redis
