// SPDX-License-Identifier: MIT
//
// Strings and generic keys: replies, effects and events are those of redis-server 7.0.15.
#include "tests/redis/differential/effects_fixture.h"

namespace interlock::testing {
namespace {

using StringEffectsTest = EffectsTest;

TEST_F(StringEffectsTest, SetForgetsItsConditionsAndMakesItsExpiryAbsolute) {
  Check("SET k v");
  Check("SET k v EX 100\nSET k w KEEPTTL\nSET k x");
  Check("SET k v NX PX 100000\nSET k v NX PX 100000\nSET k v XX\nSET k v NX");
  Check("SET k v PXAT $nowms+100000\nSET k v EXAT $now+100");
  Check("SET k v GET\nSET k w GET\nSET k x XX GET EX 100\nSET k x GET KEEPTTL\nSET z x XX GET");
  Check("SET k v EXAT 1\nGET k");
  Check("SETEX k 100 v\nPSETEX k 100000 v\nSETNX k v\nSETNX l v\nGETSET l w\nGETSET m v");
  Check("MSET a 1 b 2 a 3\nMSETNX a 1 c 2\nMSETNX c 1 d 2\nMGET a x c");
}

TEST_F(StringEffectsTest, GetExAndGetDelSayWhatTheyDid) {
  Check("GETEX k\nSET k v\nGETEX k\nGETEX k EX 100\nGETEX k PERSIST\nGETEX k PERSIST");
  Check("SET k v\nGETEX k PXAT $nowms+200000\nGETEX k EXAT $now+100\nGETEX k EXAT 1\nGET k");
  Check("SET k v\nGETDEL k\nGETDEL k");
}

// Servers without a condition or a command answer an error, and nothing has happened.
TEST_F(StringEffectsTest, SetIfEqualKeepsItsConditionUnlessItHasAnExpiry) {
  Check("SET k v\nSET k w IFEQ v\nSET k w IFEQ v\nSET k x GET IFEQ v\nSET k x IFEQ w GET");
  Check("SET k v\nSET k w IFEQ v PX 100000\nSET k x IFEQ w KEEPTTL\nSET k y IFEQ x\nTTL k");
  Check("SET k GET\nSET k w IFEQ GET GET\nSET m v IFEQ v\nSET m v IFEQ v GET\nSET m v IFEQ");
  Check("SET k v PXAT 5\nSET k w IFEQ v\nSET k v\nSET k w IFEQ v PXAT 5\nEXISTS k");
  Check("RPUSH l a\nSET l w IFEQ a\nSET l w IFEQ a PX x\nSET l w IFEQ a PX 0\nSET k v IFEQ v NX");
  Check(
      "SET k v\n2> WATCH k\nSET k v IFEQ w\n2> MULTI\n2> PING\n2> EXEC\n2> WATCH k\n"
      "SET k v IFEQ v\n2> MULTI\n2> PING\n2> EXEC");
}

TEST_F(StringEffectsTest, DelIfEqualSaysDel) {
  Check("SET k v\nDELIFEQ k w\nDELIFEQ k v\nDELIFEQ k v\nRPUSH l a\nDELIFEQ l a");
  Check(
      "SET k v\n2> WATCH k\nDELIFEQ k w\n2> MULTI\n2> PING\n2> EXEC\n2> WATCH k\n"
      "DELIFEQ k v\n2> MULTI\n2> PING\n2> EXEC\nSET k v PXAT 5\nDELIFEQ k v");
}

TEST_F(StringEffectsTest, MSetExMakesTheExpiryThatCountsAbsolute) {
  Check(
      "MSETEX 2 a 1 b 2\nMSETEX 2 a 1 b 2 NX\nMSETEX 2 a 1 c 2 XX\nMSETEX 2 a 3 b 4 XX EX 100\n"
      "MSETEX 2 a 1 b 2 KEEPTTL\nTTL a\nMSETEX 2 a EX b PX px 100000 PX 100000\n"
      "MSETEX 2 a 1 b 2 exat 4102500000 XX\nMSETEX 2 a 1 b 2 pxat 4102500000000 xx");
  Check(
      "MSETEX 1 a 1 EX 1 EXAT 2\nMSETEX 1 a 1 KEEPTTL EX 1\nMSETEX 1 a 1 NX PX 0\n"
      "MSETEX 1 a 1 NX XX\nMSETEX 1 a 1 GET\nMSETEX 1 a 1 IFEQ 1\nMSETEX 2 a 1 a 2 NX\nGET a");
  Check(
      "RPUSH l x\nMSETEX 3 l 1 b 2 c 3 PXAT 5\nGET b\nSET b 1 PXAT 5\nMSETEX 2 b 1 d 1 XX\n"
      "SET b 1 PXAT 5\nMSETEX 2 d 1 b 1 NX\nSET b 1 PXAT 5\nMSETEX 2 e 1 b 1 KEEPTTL");
  Check(
      "2> WATCH a\nMSETEX 2 b 1 c 2\n2> MULTI\n2> PING\n2> EXEC\n2> WATCH a\n"
      "MSETEX 2 b 1 a 2\n2> MULTI\n2> PING\n2> EXEC");
}

TEST_F(StringEffectsTest, NumbersAndRanges) {
  Check("INCR n\nINCRBY n 5\nDECR n\nDECRBY n 2\nSET n x\nINCR n");
  Check("INCRBYFLOAT f 1.5\nINCRBYFLOAT f 1e3\nINCRBYFLOAT f 1\nINCRBYFLOAT f x");
  Check("APPEND a x\nAPPEND a y\nSETRANGE a 1 zz\nSETRANGE b 2 z\nSETRANGE c 2 \"\"\nSTRLEN a");
  Check("STRLEN z\nGETRANGE z 0 1\nSUBSTR z 0 1\nSET z abc\nGETRANGE z 0 -2\nSUBSTR z -2 -1");
  Check(
      "SET a ohmytext\nSET b mynewtext\nLCS a b\nLCS a c\nLCS a b IDX MINMATCHLEN 4 WITHMATCHLEN");
}

}  // namespace
}  // namespace interlock::testing
