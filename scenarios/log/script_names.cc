// SPDX-License-Identifier: MIT
#include "scenarios/log/script_names.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "sim/redis/text.h"

namespace interlock::scenarios {
namespace {

using sim::redis::ToLower;

/// Splits a command line into words; a quoted one keeps its quotes.
std::vector<std::string_view> WordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    bool quoted = false;
    while (end < line.size() && (quoted || line[end] != ' ')) {
      if (line[end] == '\\')
        ++end;
      else if (line[end] == '"')
        quoted = !quoted;
      ++end;
    }
    end = std::min(end, line.size());
    words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

int HexDigit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : 0;
}

/// The text that a quoted word stands for.
std::string Unquoted(std::string_view word) {
  if (word.size() < 2 || word.front() != '"') return std::string(word);
  std::string text;
  for (std::size_t i = 1; i + 1 < word.size(); ++i) {
    if (word[i] != '\\' || i + 2 >= word.size()) {
      text.push_back(word[i]);
      continue;
    }
    const char escaped = word[++i];
    const auto at = std::string_view("nrt").find(escaped);
    if (at != std::string_view::npos) {
      text.push_back("\n\r\t"[at]);
    } else if (escaped == 'x' && i + 3 < word.size()) {
      text.push_back(static_cast<char>(HexDigit(word[i + 1]) * 16 + HexDigit(word[i + 2])));
      i += 2;
    } else {
      text.push_back(escaped);
    }
  }
  return text;
}

/// The index of the word that is a script's text or, if `hash`, its hash.
std::optional<std::size_t> ScriptWord(const std::vector<std::string_view>& words, bool hash) {
  if (words.empty()) return std::nullopt;
  const std::string command = ToLower(words[0]);
  if (hash) {
    const bool calls = command == "evalsha" || command == "evalsha_ro";
    return calls && words.size() > 1 ? std::optional<std::size_t>(1) : std::nullopt;
  }
  if ((command == "eval" || command == "eval_ro") && words.size() > 1) return 1;
  const bool load = command == "script" && words.size() > 2 && ToLower(words[1]) == "load";
  return load ? std::optional<std::size_t>(2) : std::nullopt;
}

/// Cuts long quoted texts and long hexadecimal words down to their beginning.
std::string Cut(std::string_view word) {
  constexpr std::size_t kMostQuoted = 24;
  constexpr std::size_t kMostHex = 20;
  constexpr std::size_t kKeep = 6;
  if (word.front() == '"') {
    if (word.size() <= kMostQuoted + 2) return std::string(word);
    return std::string(word.substr(0, kMostQuoted + 1)) + "…\"";
  }
  std::string text;
  std::size_t hex = 0;  // length of the run of hexadecimal digits that ends here
  for (const char letter : word) {
    const bool digit = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
    hex = digit ? hex + 1 : 0;
    if (hex <= kMostHex) {
      text.push_back(letter);
    } else if (hex == kMostHex + 1) {
      text.resize(text.size() - kMostHex + kKeep);
      text += "…";
    }
  }
  return text;
}

}  // namespace

ScriptNames::ScriptNames(const std::vector<sim::TraceEvent>& events) {
  for (const sim::TraceEvent& event : events) {
    if (event.kind != sim::TraceKind::kSend) continue;
    const std::vector<std::string_view> words = WordsOf(event.text);
    const auto at = ScriptWord(words, false);
    if (!at.has_value()) continue;
    std::string text = Unquoted(words[*at]);
    const std::string hash = sim::redis::Sha1Hex(text);
    if (by_hash_.contains(hash)) continue;
    texts_.push_back(std::move(text));
    by_hash_.emplace(hash, fmt::format("S{}", texts_.size()));
  }
}

std::string ScriptNames::Shorten(std::string_view line) const {
  const std::vector<std::string_view> words = WordsOf(line);
  const auto text_at = ScriptWord(words, false);
  const auto hash_at = ScriptWord(words, true);
  std::string shortened;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) shortened.push_back(' ');
    if (words[i].empty()) continue;
    auto name = by_hash_.end();
    if (i == text_at) name = by_hash_.find(sim::redis::Sha1Hex(Unquoted(words[i])));
    if (i == hash_at) name = by_hash_.find(ToLower(words[i]));
    shortened += name != by_hash_.end() ? name->second : Cut(words[i]);
  }
  return shortened;
}

}  // namespace interlock::scenarios
