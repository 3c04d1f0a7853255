// SPDX-License-Identifier: MIT
//
// How the real server would hold a value: what OBJECT and DEBUG OBJECT show.
#pragma once

#include <cstdint>
#include <string_view>

namespace interlock::sim::redis {

struct Config;
struct Entry;

/// "listpack", "embstr" ...
std::string_view EncodingOf(const Entry& entry);
/// 1, or INT32_MAX for the small integers that all share.
std::int64_t ReferencesTo(const Entry& entry);
/// What is written under such a policy is shared with nobody, and stays so: ReferencesTo may err.
bool SharesNoIntegers(const Config& config);

}  // namespace interlock::sim::redis
