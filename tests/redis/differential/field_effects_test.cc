// SPDX-License-Identifier: MIT
//
// The TTLs of the fields of hashes: replies, effects and events are those of the real server, where
// it has them (INTERLOCK_REDIS_SERVER). What Valkey lists in any order has one element here.
#include <sstream>
#include <string>
#include <vector>

#include "tests/redis/differential/effects_fixture.h"
#include "tests/redis/differential/tested_server.h"

namespace interlock::testing {
namespace {

class FieldEffectsTest : public EffectsTest {
 protected:
  void SetUp() override {
    if (!TestedDialect().IsIn(sim::redis::kFieldTtls)) {
      GTEST_SKIP() << TestedDialect().title << " has no TTLs of fields";
    }
    EffectsTest::SetUp();
  }
  // A hash with two fields whose time is over and one that lives, then this.
  void CheckOver(const std::string& lines) {
    Check("HSET h a 1 b 2 c 3\nHPEXPIRE h 1 FIELDS 2 a b\n~5\n" + lines +
          "\nHLEN h\nHTTL h FIELDS 4 a b c z\nHMGET h a b c z");
    Check("HSET h a 1\nHPEXPIRE h 1 FIELDS 1 a\n~5\n" + lines +
          "\nHLEN h\nHTTL h FIELDS 2 a z\nHMGET h a z\nTYPE h");
  }
};

TEST_F(FieldEffectsTest, HExpireAndItsRelatives) {
  Check(
      "HSET h a 1 b 2 c 3\nHEXPIRE h 100 FIELDS 2 a x\nHEXPIRE h 100 NX FIELDS 2 a b\n"
      "HEXPIRE h 200 XX FIELDS 3 a b c\nHEXPIRE h 150 GT FIELDS 3 a b c\nHEXPIRE h 300 GT FIELDS 3 "
      "a b c\nHEXPIRE h 100 LT FIELDS 3 a b c\nHTTL h FIELDS 4 a b c x\nHPERSIST h FIELDS 2 a x\n"
      "HPERSIST h FIELDS 1 a\nHPERSIST x FIELDS 1 a\nHTTL x FIELDS 1 a");
  Check("HSET h a 1\nhpexpireat h $nowms+90000 nx fields 1 a\nhexpireat h $now+90 xx fields 2 a b");
  Check("HSET h a 1 b 2 c 3\nHEXPIRE h 0 FIELDS 2 a x\nHEXPIREAT h 1 FIELDS 2 b c\nEXISTS h");
  Check("HSET h a 1 b 2\nHEXPIRE h 100 FIELDS 2 a a\nHEXPIRE h 0 FIELDS 3 a a b\nHEXPIRE h 1 XX");
  Check("HSET h a 1\nHPEXPIREAT h 33333333333400 FIELDS 1 a\nHEXPIRETIME h FIELDS 1 a");
  Check("HSET h a 1\nHPEXPIREAT h 33333333333500 FIELDS 1 a\nHEXPIRETIME h FIELDS 1 a");
  Check("HSET h a 1\nHPEXPIREAT h 33333333333000 FIELDS 1 a\nHPEXPIRETIME h FIELDS 1 a");
}

TEST_F(FieldEffectsTest, HSetEx) {
  Check(
      "HSETEX h EX 100 FIELDS 2 a 1 b 2\nHSETEX h FNX EX 100 FIELDS 1 a 1\nHSETEX h FXX PX 90000 "
      "FIELDS 1 a 1\nHSETEX h FXX PX 1 FIELDS 2 a 1 z 1\nHSETEX h FNX FIELDS 1 y 1\nHSETEX h "
      "FIELDS "
      "1 a 5\nHSETEX h KEEPTTL FIELDS 1 b 6\nHTTL h FIELDS 3 a b y\nHSETEX h PXAT $nowms+90000 "
      "FIELDS 1 c 6\nHSETEX h EXAT $now+90 FIELDS 1 d 6\nhsetex h fnx ex 100 fields 1 e 7\n"
      "HSETEX h EXAT $now+90 FXX FIELDS 1 d 6");
  Check(
      "HSETEX h PX 0 FIELDS 1 a 1\nHSET h a 1\nHSETEX h PXAT 1 FIELDS 1 a 2\nHSET h a 1\n"
      "HSETEX h PXAT 1 FIELDS 1 b 2\nHSETEX h EXAT 0 FIELDS 3 a 2 b 3 b 4");
  Check(
      "HSETEX h EX 100 EX 100 FIELDS 1 a b\nHSETEX h FNX FNX FIELDS 1 e f\nHSETEX h NX FIELDS 1 "
      "a b\nHSETEX h XX FXX FIELDS 1 a b\nHSETEX h KEEPTTL KEEPTTL FIELDS 1 c d\nHSETEX n XX EX -1 "
      "FIELDS 1 a b");
  Check("WATCH n\n2> HSETEX n PX 0 FIELDS 1 a 1\nMULTI\nPING\nEXEC");
}

TEST_F(FieldEffectsTest, HGetExAndHGetDel) {
  Check(
      "HSET h a 1 b 2 c 3\nHGETEX h FIELDS 2 a x\nHGETEX h EX 100 FIELDS 2 a x\nHGETEX h PERSIST "
      "FIELDS 3 a b x\nHGETEX h PERSIST FIELDS 1 a\nhgetex h pxat $nowms+90000 fields 2 a "
      "a\nhgetex "
      "h persist fields 1 a\nHGETEX h PXAT 1 FIELDS 3 a a x\nHGETEX h EX 0 FIELDS 3 b c x\nHGETEX "
      "h "
      "EX 10 FIELDS 1 a\nHGETEX h EX -1 FIELDS 1 a");
  Check(
      "HSET h a 1 b 2\nHGETDEL h FIELDS 2 a x\nHGETDEL h FIELDS 1 x\nHGETDEL h FIELDS 2 b b\n"
      "HGETDEL h FIELDS 1 a");
}

TEST_F(FieldEffectsTest, OtherWritesAndTheTtl) {
  Check(
      "HSET h a 1 b 2\nHINCRBYFLOAT h a 1\nHINCRBY h a 1\nHSETNX h z 1\nHEXPIRE h 100 FIELDS 1 a\n"
      "HINCRBY h a 1\nHINCRBYFLOAT h a 1\nHTTL h FIELDS 1 a\nHINCRBYFLOAT h b 1\nHINCRBY h b 1\n"
      "HINCRBY h c 1\nHSETNX h d 1\nHSET h a 5\nHTTL h FIELDS 1 a\nHINCRBY h a 1");
  Check(
      "HSETEX h EX 100 FIELDS 1 a 1\nHDEL h a\nHSET h a 1\nHTTL h FIELDS 1 a\nHEXPIRE h 100 FIELDS "
      "1 a\nHMSET h a 1\nHTTL h FIELDS 1 a\nHEXPIRE h 100 FIELDS 1 a\nCOPY h g\nHTTL g FIELDS 1 a\n"
      "RENAME g i\nHTTL i FIELDS 1 a\nMOVE i 1\nSELECT 1\nHTTL i FIELDS 1 a");
}

TEST_F(FieldEffectsTest, ReadsOfFieldsThatAreOver) {
  for (const char* look : {"HLEN h",
                           "EXISTS h",
                           "HGET h a",
                           "HGET h c",
                           "HMGET h a b c",
                           "HEXISTS h a",
                           "HSTRLEN h a",
                           "HKEYS h",
                           "HVALS h",
                           "HSCAN h 0",
                           "HRANDFIELD h",
                           "HRANDFIELD h 10",
                           "HRANDFIELD h -3",
                           "HRANDFIELD h 10 WITHVALUES",
                           "HTTL h FIELDS 3 a b c",
                           "HPEXPIRETIME h FIELDS 3 a b c",
                           "HGETEX h FIELDS 1 a",
                           "HGETEX h FIELDS 3 a b c",
                           "HGETEX h EX 100 FIELDS 3 a b c",
                           "HGETEX h PERSIST FIELDS 1 a",
                           "SET h v NX",
                           "COPY h g\nHLEN g\nEXISTS g\nHDEL g x"}) {
    CheckOver(look);
  }
}

TEST_F(FieldEffectsTest, WritesOfFieldsThatAreOver) {
  for (const char* write : {"HSET h a 9",
                            "HMSET h a 9",
                            "HSET h z 9",
                            "HSETNX h a 9",
                            "HINCRBY h a 5",
                            "HDEL h a",
                            "HINCRBYFLOAT h a 5",
                            "HDEL h a c",
                            "HDEL h a b c",
                            "HGETDEL h FIELDS 1 a",
                            "HGETDEL h FIELDS 3 a b c",
                            "HPERSIST h FIELDS 2 a c",
                            "HEXPIRE h 0 FIELDS 2 a c",
                            "HSETEX h FIELDS 1 a 1",
                            "HSETEX h KEEPTTL FIELDS 1 a 1",
                            "HSETEX h EX 10 FIELDS 1 a 1",
                            "HSETEX h FNX EX 100 FIELDS 1 a 1",
                            "HSETEX h FXX EX 100 FIELDS 1 a 1",
                            "HSETEX h FXX EX 100 FIELDS 1 c 1",
                            "HSETEX h FNX FIELDS 3 a 1 c 2 b 3",
                            "HSETEX h PXAT 1 FIELDS 1 a 1",
                            "HSET h a 1 z 3 b 2",
                            "HINCRBY h a x",
                            "DEL h",
                            "RENAME h g",
                            "EXPIRE h 100",
                            "MULTI\nHSET h z 1\nHLEN h\nEXEC"}) {
    CheckOver(write);
  }
  Check(
      "HSET h a 1 b 2 c 3\nHPEXPIRE h 1 FIELDS 2 a b\n~5\nHEXPIRE h 100 XX FIELDS 3 a b c\n"
      "HEXPIRE h 100 FIELDS 1 b\nHMGET h a b c");
}

TEST_F(FieldEffectsTest, WatchIsBrokenByWhatChangesOrDeletes) {
  for (const char* between :
       {"HLEN h", "HGET h a", "HEXISTS h b", "HGETEX h EX 100 FIELDS 1 b", "HGETEX h FIELDS 1 b",
        "HGETEX h EX 100 FIELDS 1 x", "HGETEX h PERSIST FIELDS 1 b", "HPERSIST h FIELDS 1 b",
        "HEXPIRE h 10 FIELDS 1 x", "HEXPIRE h 10 FIELDS 1 b", "HEXPIRE h 0 FIELDS 1 b",
        "HSETEX h FNX FIELDS 1 b 1", "HSETEX h PXAT 1 FIELDS 1 b 1", "HSETEX h PX 0 FIELDS 1 x 1",
        "HGETDEL h FIELDS 1 b", "HGETDEL h FIELDS 1 x", "HDEL h a", "HRANDFIELD h 0"}) {
    Check("HSET h a 1 b 2\nHPEXPIRE h 1 FIELDS 1 a\n~5\n2> WATCH h\n" + std::string(between) +
          "\n2> MULTI\n2> PING\n2> EXEC");
  }
}

// The real servers need up to about 100 ms. One field at a time, as Valkey has no order for more.
TEST_F(FieldEffectsTest, FieldsThatAreOverAreCollected) {
  Check(
      "HSET h a 1 b 2\nHEXPIRE h 100 FIELDS 1 b\nHPEXPIRE h 1 FIELDS 1 a\n2> WATCH h\n"
      "DEBUG SET-ACTIVE-EXPIRE 1\n~600\nDEBUG SET-ACTIVE-EXPIRE 0\nHLEN h\n2> MULTI\n2> PING\n"
      "2> EXEC");
  Check(
      "HSET h a 1\nHPEXPIRE h 1 FIELDS 1 a\n2> WATCH h\nDEBUG SET-ACTIVE-EXPIRE 1\n~600\n"
      "DEBUG SET-ACTIVE-EXPIRE 0\nEXISTS h\n2> MULTI\n2> PING\n2> EXEC");
}

TEST_F(FieldEffectsTest, OrderOfTheChecks) {
  for (const char* name : {"h", "s", "n"}) {
    for (const char* rest :
         {"EX 100 FIELDS 1 a", "FIELDS 2 a b", "FIELDS 0 a b", "FIELDS x a b", "FOO FIELDS 2 a b",
          "FIELDS 2147483648 a b", "EX FIELDS 1 a b", "EX 1 PX 1 FIELDS 1 a b",
          "FNX FXX FIELDS 1 a "
          "b",
          "EX abc FIELDS 2 a b", "EX -1 FIELDS 1 a b", "EX 1 a b c", "FNX EX 10 FIELDS",
          "FNX EX 10 FIELDS 1", "FXX EX abc FIELDS 1 a b", "EX 9223372036854775 FIELDS 1 a b",
          "PERSIST FIELDS 1 a b", "EX FIELDS FIELDS 1 a b", "XX EX abc FIELDS 1 a b"}) {
      Check("SET s 1\nHSET h a 1\nHSETEX " + std::string(name) + " " + rest);
      Check("SET s 1\nHSET h a 1\nHGETEX " + std::string(name) + " " + rest);
      Check("SET s 1\nHSET h a 1\nHEXPIRE " + std::string(name) + " 10 " + rest);
      Check("SET s 1\nHSET h a 1\nHEXPIRE " + std::string(name) + " x " + rest);
    }
    for (const char* rest : {"FIELDS 2 a", "FIELDS x a", "FOO 1 a", "FOO x a", "FIELDS 1 a b",
                             "FIELDS 0 a", "FIELDS 1 a", "FIELDS 9223372036854775808 a"}) {
      for (const char* command : {"HTTL ", "HPERSIST ", "HGETDEL ", "HGETEX ", "HEXPIRETIME "}) {
        Check("SET s 1\nHSET h a 1\n" + std::string(command) + name + " " + rest);
      }
    }
    for (const char* rest : {"10 NX XX FIELDS 1 a", "10 XX GT FIELDS 1 a", "-1 FIELDS 1 a",
                             "-1 FOO FIELDS 1 a", "10 GT LT FIELDS 2 a", "10 FOO FIELDS x a",
                             "9223372036854775807 FIELDS 1 a", "FIELDS 1 2 FIELDS 1 a"}) {
      Check("SET s 1\nHSET h a 1\nHEXPIRE " + std::string(name) + " " + rest);
      Check("SET s 1\nHSET h a 1\nHPEXPIREAT " + std::string(name) + " " + rest);
    }
  }
}

// What is left unsaid: a far time of its own for each server, of a large relative one.
TEST_F(FieldEffectsTest, HostileNumbersInEachPlace) {
  for (const char* form :
       {"HSETEX h FIELDS 1 a 1", "HSETEX h EX 100 FIELDS 1 a 1", "HSETEX h FNX PXAT 1 FIELDS 1 x 1",
        "HGETEX h FIELDS 1 a", "HGETEX h PX 100000 FIELDS 2 a x", "HGETEX h EXAT 1 FIELDS 1 a",
        "HGETDEL h FIELDS 1 a", "HEXPIRE h 100 FIELDS 1 a", "HPEXPIRE h 100000 NX FIELDS 1 a",
        "HEXPIREAT h 1 FIELDS 2 a a", "HPEXPIREAT h 1 GT FIELDS 1 a", "HPERSIST h FIELDS 1 a",
        "HTTL h FIELDS 1 a", "HPEXPIRETIME h FIELDS 1 a", "HSETEX h PX 100000 FXX FIELDS 1 a 1"}) {
    std::vector<std::string> words;
    std::istringstream input{form};
    for (std::string word; input >> word;) words.push_back(word);
    for (std::size_t place = 1; place < words.size(); ++place) {
      std::vector<std::string> numbers = {"0",
                                          "-1",
                                          "-2147483649",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "-9223372036854775808",
                                          "-9223372036854775807",
                                          "\"\"",
                                          "FIELDS",
                                          "01",
                                          "1\\x00"};
      if (!words[place].starts_with("100")) {
        numbers.insert(numbers.end(), {"2147483648", "9223372036854775", "70368744177663",
                                       "70368744177664", "70368744177", "70368744178"});
      }
      for (const std::string& number : numbers) {
        std::string line;
        for (std::size_t i = 0; i < words.size(); ++i) {
          line += (i == 0 ? "" : " ") + (i == place ? number : words[i]);
        }
        Check("HSET h a 1 b 2\n" + line + "\nHLEN h\nHTTL h FIELDS 1 b");
      }
    }
  }
}

}  // namespace
}  // namespace interlock::testing
