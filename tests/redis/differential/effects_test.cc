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
