// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/library_header.h"

#include <optional>
#include <vector>

#include "sim/redis/inline_argument.h"
#include "sim/redis/scripting/library_loader.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

// Nothing: its quotes are wrong.
std::optional<std::vector<std::string>> SplitLine(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = 0;;) {
    while (at < line.size() && IsBlank(line[at])) ++at;
    if (at == line.size()) return words;
    if (!ReadInlineArgument(line, QuotesMay::kEndWords, &at, &words.emplace_back()))
      return std::nullopt;
  }
}

// The options after the engine's name. Returns the error.
std::string ReadOptions(const std::vector<std::string>& words, std::string* name) {
  constexpr std::string_view kName = "name=";
  bool named = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (!EqualsIgnoreCase(word.substr(0, kName.size()), kName)) {
      return OneLine("ERR Invalid metadata value given: " + std::string(UntilNul(word)));
    }
    if (named) return "ERR Invalid metadata value, name argument was given multiple times";
    named = true;
    name->assign(word.substr(kName.size()));
  }
  return named ? std::string() : "ERR Library name was not given";
}

}  // namespace

LibraryHeader ParseLibraryHeader(const Dialect& dialect, std::string_view code) {
  LibraryHeader header;
  if (!code.starts_with("#!")) {
    header.error = "ERR Missing library metadata";
    return header;
  }
  header.length = UntilNul(code).find('\n');
  if (header.length == std::string_view::npos) {
    header.error = "ERR Invalid library metadata";
    return header;
  }
  const std::string_view line = code.substr(0, header.length);
  const auto words = SplitLine(line);
  if (!words) {
    header.unmodelled = dialect.IsIn(kValkeyFrom90);
    header.error = "ERR Invalid library metadata";
    return header;
  }
  header.error = ReadOptions(*words, &header.name);
  if (header.error.empty() && !IsLibraryName(header.name)) {
    header.error =
        "ERR Library names can only contain letters, numbers, or underscores(_) and must be at "
        "least one character long";
  }
  const std::string engine = words->front().substr(2);
  if (header.error.empty() && !EqualsIgnoreCase(engine, "lua")) {
    header.error = OneLine("ERR Engine '" + std::string(UntilNul(engine)) + "' not found");
  }
  return header;
}

}  // namespace interlock::sim::redis
