// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "reports/escape.h"

namespace interlock::reports {
namespace {

TEST(EscapeTest, ValidUtf8IsUnchanged) {
  const std::string text = "a é € \xf0\x9f\x94\x92 \xf4\x8f\xbf\xbf";
  EXPECT_EQ(text, ToValidUtf8(text));
}

TEST(EscapeTest, BrokenUtf8BecomesReplacementCharacters) {
  EXPECT_EQ("a\uFFFDb", ToValidUtf8("a\xff"
                                    "b"));
  EXPECT_EQ("\uFFFD\uFFFD", ToValidUtf8("\xc0\xaf"));            // overlong
  EXPECT_EQ("\uFFFDx", ToValidUtf8("\xe2\x82x"));                // cut off in the middle
  EXPECT_EQ("\uFFFD", ToValidUtf8("\xf0\x9f\x94"));              // cut off at the end
  EXPECT_EQ("\uFFFD\uFFFD\uFFFD", ToValidUtf8("\xed\xa0\x80"));  // a surrogate
}

// Exhaustive over two bytes and all lead bytes of three: the result must decode without U+FFFD
// added.
TEST(EscapeTest, ResultIsAlwaysValidUtf8) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string text = {static_cast<char>(a), static_cast<char>(b), '\x80'};
      const std::string once = ToValidUtf8(text);
      ASSERT_EQ(once, ToValidUtf8(once));
    }
  }
}

TEST(EscapeTest, TerminalTextIsOneVisibleLine) {
  EXPECT_EQ("a\\nb\\r\\t\\x1b[2J\\x7f\\x00",
            SafeForTerminal(std::string_view("a\nb\r\t\x1b[2J\x7f\0", 11), true));
  EXPECT_EQ("\\u{9b}\\u{202e}\\u{2028}", SafeForTerminal("\xc2\x9b\u202e\u2028", true));
  EXPECT_EQ("▸ é", SafeForTerminal("▸ é", true));
  EXPECT_EQ("> \\u{e9} ...", SafeForTerminal("▸ é …", false));
}

TEST(EscapeTest, XmlKeepsNothingThatXmlCannotCarry) {
  EXPECT_EQ("&lt;a&gt; &amp; &quot;]]&gt;\\x01\\x00",
            EscapeXmlText(std::string_view("<a> & \"]]>\x01\0", 12)));
  EXPECT_EQ("a\n\tb&#13;", EscapeXmlText("a\n\tb\r"));
  EXPECT_EQ("a&#10;&#9;b&#13;", EscapeXmlAttribute("a\n\tb\r"));
  EXPECT_EQ("\\u{ffff}", EscapeXmlText("\xef\xbf\xbf"));
}

TEST(EscapeTest, CiCommandsAreDefusedWithoutChangingWidths) {
  EXPECT_EQ("\\:error::x\n  \\:set-output\na::b\n\\#[group]",
            DefuseCiCommands("::error::x\n  ::set-output\na::b\n##[group]"));
  // Wherever two hashes stood together, no two do afterwards.
  EXPECT_EQ(std::string::npos, DefuseCiCommands("#####vso[task]").find("##"));
}

TEST(EscapeTest, FileNamesAreHarmless) {
  EXPECT_EQ("acme.job-lock", SafeFileName("acme.job-lock"));
  EXPECT_EQ("_.._.._etc_passwd", SafeFileName("../../etc/passwd"));
  EXPECT_EQ("_", SafeFileName(""));
  EXPECT_EQ("_.", SafeFileName("."));
  EXPECT_EQ("_-rf", SafeFileName("-rf"));
  EXPECT_EQ(100U, SafeFileName(std::string(1'000'000, '.')).size());
}

}  // namespace
}  // namespace interlock::reports
