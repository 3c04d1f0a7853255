// SPDX-License-Identifier: MIT
//
// Shared code for the lines and files that one process of this program writes for another: how a
// value is read, and how an invalid one is reported.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/escape.h"
#include "reports/json_writer.h"
#include "reports/run_report.h"

namespace interlock::reports {

using WordsJson = nlohmann::ordered_json;

[[noreturn]] inline void RefuseWord(std::string_view what, const std::string& word) {
  throw WordsJson::other_error::create(501, fmt::format("\"{}\" is no {}", word, what), nullptr);
}

inline SynchronyClass ClassFrom(const WordsJson& object) {
  const auto word = object.at("class").get<std::string>();
  for (const SynchronyClass synchrony :
       {SynchronyClass::kNone, SynchronyClass::kBounded, SynchronyClass::kArbitrary}) {
    if (ToString(synchrony) == word) return synchrony;
  }
  RefuseWord("class", word);
}

inline std::string OnOneLine(const WordsJson& object) {
  return object.dump(-1, ' ', false, WordsJson::error_handler_t::replace);
}

/// The result of `from` for the text, or where and what is wrong with it. Never throws (except for
/// lack of memory).
template <typename From>
auto ReadWith(std::string_view text, const From& from) {
  ReadResult<decltype(from(WordsJson()))> result;
  try {
    result.value = from(WordsJson::parse(text));
  } catch (const WordsJson::exception& error) {
    result.error = SafeForTerminal(error.what(), true);
  }
  return result;
}

}  // namespace interlock::reports
