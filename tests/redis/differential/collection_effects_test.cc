// SPDX-License-Identifier: MIT
//
// Hashes, sets, sorted sets and pub/sub: replies, effects and events are those of redis-server
// 7.0.15.
#include "tests/redis/differential/effects_fixture.h"

namespace interlock::testing {
namespace {

using HashEffectsTest = EffectsTest;

TEST_F(HashEffectsTest, FieldsAreSetAndDeleted) {
  Check("HSET h a 1 b 2\nHSET h a 1\nHSET h a\nHMSET h c 3 a 4\nHMSET h c\nHSETNX h a 5");
  Check("HSETNX h a 5\nHSETNX h a 6\nHGET h a\nHGET h b\nHGET i a\nHMGET h a b\nHMGET i a");
  Check("HSET h a 1 b 2 c 3\nHDEL h x\nHDEL h a a x\nHGETALL h\nHDEL h b c\nHDEL h b\nHGETALL h");
  Check("HSET h a 1 b 2\nHKEYS h\nHVALS h\nHKEYS i\nHVALS i\nHLEN h\nHLEN i\nHSTRLEN h a");
  Check("HEXISTS h a\nHSET h a 1\nHEXISTS h a\nHEXISTS h b\nHSTRLEN h b\nHSTRLEN i b");
  Check("SET s v\nHSET s a 1\nHSETNX s a 1\nHDEL s a\nHGETALL s\nHINCRBY s a 1\nHLEN s\nHGET s a");
}

TEST_F(HashEffectsTest, NumbersInFields) {
  Check("HINCRBY h n 5\nHINCRBY h n -7\nHINCRBY h n x\nHSET h x y\nHINCRBY h x 1");
  Check("HSET h n 9223372036854775807\nHINCRBY h n 1\nHINCRBY h n -1\nHSET h n 1.5\nHINCRBY h n 1");
  Check("HINCRBYFLOAT h n 0.1\nHINCRBYFLOAT h n 1e3\nHINCRBYFLOAT h n -5e-1\nHGETALL h");
  Check("HINCRBYFLOAT h n nan\nHINCRBYFLOAT h n inf\nHINCRBYFLOAT h n x\nHINCRBYFLOAT h n \"\"");
  Check("HSET h n x i inf\nHINCRBYFLOAT h n 1\nHINCRBYFLOAT h i 1\nSET s 1\nHINCRBYFLOAT s n 1");
}

TEST_F(HashEffectsTest, SmallHashesAreScannedWhole) {
  Check("HSET h a 1 b 2 c 3\nHSCAN h 0\nHSCAN h 7\nHSCAN h 0 COUNT 1\nHSCAN h 0 MATCH [ab]");
  Check("HSET h a 1\nHSCAN h x\nHSCAN h -1\nHSCAN h 99999999999999999999\nHSCAN h \"\"");
  Check("HSET h a 1\nHSCAN h 0 COUNT 0\nHSCAN h 0 COUNT x\nHSCAN h 0 COUNT\nHSCAN h 0 TYPE hash");
  Check("HSCAN i 0 FOO\nHSCAN i x FOO\nSET s v\nHSCAN s 0 FOO\nHSCAN s x");
}

TEST_F(HashEffectsTest, RandomFieldsOfOne) {
  Check("HSET h a 1\nHRANDFIELD h\nHRANDFIELD h 3\nHRANDFIELD h -3\nHRANDFIELD h 3 WITHVALUES");
  Check("HSET h a 1\nHRANDFIELD h -2 WITHVALUES\nHRANDFIELD h 0\nHRANDFIELD h 0 WITHVALUES");
  Check("HRANDFIELD i\nHRANDFIELD i 3\nHRANDFIELD i x y\nHRANDFIELD i 1 y\nHRANDFIELD i 1 y z");
  Check("HRANDFIELD i 9223372036854775807 WITHVALUES\nHRANDFIELD i -9223372036854775808");
  Check("SET s v\nHRANDFIELD s\nHRANDFIELD s 1 x\nHSET h a 1 b 2\nHRANDFIELD h 2 WITHVALUES");
}

using SetEffectsTest = EffectsTest;

TEST_F(SetEffectsTest, MembersAreAddedAndRemoved) {
  Check("SADD s 3 1 2\nSADD s 3\nSADD s 4 1\nSMEMBERS s\nSREM s 9\nSREM s 1 1\nSREM s 2 3 4 5");
  Check("SADD s 1\nSISMEMBER s 1\nSISMEMBER s 01\nSISMEMBER t 1\nSMISMEMBER s 1 2\nSMISMEMBER t 1");
  Check("SCARD s\nSADD s a\nSCARD s\nSMEMBERS s\nSMEMBERS t\nSREM s a\nSREM s a");
  Check("SET k v\nSADD k 1\nSREM k 1\nSMEMBERS k\nSCARD k\nSISMEMBER k 1\nSMISMEMBER k 1");
}

TEST_F(SetEffectsTest, MembersMove) {
  Check("SADD s 1 2\nSMOVE s t 1\nSMOVE s t 2\nSMOVE s t 2\nSMEMBERS t");
  Check("SADD s 1\nSADD t 1 2\nSMOVE s t 1\nSMOVE t t 1\nSMOVE t t 9\nSMEMBERS t\nSMOVE t s 9");
  Check("SET k v\nSADD s 1\nSMOVE s k 1\nSMOVE k s 1\nSMOVE x k 1\nSMOVE s k 9\nSMOVE k k 1");
}

TEST_F(SetEffectsTest, RandomMembersOfOne) {
  Check("SADD s 1\nSRANDMEMBER s\nSRANDMEMBER s 2\nSRANDMEMBER s -2\nSPOP s\nSPOP s\nSPOP s 1");
  Check("SADD s 1 2 3\nSPOP s 0\nSPOP s 3\nSADD s 1 2\nSPOP s 9\nSPOP s 0\nEXISTS s");
  Check("SPOP s x\nSPOP s -1\nSPOP s 1 1\nSRANDMEMBER s x\nSRANDMEMBER s x y\nSRANDMEMBER s 1");
  Check("SET k v\nSPOP k\nSPOP k x\nSPOP k 1\nSRANDMEMBER k\nSRANDMEMBER k -9223372036854775808");
}

TEST_F(SetEffectsTest, UnionsIntersectionsDifferences) {
  Check("SADD s 1 2 3\nSADD t 2 3 4\nSUNION s t\nSINTER s t\nSDIFF s t\nSDIFF t s x\nSINTER s x");
  Check("SADD s 1 2 3\nSADD t 2 3 4\nSUNIONSTORE u s t\nSINTERSTORE i s t\nSDIFFSTORE d s t");
  Check("SADD s 1 2\nSET d v\nSDIFFSTORE d s s\nSDIFFSTORE d s s\nSET d v EX 100\nSUNIONSTORE d s");
  Check("TTL d\nSADD s 1\nSINTERSTORE s s x\nSMEMBERS s\nSUNIONSTORE x y\nSINTERSTORE x y z");
  Check("SADD s 1\nSET k v\nSINTER x k\nSINTER k x\nSUNION s k\nSDIFF x k\nSINTERSTORE d x k");
  Check("SADD s 1 2 3\nSADD t 2 3 4\nSINTERCARD 2 s t\nSINTERCARD 2 s t LIMIT 1\nSINTERCARD 1 x");
  Check("SINTERCARD 0 s\nSINTERCARD x s\nSINTERCARD 2 s\nSINTERCARD 1 s x\nSINTERCARD 1 s LIMIT");
  Check("SINTERCARD 1 s LIMIT -1\nSINTERCARD 1 s LIMIT 1 LIMIT 0\nSET k v\nSINTERCARD 1 k LIMIT 1");
}

TEST_F(SetEffectsTest, SmallSetsAreScannedWhole) {
  Check("SADD s 1 2 3\nSSCAN s 0\nSSCAN s 9 COUNT 1\nSSCAN s 0 MATCH [12]\nSSCAN t 0 x\nSSCAN s x");
}

}  // namespace
}  // namespace interlock::testing
