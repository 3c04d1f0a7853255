// SPDX-License-Identifier: MIT
//
// Generic keys: replies, effects and events are those of redis-server 7.0.15.
#include "tests/redis/differential/effects_fixture.h"

namespace interlock::testing {
namespace {

using KeyEffectsTest = EffectsTest;

TEST_F(KeyEffectsTest, DeletionsAndLooks) {
  Check("SET a 1\nSET b 2\nDEL a x b\nDEL a\nSET a 1\nUNLINK a x\nEXISTS a x\nTOUCH a x\nTYPE a");
  Check(
      "SET a 1\nTTL a\nPTTL x\nEXPIRETIME x\nPEXPIRETIME a\nOBJECT ENCODING x\nRANDOMKEY\nKEYS *");
  Check("SCAN 0\nSET a 1\nSCAN 0 TYPE string\nSCAN 0 TYPE none\nSCAN 0 MATCH b\nSCAN 0 COUNT 0");
  Check("SCAN abc\nSCAN -1\nSCAN 0 COUNT\nSCAN 0 FOO 1\nSCAN 0 TYPE foo MATCH * COUNT 3");
}

TEST_F(KeyEffectsTest, Expiries) {
  Check("EXPIRE k 10\nSET k v\nEXPIRE k 100\nEXPIRE k 100 NX\nEXPIRE k 200 XX GT\nPERSIST k");
  Check(
      "SET k v\nPEXPIRE k 100000\nEXPIREAT k $now+100 LT\nPEXPIREAT k $nowms+200000 gt\nPERSIST k");
  Check("SET k v\nPERSIST k\nPERSIST x\nEXPIRE k 0\nGET k\nSET k v\nPEXPIREAT k 5\nEXPIRE k -1");
  Check(
      "SET k v\nEXPIRE k 100\nAPPEND k w\nINCRBYFLOAT n 1\nEXPIRE n 100\nINCRBYFLOAT n 1\nSET k w");
  Check(
      "SET k v PXAT 5\nGET k\nSET k v PXAT 5\nDEL k\nSET k v PXAT 5\nEXPIRE k 10\nSET k v PXAT 5\n"
      "SET k w NX\nSET k v PXAT 5\nRENAME k l");
  Check(
      "SET k v PXAT 5\nSCAN 0 TYPE none\nDBSIZE\nSET k v PXAT 5\nSCAN 0 TYPE string\nKEYS *\n"
      "SET k v PXAT 5\nSCAN 0\nDBSIZE");
  Check(
      "SET k v PXAT 5\nCOPY k l\nSET k v\nSET l v PXAT 5\nCOPY k l\nSET l v PXAT 5\nMOVE l 2\n"
      "SET l v PXAT 5\nRENAMENX k l\nEXISTS k");
  Check("SET k v PXAT 5\nTOUCH k\nSET k v PXAT 5\nOBJECT ENCODING k\nSET k v PXAT 5\nTTL k");
}

TEST_F(KeyEffectsTest, RenamesCopiesAndMoves) {
  Check(
      "RENAME a b\nSET a 1 EX 100\nRENAME a a\nRENAMENX a a\nRENAME a b\nSET a 2\nRENAMENX a b\n"
      "RENAME a b\nTTL b\nRENAMENX b c\nTTL c\nRENAMENX x c");
  Check(
      "COPY a b\nSET a 1 EX 100\nCOPY a b\nCOPY a b\nCOPY a b REPLACE\nTTL b\nCOPY a a\n"
      "COPY a a DB 3\nCOPY a a DB 99\nCOPY a a DB x\nCOPY a b FOO\nCOPY a b DB\nCOPY a c db 0");
  Check(
      "RPUSH l a b\nCOPY l m\nRPUSH m c\nLRANGE l 0 -1\nHSET h f v\nCOPY h l\nCOPY h l REPLACE\n"
      "ZADD z 1 a\nCOPY z y\nSADD s 1 2\nCOPY s t\nTYPE y\nTYPE t\nTYPE l");
  Check(
      "SET a 1 EX 100\nMOVE a 0\nMOVE a 1\nMOVE a 1\nSELECT 1\nTTL a\nMOVE a 16\nMOVE a x\n"
      "MOVE a 99999999999\nMOVE a -1\nSELECT 0\nSET a 2\nMOVE a 1\nCOPY a a DB 1\n"
      "COPY a a DB 1 REPLACE");
}

TEST_F(KeyEffectsTest, SwapDb) {
  Check(
      "SWAPDB 0 1\nSET a 1\nSWAPDB 0 1\nGET a\nSELECT 1\nGET a\nSWAPDB 1 1\nSWAPDB 1 x\n"
      "SWAPDB x y\nSWAPDB 1 16\nSWAPDB 99999999999 1\nSWAPDB -1 1");
  Check("SELECT 1\nRPUSH l a b\n2> BLPOP l 0\nSWAPDB 0 1\n2> DBSIZE");
  Check(
      "WATCH a\n2> SELECT 1\n2> SET a 1\n2> SWAPDB 0 1\nMULTI\nPING\nEXEC\nWATCH b\n"
      "2> SWAPDB 0 1\nMULTI\nPING\nEXEC");
}

TEST_F(KeyEffectsTest, Restores) {
  const std::string ten = "\\x00\\xc0\\x0a\\x0a\\x00\\x6e\\x9f\\x57\\x45\\x0e\\xae\\x63\\xbb";
  const auto restores = [&](std::initializer_list<std::string> rests) {
    std::string lines = "SET k v";
    for (const std::string& rest : rests) {
      const std::size_t blank = rest.find(' ');
      lines += "\nRESTORE k " + rest.substr(0, blank) + " " + ten;
      if (blank != std::string::npos) lines += rest.substr(blank);
    }
    return lines;
  };
  Check(restores({"0", "-1", "x", "0 REPLACE", "100000 REPLACE", "-1 REPLACE", "x REPLACE"}));
  Check(restores({"$nowms+100000 ABSTTL REPLACE", "5 REPLACE ABSTTL", "5 ABSTTL", "0"}));
  Check(restores({"0 FOO", "0 IDLETIME", "0 IDLETIME x", "0 IDLETIME -1", "0 FREQ 256 REPLACE"}));
  Check(restores({"0 REPLACE IDLETIME 9", "0 REPLACE FREQ 9", "0 FREQ 1 IDLETIME 1",
                  "9223372036854775807 REPLACE"}) +
        "\nOBJECT IDLETIME k\nDUMP k\nDUMP x");
  Check("RESTORE k 0 abc\nRESTORE k -1 abc\nRESTORE k x abc\nSET k v\nRESTORE k -1 abc");
  Check("2> BLPOP l 0\nSET l v PXAT 5\nDUMP l\nRESTORE l 0 " + ten);
}

TEST_F(KeyEffectsTest, Encodings) {
  Check(
      "SET i 12\nOBJECT ENCODING i\nOBJECT REFCOUNT i\nSET j 10000\nOBJECT REFCOUNT j\n"
      "APPEND i 3\nOBJECT ENCODING i\nOBJECT REFCOUNT i\nINCR i\nOBJECT ENCODING i\nSETRANGE i 0 "
      "x\n"
      "OBJECT ENCODING i\nSET i 99\nINCR i\nOBJECT REFCOUNT i\nINCRBYFLOAT i 1\nOBJECT ENCODING i");
  Check(
      "SET a 10\nCOPY a b\nOBJECT REFCOUNT b\nOBJECT ENCODING b\nRENAME b c\nOBJECT REFCOUNT c\n"
      "COPY c d\nOBJECT REFCOUNT d\nINCR c\nOBJECT REFCOUNT c\nSET d 10\nOBJECT REFCOUNT d\n"
      "COPY a e\nAPPEND e 1\nOBJECT REFCOUNT e\nOBJECT ENCODING e\nOBJECT REFCOUNT a");
  Check(
      "SET s 12345678901234567890123456789012345678901234\nOBJECT ENCODING s\nAPPEND t 12\n"
      "SET u 123456789012345678901234567890123456789012345\nOBJECT ENCODING u\nOBJECT ENCODING t\n"
      "SETRANGE v 0 12\nOBJECT ENCODING v\nCOPY v w\nOBJECT ENCODING w\nGETSET v 1\n"
      "OBJECT ENCODING v\nSET w \"\"\nOBJECT ENCODING w\nSET w 012\nOBJECT ENCODING w");
  Check(
      "RPUSH l a\nOBJECT ENCODING l\nHSET h f v\nOBJECT ENCODING h\nSADD s 1\nOBJECT ENCODING s\n"
      "SADD s x\nOBJECT ENCODING s\nSREM s x\nOBJECT ENCODING s\nZADD z 1 a\nOBJECT ENCODING z\n"
      "OBJECT FREQ z\nOBJECT FREQ nokey\nOBJECT IDLETIME z\nOBJECT IDLETIME nokey\nOBJECT HELP\n"
      "OBJECT REFCOUNT nokey\nOBJECT FOO z\nOBJECT ENCODING\nOBJECT REFCOUNT z");
}

}  // namespace
}  // namespace interlock::testing
