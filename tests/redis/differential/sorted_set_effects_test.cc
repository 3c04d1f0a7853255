// SPDX-License-Identifier: MIT
//
// Sorted sets: replies, effects and events are those of redis-server 7.0.15.
#include "tests/redis/differential/effects_fixture.h"

namespace interlock::testing {
namespace {

using SortedSetEffectsTest = EffectsTest;

TEST_F(SortedSetEffectsTest, MembersAreScored) {
  Check("ZADD z 1 a 2 b\nZADD z 1 a\nZADD z 3 a 4 c\nZADD z CH 5 a 4 c\nZADD z NX 9 a 9 d");
  Check(
      "ZADD z 5 a\nZADD z GT 4 a\nZADD z GT CH 6 a\nZADD z LT 7 a\nZADD z LT CH 1 a\nZADD z XX 2 "
      "b");
  Check("ZADD z GT 5 a\nZADD y LT 5 a\nZADD x XX 1 a\nZADD z XX GT INCR 1 a\nZADD z INCR 0.1 b");
  Check("ZADD x XX INCR 1 a\nZADD z NX INCR 1 a\nZADD z NX INCR 1 a\nZADD z LT INCR 1 a");
  Check("ZADD z NX XX 1 a\nZADD z NX GT 1 a\nZADD z GT LT 1 a\nZADD z 1\nZADD z NX 1 a 2");
  Check("ZADD z INCR 1 a 2 b\nZADD z nan a\nZADD z x a\nZADD z 1 a x b\nZADD z 1 nx\nZADD z CH 1");
  Check("ZADD z inf a\nZADD z INCR -inf a\nZINCRBY z -inf a\nZADD z -inf b 0x10 c 1e400 d \"\" e");
  Check("SET k v\nZADD k 1 a\nZADD k x a\nZADD k XX 1 a\nZINCRBY k 1 a\nZINCRBY k x a\nZADD k 1");
  Check("ZINCRBY z 1 a\nZINCRBY z 0 a\nZINCRBY z 1.5 a\nZADD z -0 m\nZSCORE z m\nZINCRBY z nan m");
  Check("ZADD z 1 a 1 a 2 a\nZADD z CH 3 a 4 a 4 a\nZADD z 1e20 b 0.1 c 12345678901234567 d");
}

TEST_F(SortedSetEffectsTest, MembersAreRemovedAndLookedUp) {
  Check("ZADD z 1 a 2 b 3 c\nZREM z x\nZREM z a a\nZCARD z\nZREM z b c\nZCARD z\nZREM z a");
  Check("ZADD z 1 a 2 b\nZSCORE z a\nZSCORE z x\nZSCORE y a\nZMSCORE z a x b\nZMSCORE y a b");
  Check("ZADD z 1 a 2 b\nZRANK z a\nZREVRANK z a\nZRANK z x\nZREVRANK y a\nZRANK z a WITHSCORE");
  Check("SET k v\nZREM k a\nZCARD k\nZSCORE k a\nZMSCORE k a\nZRANK k a\nZREVRANK k a");
}

TEST_F(SortedSetEffectsTest, RangesByRank) {
  Check("ZADD z 1 a 2 b 3 c\nZRANGE z 0 -1\nZRANGE z 0 1 REV\nZRANGE z -2 -1 WITHSCORES");
  Check(
      "ZADD z 1 a 2 b 3 c\nZREVRANGE z 0 1 WITHSCORES\nZRANGE z 2 1\nZRANGE z 5 9\nZRANGE z -9 0");
  Check(
      "ZADD z 1 a\nZRANGE z 0 x\nZRANGE z 0 1 x\nZRANGE z 0 1 LIMIT 0 1\nZRANGE z 0 1 LIMIT 0 -1");
  Check("ZRANGE z 0 1 REV REV\nZRANGE z 0 1 WITHSCORES WITHSCORES\nZREVRANGE z 0 1 REV");
  Check("ZREVRANGE z 0 1 BYSCORE\nZADD z 1 a 2 b\nZREMRANGEBYRANK z 0 0\nZREMRANGEBYRANK z 0 9");
  Check("ZREMRANGEBYRANK z 0 x\nSET k v\nZRANGE k 0 1\nZRANGE k x 1\nZREMRANGEBYRANK k 0 1");
}

TEST_F(SortedSetEffectsTest, RangesByScore) {
  Check("ZADD z 1 a 2 b 3 c\nZRANGEBYSCORE z 1 2\nZRANGEBYSCORE z (1 3\nZRANGEBYSCORE z -inf +inf");
  Check(
      "ZADD z 1 a 2 b 3 c\nZREVRANGEBYSCORE z 3 (1 WITHSCORES\nZRANGE z 3 1 BYSCORE REV LIMIT 1 1");
  Check("ZADD z 1 a 2 b 3 c\nZRANGEBYSCORE z 1 3 LIMIT 1 -1\nZRANGEBYSCORE z 1 3 LIMIT -1 2");
  Check("ZADD z 1 a 2 b\nZRANGEBYSCORE z 1 3 LIMIT 0 0\nZRANGEBYSCORE z 1 3 LIMIT 0 x");
  Check("ZADD z 1 a\nZRANGEBYSCORE z 1 3 LIMIT 0\nZRANGEBYSCORE z x 3\nZRANGEBYSCORE z 1 nan");
  Check(
      "ZADD z 1 a 2 b 3 c\nZCOUNT z 1 2\nZCOUNT z (1 (3\nZCOUNT z 3 1\nZCOUNT y 1 2\nZCOUNT z x 1");
  Check(
      "ZADD z 1 a 2 b 3 c\nZREMRANGEBYSCORE z 5 9\nZREMRANGEBYSCORE z 1 (3\nZREMRANGEBYSCORE z 3 "
      "3");
  Check("SET k v\nZRANGEBYSCORE k 1 2\nZRANGEBYSCORE k x 2\nZCOUNT k 1 2\nZREMRANGEBYSCORE k 1 2");
  Check(
      "ZADD z 1 a\nZRANGEBYSCORE z 1 2 BYLEX\nZRANGEBYSCORE z 1 2 REV\nZREVRANGEBYSCORE z 2 1 REV");
}

TEST_F(SortedSetEffectsTest, RangesByMember) {
  Check(
      "ZADD z 0 a 0 b 0 c 0 d\nZRANGEBYLEX z - +\nZRANGEBYLEX z [b (d\nZRANGEBYLEX z (b + LIMIT 0 "
      "1");
  Check("ZADD z 0 a 0 b 0 c\nZREVRANGEBYLEX z + -\nZREVRANGEBYLEX z (c [a\nZRANGE z + - BYLEX REV");
  Check(
      "ZADD z 0 a 0 b 0 c\nZRANGEBYLEX z + -\nZRANGEBYLEX z - -\nZRANGEBYLEX z [ [z\nZLEXCOUNT z - "
      "+");
  Check(
      "ZADD z 0 a 0 b 0 c\nZLEXCOUNT z [b [b\nZLEXCOUNT z (b [b\nZLEXCOUNT z [c [a\nZLEXCOUNT y - "
      "+");
  Check(
      "ZRANGEBYLEX z a b\nZRANGEBYLEX z -x +\nZRANGEBYLEX z \"\" +\nZRANGEBYLEX z - + WITHSCORES");
  Check("ZADD z 0 a 0 b 0 c\nZREMRANGEBYLEX z [x +\nZREMRANGEBYLEX z [a [b\nZREMRANGEBYLEX z - +");
  Check("SET k v\nZRANGEBYLEX k - +\nZLEXCOUNT k a b\nZREMRANGEBYLEX k - +\nZREVRANGEBYLEX k - x");
  Check("ZADD z 3 a 2 b 1 c 4 d\nZRANGEBYLEX z [b [c\nZREVRANGEBYLEX z [c [b\nZLEXCOUNT z [b [c");
  Check("ZADD z 1 b 2 a 3 c 4 b2\nZRANGEBYLEX z [a [b\nZREVRANGEBYLEX z [b [a\nZRANGEBYLEX z (a +");
}

TEST_F(SortedSetEffectsTest, RangesAreStored) {
  Check(
      "ZADD z 1 a 2 b 3 c\nZRANGESTORE d z 0 1\nZRANGESTORE d z (1 3 BYSCORE LIMIT 0 1\nZRANGE d 0 "
      "-1");
  Check(
      "ZADD z 0 a 0 b\nZRANGESTORE d z + - BYLEX REV LIMIT 0 1\nZRANGE d 0 -1\nZRANGESTORE d z 5 "
      "9");
  Check("ZRANGESTORE d x 0 1\nSET d v\nZRANGESTORE d x 0 1\nZRANGESTORE d x 0 1 WITHSCORES");
  Check("SET k v EX 100\nZADD z 1 a\nZRANGESTORE k z 0 -1\nTTL k\nSET k v\nZRANGESTORE d k 0 1");
}

TEST_F(SortedSetEffectsTest, EndsArePopped) {
  Check(
      "ZADD z 1 a 2 b 3 c 4 d\nZPOPMIN z\nZPOPMAX z\nZPOPMIN z 0\nZPOPMAX z 9\nZPOPMIN z\nZPOPMIN "
      "z 2");
  Check("SET k v\nZPOPMIN k\nZPOPMIN k 0\nZPOPMIN k -1\nZPOPMIN k x\nZPOPMIN k 1 1\nZPOPMAX y 0");
  Check(
      "ZADD z 1 a 2 b 3 c\nZMPOP 2 y z MIN\nZMPOP 1 z MAX COUNT 1\nZMPOP 1 z MAX COUNT 9\nZMPOP 1 "
      "z MIN");
  Check("ZMPOP 0 z MIN\nZMPOP x z MIN\nZMPOP 1 z MID\nZMPOP 2 z MIN\nZMPOP 1 z MIN COUNT 0");
  Check(
      "ZMPOP 1 z MIN COUNT\nZMPOP 1 z MIN COUNT 1 COUNT 1\nZMPOP 1 z MIN FOO 1\nSET k v\nZMPOP 1 k "
      "MIN");
}

TEST_F(SortedSetEffectsTest, ClientsWaitForMembers) {
  Check("ZADD z 1 a 2 b 3 c\nBZPOPMIN y z 0\nBZPOPMAX z 0\nBZMPOP 0 2 y z MAX COUNT 3\nEXISTS z");
  Check("2> BZPOPMIN y z 0\nZADD z 2 b 1 a");
  Check("2> BZPOPMAX z 0\n3> BZPOPMIN z 0\nZADD z 2 b 1 a 3 c");
  Check("2> BZMPOP 0 1 z MIN COUNT 2\nZADD z 2 b 1 a 3 c\n2> BZMPOP 0 1 z MAX\nEXISTS z");
  Check("2> BZMPOP 0 1 z MIN COUNT 9\nZADD z 2 b 1 a 3 c");
  Check("2> BZPOPMIN z 0\nRPUSH z a\nDEL z\nZADD z 1 a");
  Check("2> BZPOPMIN d 0\nZADD z 1 a\nZUNIONSTORE d 1 z");
  Check("2> BZPOPMIN d 0\nZADD z 1 a\nZRANGESTORE d z 0 -1");
  Check("2> BZPOPMIN d 0\nSET d v\nZADD z 1 a\nZUNIONSTORE d 1 z\nDEL d\nZADD d 5 x");
  Check("2> BZPOPMIN d 0\nZADD z 1 a\nRENAME z d");
  Check("BZPOPMIN z x\nBZPOPMIN z -1\nSET k v\nBZPOPMIN k 0\nBZPOPMIN k x\nBZMPOP x 1 k MIN");
  Check("BZMPOP x 1 k MID\nBZMPOP x 0 k MIN\nBZMPOP 0 1 k MIN COUNT 0\nMULTI\nBZPOPMIN z 0\nEXEC");
  Check("MULTI\nBZMPOP 0 1 z MIN\nZADD z 1 a\nBZMPOP 0 1 z MIN\nEXEC");
}

TEST_F(SortedSetEffectsTest, UnionsIntersectionsDifferences) {
  const std::string data = "ZADD y 1 a 2 b\nZADD z 10 b 20 c\nSADD s a c\n";
  Check(data +
        "ZUNION 2 y z\nZUNION 2 y z WITHSCORES\nZINTER 2 y z WITHSCORES\nZDIFF 2 y z WITHSCORES");
  Check(data +
        "ZUNION 3 y z s WEIGHTS 2 3 0.5 AGGREGATE MAX WITHSCORES\nZINTER 2 y s AGGREGATE MIN");
  Check(data +
        "ZUNION 2 y x WEIGHTS -1 inf WITHSCORES\nZUNION 1 y WEIGHTS 0 WITHSCORES\nZDIFF 2 x y");
  Check(data +
        "ZUNIONSTORE d 2 y z\nZINTERSTORE d 2 y z\nZDIFFSTORE d 2 y z\nZRANGE d 0 -1 WITHSCORES");
  Check(data +
        "ZUNIONSTORE d 1 y WEIGHTS -0.0\nZRANGE d 0 -1 WITHSCORES\nZINTERSTORE d 2 y x\nEXISTS d");
  Check(data +
        "ZINTERSTORE d 2 y x\nZDIFFSTORE y 2 y y\nZINTERCARD 2 y z\nZINTERCARD 2 z s LIMIT 1");
  Check(data +
        "ZINTERCARD 2 y z LIMIT 0\nZINTERCARD 2 y z LIMIT -1\nZINTERCARD 2 y z LIMIT\n"
        "ZINTERCARD 2 y z WITHSCORES\nZINTERCARD 0 y\nZINTERCARD x y");
  Check(data +
        "ZUNION 0 y\nZUNION x y\nZUNION 3 y z\nZUNION 1 y FOO\nZUNION 2 y z WEIGHTS 1\n"
        "ZUNION 2 y z WEIGHTS 1 x\nZUNION 1 y AGGREGATE\nZUNION 1 y AGGREGATE FOO");
  Check(data +
        "ZDIFF 1 y WEIGHTS 1\nZDIFF 1 y AGGREGATE SUM\nZUNIONSTORE d 1 y WITHSCORES\n"
        "SET k v\nZUNION 2 y k\nZUNION 1 k FOO\nZINTERSTORE d 1 k\nZUNIONSTORE k 1 y");
  Check(
      "ZADD y inf a\nZADD z -inf a\nZUNION 2 y z WITHSCORES\nZINTER 2 y z WEIGHTS 0 1 WITHSCORES");
}

TEST_F(SortedSetEffectsTest, SmallSortedSetsAreScannedWholeAndOneMemberIsNoChoice) {
  Check("ZADD z 1.5 a 2 b 1e20 c\nZSCAN z 0\nZSCAN z 9 COUNT 1 MATCH a\nZSCAN y 0 FOO\nZSCAN z x");
  Check(
      "ZADD z 1.5 a\nZRANDMEMBER z\nZRANDMEMBER z 2\nZRANDMEMBER z -2 WITHSCORES\nZRANDMEMBER z 0");
  Check("ZADD z 1 a 2 b 3 c\nZRANDMEMBER z 3\nZRANDMEMBER z 9 WITHSCORES");
  Check(
      "ZRANDMEMBER y\nZRANDMEMBER y 1\nZRANDMEMBER y x y\nZRANDMEMBER y 1 y\nSET k v\nZRANDMEMBER "
      "k");
}

}  // namespace
}  // namespace interlock::testing
