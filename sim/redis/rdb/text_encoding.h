// SPDX-License-Identifier: MIT
//
// Lengths and texts as Redis' snapshot format has them. Texts are written uncompressed, and
// integers in as few bytes as the real server takes; both forms of text are read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/redis/rdb/bytes.h"

namespace interlock::sim::redis {

void AppendLength(std::uint64_t length, std::string* out);
void AppendText(std::string_view text, std::string* out);

/// These two return false if there is no such thing at the reader's position.
bool ReadCount(ByteReader* reader, std::uint64_t* count);
bool ReadText(ByteReader* reader, std::string* text);

}  // namespace interlock::sim::redis
