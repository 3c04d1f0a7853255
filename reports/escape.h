// SPDX-License-Identifier: MIT
//
// Each function makes foreign strings safe for one kind of output. Names of locks, keys and error
// texts come from the code under test, so they may contain markup, terminal commands, or bytes that
// are not text at all.
//
// Guarantee: every function takes any bytes of any length, never throws (except for lack of
// memory), is linear in its input, and returns valid UTF-8. Non-guarantee: escapes are for reading
// and cannot be undone, because a backslash in the input is kept as it is. Thread safety: pure
// functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace interlock::reports {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

/// The code point that begins at `position`, which moves past it. Bytes that are not UTF-8
/// (overlong forms, surrogates and values above U+10FFFF included) give U+FFFD and move past the
/// broken part. REQUIRES: `*position < text.size()`.
char32_t NextCodePoint(std::string_view text, std::size_t* position);

void AppendUtf8(char32_t code_point, std::string* out);

/// `text` with each broken part replaced by U+FFFD.
std::string ToValidUtf8(std::string_view text);

/// Makes one line for a terminal: control characters, line ends, bidirectional overrides and
/// invisible characters become visible escapes such as \n, \x1b, \u{202e}. With `utf8` false the
/// result is plain ASCII; arrows, dots and quotes get their usual substitutes.
std::string SafeForTerminal(std::string_view text, bool utf8);

/// Defuses lines that a CI system would obey (`::error`, `##[group]`, `##vso[...]`) without
/// changing the width of a line. For complete output that is already safe.
std::string DefuseCiCommands(std::string_view text);

/// Escapes text for a paragraph or a table cell of GitHub's Markdown, so that it has no meaning
/// there or as HTML. For text on one line that is already safe for a terminal.
std::string EscapeMarkdown(std::string_view text);

/// Content of an XML 1.0 element; characters that XML cannot carry at all become visible escapes.
std::string EscapeXmlText(std::string_view text);

/// Content of a double-quoted XML 1.0 attribute; line ends and tabs survive as references.
std::string EscapeXmlAttribute(std::string_view text);

/// A single portable file name: letters, digits, '.', '-', '_', never empty, never hidden, at most
/// 100 characters. Different texts may give the same name, so the caller should add a number.
std::string SafeFileName(std::string_view text);

}  // namespace interlock::reports
