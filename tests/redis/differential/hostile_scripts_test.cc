// SPDX-License-Identifier: MIT
//
// Hostile scripts from the fuzzers' grammar, beside a real redis-server: what they get must be the
// same, error texts included. INTERLOCK_HOSTILE_SCRIPTS says how many (150), and
// INTERLOCK_HOSTILE_SEED from which on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <random>
#include <string>

#include "sim/redis/server.h"
#include "tests/fuzz/script_grammar.h"
#include "tests/redis/differential/side_by_side.h"

namespace interlock::testing {
namespace {

using sim::redis::Argv;

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Objects are named by their addresses.
std::string WithoutAddresses(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "0x") != 0) {
      result.push_back(text[i++]);
      continue;
    }
    for (i += 2; i < text.size() && std::isxdigit(static_cast<unsigned char>(text[i])) != 0;) ++i;
    result += "0x...";
  }
  return result;
}

// The table `redis` itself, packed or listed: its order is that of where its names lie in a hash,
// so only what is in it counts.
std::string WithoutOrderOfLibrary(std::string text) {
  const bool shows_library =
      text.find("LOG_WARNING") != std::string::npos && text.find("set_repl") != std::string::npos;
  if (shows_library) std::ranges::sort(text);
  return text;
}

std::string ScriptOf(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bytes(1 + random() % 256, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  fuzz::ByteChoices choices(bytes);
  return fuzz::HostileScript(&choices, fuzz::ScriptKind::kComparable);
}

class HostileScriptsTest : public SideBySideTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(SideBySideTest::SetUp());
    fake().SetUnmodelledIsError(true);
  }

  std::string FakeText(const Argv& argv) { return WithoutAddresses(ToText(Fake(argv))); }
  std::string RealText(const Argv& argv) { return WithoutAddresses(ToText(Real(argv))); }
};

TEST_F(HostileScriptsTest, TheyGetWhatARealServerAnswers) {
  const std::uint64_t first = FromEnvironment("INTERLOCK_HOSTILE_SEED", 1);
  const std::uint64_t count = FromEnvironment("INTERLOCK_HOSTILE_SCRIPTS", 150);
  std::uint64_t unmodelled = 0;
  int differences = 0;
  for (std::uint64_t seed = first; seed < first + count && differences < 20; ++seed) {
    const Argv argv = {"EVAL", ScriptOf(seed), "1", "key", "argument"};
    for (const Argv& before : {Argv{"FLUSHALL"}, Argv{"SCRIPT", "FLUSH"}}) {
      ASSERT_EQ(FakeText(before), RealText(before));
    }
    const std::string fake = FakeText(argv);
    if (fake.find("Interlock does not model") != std::string::npos) {
      ++unmodelled;
      continue;
    }
    std::string real;
    ASSERT_NO_THROW(real = RealText(argv)) << "seed " << seed << "\n" << argv[1];
    if (WithoutOrderOfLibrary(fake) == WithoutOrderOfLibrary(real)) continue;
    ++differences;
    ADD_FAILURE() << "seed " << seed << "\n"
                  << argv[1] << "\nreal: " << real.substr(0, 3000)
                  << "\nfake: " << fake.substr(0, 3000);
  }
  EXPECT_LT(unmodelled * 10, count) << "too many scripts compare nothing";
}

}  // namespace
}  // namespace interlock::testing
