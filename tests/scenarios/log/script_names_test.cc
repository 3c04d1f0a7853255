// SPDX-License-Identifier: MIT
//
// A table has no room for a script, yet must say which one ran: by its text, or by its hash alone.
#include "scenarios/log/script_names.h"

#include <gtest/gtest.h>

#include "sim/redis/text.h"

namespace interlock::scenarios {
namespace {

sim::TraceEvent Sent(std::string text) {
  return {std::chrono::milliseconds(1), 0, sim::TraceKind::kSend, std::move(text)};
}

TEST(ScriptNamesTest, AScriptIsNamedByItsTextAndByItsHash) {
  const std::string text = "if redis.call(\"get\", KEYS[1]) == 'a' then\n  return 1\nend";
  const std::string quoted =
      "\"if redis.call(\\\"get\\\", KEYS[1]) == 'a' then\\n  return 1\\nend\"";
  const std::string hash = sim::redis::Sha1Hex(text);
  const ScriptNames names({Sent("EVALSHA " + hash + " 1 k a"), Sent("EVAL " + quoted + " 1 k a"),
                           Sent("SCRIPT LOAD \"return 2\"")});
  ASSERT_EQ(names.texts().size(), 2U);
  EXPECT_EQ(names.texts()[0], text);
  EXPECT_EQ(names.texts()[1], "return 2");
  EXPECT_EQ(names.Shorten("EVALSHA " + hash + " 1 k a"), "EVALSHA S1 1 k a");
  EXPECT_EQ(names.Shorten("EVAL " + quoted + " 1 k a"), "EVAL S1 1 k a");
  EXPECT_EQ(names.Shorten("script load \"return 2\""), "script load S2");
}

TEST(ScriptNamesTest, TokensHashesAndLongTextsKeepTheirBeginning) {
  const ScriptNames names({});
  EXPECT_EQ(names.Shorten("SET k 0123456789abcdef0123456789abcdef NX"), "SET k 012345… NX");
  EXPECT_EQ(names.Shorten("EVALSHA 0123456789abcdef0123456789abcdef01234567 0"),
            "EVALSHA 012345… 0");
  EXPECT_EQ(names.Shorten("\"" + std::string(40, 'x') + "\""), "\"" + std::string(24, 'x') + "…\"");
  EXPECT_EQ(names.Shorten(""), "");
  EXPECT_EQ(names.Shorten("\"an open quote"), "\"an open quote");
}

}  // namespace
}  // namespace interlock::scenarios
