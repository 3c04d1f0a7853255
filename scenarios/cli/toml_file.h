// SPDX-License-Identifier: MIT
//
// What the readers of TOML files share: mistakes that name their line, and strict values. Thread
// safety: pure functions.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "reports/escape.h"
#include "reports/json_writer.h"
#include "reports/text_layout.h"

namespace interlock::scenarios::cli {

/// What is wrong with a file, as its readers throw it and ReadToml returns it.
struct TomlMistake : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] inline void FailAt(const toml::node& node, const std::string& what) {
  throw TomlMistake(fmt::format("line {}: {}", node.source().begin.line, what));
}

/// A key or a value of the file in a message.
inline std::string Shown(std::string_view text) { return reports::Excerpt(text, 60, true); }

inline std::string TextIn(const toml::node& node, std::string_view key) {
  if (!node.is_string()) FailAt(node, fmt::format("{} must be a string", key));
  return *node.value<std::string>();
}

/// What `read` makes of the file's table, or what is wrong, with its line.
template <typename T, typename Reader>
reports::ReadResult<T> ReadToml(std::string_view text, Reader read) {
  reports::ReadResult<T> result;
  try {
    result.value = read(toml::parse(text));
  } catch (const TomlMistake& mistake) {
    result.error = mistake.what();
  } catch (const toml::parse_error& error) {
    result.error = fmt::format("line {}: {}", error.source().begin.line,
                               reports::SafeForTerminal(error.description(), true));
  }
  return result;
}

}  // namespace interlock::scenarios::cli
