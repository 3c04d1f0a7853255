// SPDX-License-Identifier: MIT
//
// Lists, and those who wait for them: replies, effects and events are those of redis-server 7.0.15.
#include "tests/redis/differential/effects_fixture.h"

namespace interlock::testing {
namespace {

using ListEffectsTest = EffectsTest;

TEST_F(ListEffectsTest, ElementsInPlace) {
  Check(
      "RPUSH l a b c\nLPUSH l x\nLPUSHX n a\nRPUSHX l d e\nLLEN l\nLLEN n\nLRANGE l 0 -1\n"
      "LRANGE n 0 -1\nLINDEX l 1\nLINDEX l 99\nLINDEX n 0\nLSET l 0 z\nLSET l 99 z\nLSET n 0 z");
  Check("RPUSH l a b a c a\nLREM l 2 a\nLREM l 1 x\nLREM l -1 a\nLREM l 0 b\nLREM l 0 c\nEXISTS l");
  Check("RPUSH l a b c\nLTRIM l 0 -1\nLTRIM l 1 -1\nLTRIM l 5 9\nEXISTS l\nLTRIM n 0 1");
  Check(
      "RPUSH l a b c\nLINSERT l BEFORE b x\nLINSERT l after b y\nLINSERT l BEFORE q z\n"
      "LINSERT n BEFORE a b\nLINSERT l FOO a b\nLRANGE l 0 -1\nSET s v\nLINSERT s BEFORE a b");
  Check(
      "RPUSH l a b a c a\nLPOS l a\nLPOS l a RANK 2\nLPOS l a RANK -1\nLPOS l a COUNT 0\n"
      "LPOS l a COUNT 2 RANK -2\nLPOS l a MAXLEN 2 COUNT 0\nLPOS l q\nLPOS l q COUNT 1\n"
      "LPOS n a\nLPOS n a COUNT 1\nLPOS l a RANK 0\nLPOS l a COUNT -1\nLPOS l a MAXLEN -1\n"
      "LPOS l a COUNT x\nLPOS l a RANK x\nLPOS l a FOO 1\nLPOS l a RANK\n"
      "LPOS l a RANK -9223372036854775808\nLPOS l a RANK -9223372036854775808 COUNT 1\nLPOS l a "
      "RANK 9223372036854775807");
}

TEST_F(ListEffectsTest, ElementsTaken) {
  Check(
      "RPUSH l a b c d e\nLPOP l\nRPOP l\nLPOP l 2\nLPOP l 0\nRPOP l 9\nRPOP l\nLPOP l 1\nLPOP l "
      "-1");
  Check(
      "RPUSH l a b c\nLMOVE l m LEFT RIGHT\nLMOVE l l left right\nRPOPLPUSH l m\nRPOPLPUSH l m\n"
      "RPOPLPUSH l m\nLMOVE m m RIGHT LEFT\nSET s v\nLMOVE m s LEFT LEFT\nLMOVE s m LEFT LEFT\n"
      "LMOVE n s LEFT LEFT\nLMOVE m n LEFT FOO");
  Check(
      "RPUSH l a b c\nLMPOP 1 l LEFT\nLMPOP 2 n l RIGHT COUNT 9\nLMPOP 1 l LEFT\nLMPOP 0 l LEFT\n"
      "LMPOP x l LEFT\nLMPOP 2 l LEFT\nLMPOP 1 l FOO\nLMPOP 1 l LEFT COUNT 0\n"
      "LMPOP 1 l LEFT COUNT\nLMPOP 1 l LEFT COUNT 1 COUNT 1\nLMPOP 1 l LEFT COUNT x FOO\n"
      "SET s v\nLMPOP 2 s l LEFT\nLMPOP 1 l LEFT FOO 1\nLMPOP 3 l");
  Check(
      "RPUSH l a b c d\nBLPOP n l 0\nBRPOP l n 0\nBLMPOP 0 2 n l LEFT COUNT 5\nRPUSH l a b c\n"
      "BLMOVE l m left RIGHT 0\nBRPOPLPUSH l m 0\nBRPOPLPUSH l m 0\nSET s v\nBLPOP n s 0\n"
      "BLMPOP x 1 l LEFT\nBLMPOP 0 1 l FOO\nBLMPOP -1 1 l LEFT\nBLMOVE l m LEFT RIGHT -1\n"
      "BRPOPLPUSH s m 0\nBRPOPLPUSH m s 0");
}

TEST_F(ListEffectsTest, WaitersAreServed) {
  Check("2> BLPOP l m 0\nRPUSH l a b\nLLEN l");
  Check("2> BRPOP l 0\n3> BLPOP l 0\nRPUSH l a b\nEXISTS l");
  Check("2> BLMPOP 0 2 n l RIGHT COUNT 2\nRPUSH l a b c\nLLEN l");
  Check("2> BLMPOP 0 1 l LEFT COUNT 9\nLPUSH l a b");
  Check("2> BLMOVE l m LEFT RIGHT 0\nRPUSH l a\nLRANGE m 0 -1");
  Check("2> BLMOVE l m RIGHT left 0\n3> BLPOP m 0\nRPUSH l a b");
  Check("2> BRPOPLPUSH l m 0\nRPUSH l a b");
  Check("2> BRPOPLPUSH l m 0\n3> BLPOP l 0\nSET m v\nRPUSH l a");
  Check("2> BLPOP l 0\nSET l v\nDEL l\nRPUSH m a\nRENAME m l");
  Check("2> BLPOP l 0\nRPUSH m a b\nCOPY m l");
  Check("2> BLPOP l 0\nMULTI\nRPUSH l a\nLPOP l\nEXEC\nMULTI\nRPUSH l a\nRPUSH l b\nEXEC");
  Check("2> BLPOP l m 0\nMULTI\nRPUSH m a\nRPUSH l b\nEXEC");
  Check("2> BLPOP l 0\nSELECT 3\nRPUSH l a\nMOVE l 0");
  Check("2> BLMOVE l l LEFT RIGHT 0\n3> BLPOP l 0\nRPUSH l a b");
  Check("2> BLPOP l 0\nEVAL redis.call('rpush',KEYS[1],1)redis.call('rpush',KEYS[1],2) 1 l");
  Check("MULTI\nBLPOP l 0\nBRPOPLPUSH l m 0\nBLMOVE l m LEFT LEFT 0\nBLMPOP 0 1 l LEFT\nEXEC");
}

}  // namespace
}  // namespace interlock::testing
