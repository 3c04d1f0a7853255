// SPDX-License-Identifier: MIT
#include "tests/fuzz/checks.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "sim/redis/resp.h"
#include "sim/redis/text.h"

namespace interlock::fuzz {

namespace {

using sim::redis::Argv;
using sim::redis::Value;

bool HasLongNumber(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits >= 6) return true;
  }
  return false;
}

bool MayLoop(std::string_view script) {
  for (const char* word : {"while", "repeat", "for ", "for\t", "for\n", "function", "rep", "..",
                           "gsub", "goto", "load", "find", "match", "e1", "e2", "e3"}) {
    if (script.find(word) != std::string_view::npos) return true;
  }
  return HasLongNumber(script);
}

}  // namespace

void Check(bool holds, std::string_view claim, std::string_view detail) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n%.*s\n", static_cast<int>(claim.size()), claim.data(),
               static_cast<int>(detail.size()), detail.data());
  std::abort();
}

void CheckEncoding(const Value& value, int version) {
  std::string bytes;
  sim::redis::AppendReply(value, version, &bytes);
  sim::redis::ReplyParser parser;
  parser.Feed(bytes);
  const std::optional<Value> read = parser.Next();
  Check(read.has_value() && !parser.HasBytes(), "a reply is well-formed", bytes);
  std::string again;
  sim::redis::AppendReply(*read, version, &again);
  Check(again == bytes, "a reply is read as it was sent", bytes);
}

bool IsTooCostly(const Argv& argv) {
  if (argv.empty()) return false;
  const std::string name = sim::redis::ToLower(argv[0]);
  // The whole command table: hundreds of these fit into one input.
  if (name == "command" && argv.size() < 3) return true;
  const bool script = name.starts_with("eval") || name == "script";
  for (const char* unbounded : {"setrange", "srandmember", "hrandfield", "zrandmember"}) {
    if (name != unbounded) continue;
    for (const std::string& argument : argv) {
      if (HasLongNumber(argument)) return true;
    }
  }
  for (const std::string& argument : argv) {
    if (script && MayLoop(argument)) return true;
  }
  return false;
}

}  // namespace interlock::fuzz
