// SPDX-License-Identifier: MIT
//
// How judges word what they find, and report only the earliest of several violations of a property
// in a run. Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "scenarios/log/history.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {

/// Instants, lengths of time and answers as a sentence shows them; all else as it is.
template <typename T>
const T& InWords(const T& figure) {
  return figure;
}
inline std::string InWords(Duration time) { return Instant(time); }
inline std::string_view InWords(StatusCode answer) { return ToString(answer); }

/// A format for the figures.
template <typename... Figures>
using Sentence =
    fmt::format_string<decltype(InWords(std::declval<const std::type_identity_t<Figures>&>()))...>;

template <typename... Figures>
Violation Violated(Judged property, VirtualTime at, int client, Sentence<Figures...> sentence,
                   const Figures&... figures) {
  return {property, at, client, fmt::format(sentence, InWords(figures)...)};
}

/// On a tie, keeps the one found first.
inline void KeepEarlier(std::optional<Violation> found, std::optional<Violation>& first) {
  if (found.has_value() && (!first.has_value() || found->at < first->at)) first = std::move(found);
}

}  // namespace interlock::scenarios
