// SPDX-License-Identifier: MIT
//
// Every modelled command with 0, -1, 2^31, 2^63-1, its neighbours, "" and 1 MB in each place,
// beside a real redis-server, over the same few keys. INTERLOCK_MATRIX_STRIDE says which part of it
// is compared: 1 is the whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <set>
#include <string>
#include <vector>

#include "sim/redis/command_table.h"
#include "sim/redis/resp.h"
#include "sim/redis/server.h"
#include "tests/redis/differential/argument_forms.h"
#include "tests/redis/differential/side_by_side.h"

namespace interlock::testing {
namespace {

using sim::redis::Argv;
using sim::redis::ToText;
using sim::redis::Value;

std::vector<std::string> Substitutes() {
  return {"0",
          "-1",
          "1",
          "2147483647",
          "2147483648",
          "-2147483648",
          "-2147483649",
          "4294967296",
          "9223372036854775807",
          "9223372036854775808",
          "-9223372036854775808",
          "-9223372036854775807",
          "9223372036854775",
          "",
          std::string(std::size_t{1} << 20, 'x'),
          std::string(std::size_t{1} << 20, '7')};
}

Argv LineWords(const std::string& line) {
  sim::redis::RequestParser parser;
  parser.Feed(line + "\n");
  return parser.Next(true) == sim::redis::RequestParser::Outcome::kCommand ? parser.command()
                                                                           : Argv();
}

class ArgumentMatrixTest : public SideBySideTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(SideBySideTest::SetUp());
    fake().SetUnmodelledIsError(true);
    fake().SetTime(std::int64_t{std::time(nullptr)} * 1'000'000);
  }

  // Sets and scans have no order.
  static void Sort(Value* value) {
    for (Value& element : value->elements) Sort(&element);
    std::sort(value->elements.begin(), value->elements.end(),
              [](const Value& a, const Value& b) { return ToText(a) < ToText(b); });
  }

  static std::string Shown(Value value, bool ordered) {
    if (!ordered) Sort(&value);
    std::string text = ToText(value);
    if (text.size() > 300) text = text.substr(0, 300) + "... of " + std::to_string(text.size());
    return text;
  }

  // Nothing may wait: so a command that can is a transaction of its own.
  std::string Answers(const Argv& argv, bool waits, bool ordered, bool real) {
    const auto call = [&](const Argv& one) { return real ? Real(one) : Fake(one); };
    if (!waits) return Shown(call(argv), ordered);
    call({"MULTI"});
    call(argv);
    return Shown(call({"EXEC"}), ordered);
  }

  void BeginAnew() {
    for (const char* line : DataOfForms()) {
      const Argv argv = LineWords(line);
      real().Queue(argv);
      Fake(argv);
    }
    real().Flush();
    for (std::size_t i = 0; i < DataOfForms().size(); ++i) real().Await();
  }
};

const sim::redis::Command* CommandOf(const Argv& argv) {
  return sim::redis::FindCommand(sim::redis::DefaultDialect(), argv);
}

TEST(ArgumentMatrixFormsTest, EveryModelledCommandIsThereOrElsewhere) {
  std::set<std::string> named(CommandsElsewhere().begin(), CommandsElsewhere().end());
  for (const char* form : CommandForms()) {
    const sim::redis::Command* command = CommandOf(LineWords(form));
    ASSERT_NE(command, nullptr) << form;
    named.emplace(command->name);
  }
  for (const sim::redis::Command& command :
       sim::redis::KnownCommands(sim::redis::DefaultDialect())) {
    if (command.handler == nullptr || command.name.starts_with("cluster|")) continue;
    EXPECT_TRUE(named.contains(std::string(command.name))) << command.name;
  }
}

TEST_F(ArgumentMatrixTest, HostileArgumentsGetWhatARealServerAnswers) {
  const char* given = std::getenv("INTERLOCK_MATRIX_STRIDE");
  const std::size_t stride = given == nullptr ? 7 : std::strtoull(given, nullptr, 10);
  const std::vector<std::string> substitutes = Substitutes();
  std::size_t number = 0;
  std::size_t compared = 0;
  for (const char* form : CommandForms()) {
    const Argv plain = LineWords(form);
    const sim::redis::Command& command = *CommandOf(plain);
    const bool waits = (command.flags & sim::redis::kBlocking) != 0 || command.name == "wait";
    const bool ordered = command.name.find("range") != std::string_view::npos;
    const std::size_t first = command.name.find('|') == std::string_view::npos ? 1 : 2;
    for (std::size_t place = first; place < plain.size(); ++place) {
      if (command.name == "scan" && place == 1) continue;  // Cursors are the server's own.
      for (const std::string& substitute : substitutes) {
        // The id of a client on one of the two; pages of SCAN are the server's own.
        if (substitute == "1" && (command.name.starts_with("client|") || command.name == "scan")) {
          continue;
        }
        if (number++ % stride != 0) continue;
        Argv argv = plain;
        argv[place] = substitute;
        BeginAnew();
        const std::string fake = Answers(argv, waits, ordered, false);
        if (fake.find("Interlock does not model") != std::string::npos) {
          // A real server would now fill its memory.
          EXPECT_NE(command.name.find("rand"), std::string_view::npos)
              << ToText(argv).substr(0, 200) << "\n"
              << fake;
          continue;
        }
        EXPECT_EQ(fake, Answers(argv, waits, ordered, true)) << ToText(argv).substr(0, 200);
        EXPECT_EQ(Shown(Fake({"DBSIZE"}), true), Shown(Real({"DBSIZE"}), true))
            << ToText(argv).substr(0, 200);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared * stride, 6000U);
}

}  // namespace
}  // namespace interlock::testing
