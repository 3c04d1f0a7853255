// SPDX-License-Identifier: MIT
#include "tests/redis/differential/case.h"

#include <algorithm>
#include <charconv>

namespace interlock::testing {

namespace {

using sim::redis::Argv;

constexpr std::string_view kReconnect = "(reconnect)";

bool IsPlain(char c) { return c > ' ' && c <= '~' && c != '"' && c != '\'' && c != '\\'; }

std::string Quote(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), IsPlain)) return word;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted.append("\\").push_back(c);
    } else if (c == '\n') {
      quoted.append("\\n");
    } else if (c == '\r') {
      quoted.append("\\r");
    } else if (c >= ' ' && c <= '~') {
      quoted.push_back(c);
    } else {
      quoted.append("\\x").push_back(kHex[byte >> 4]);
      quoted.push_back(kHex[byte & 15]);
    }
  }
  return quoted.append("\"");
}

// One character of a quoted word, from behind the backslash on.
char Unescape(std::string_view* rest) {
  const char c = rest->front();
  if (c == 'x') {
    unsigned byte = 0;
    std::from_chars(rest->data() + 1, rest->data() + 3, byte, 16);
    rest->remove_prefix(3);
    return static_cast<char>(byte);
  }
  rest->remove_prefix(1);
  return c == 'n' ? '\n' : c == 'r' ? '\r' : c;
}

}  // namespace

std::size_t ConnectionsOf(const Case& sequence) {
  std::size_t count = 1;
  for (const Step& step : sequence.steps) count = std::max(count, step.connection + 1);
  return count;
}

std::string ToText(const Step& step) {
  std::string text = std::to_string(step.connection).append(">");
  if (step.argv.empty()) return text.append(" ").append(kReconnect);
  for (const std::string& word : step.argv) text.append(" ").append(Quote(word));
  return text;
}

std::string ToText(const Case& sequence) {
  std::string text;
  for (const Step& step : sequence.steps) text.append(ToText(step)).append("\n");
  return text;
}

Argv ParseWords(std::string_view line) {
  Argv words;
  while (!line.empty()) {
    if (line.front() == ' ') {
      line.remove_prefix(1);
    } else if (line.front() != '"') {
      const std::size_t end = std::min(line.find(' '), line.size());
      words.emplace_back(line.substr(0, end));
      line.remove_prefix(end);
    } else {
      std::string& word = words.emplace_back();
      line.remove_prefix(1);
      while (line.front() != '"') {
        const char c = line.front();
        line.remove_prefix(1);
        word.push_back(c == '\\' ? Unescape(&line) : c);
      }
      line.remove_prefix(1);
    }
  }
  return words;
}

Case ParseCase(std::string_view text) {
  Case sequence;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) continue;
    Step& step = sequence.steps.emplace_back();
    step.connection = static_cast<std::size_t>(line.front() - '0');
    line.remove_prefix(2);
    if (line.find(kReconnect) == std::string_view::npos) step.argv = ParseWords(line);
  }
  return sequence;
}

}  // namespace interlock::testing
