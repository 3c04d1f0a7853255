// SPDX-License-Identifier: MIT
//
// What the fuzz targets share. A check that fails prints why and aborts, which is how libFuzzer
// learns of it.
#pragma once

#include <string_view>

#include "sim/redis/server.h"

namespace interlock::fuzz {

/// Aborts, unless `holds`, with the two texts.
void Check(bool holds, std::string_view claim, std::string_view detail = {});

/// A reply is well-formed on the wire: what a client reads is what was sent.
void CheckEncoding(const sim::redis::Value& value, int version);

/// A command that a real server serves as well, but with so much time or memory that a fuzzer takes
/// it for a hang: huge counts and offsets, scripts that may loop or build huge strings.
bool IsTooCostly(const sim::redis::Argv& argv);

}  // namespace interlock::fuzz
