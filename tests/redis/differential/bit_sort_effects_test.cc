// SPDX-License-Identifier: MIT
//
// The bit commands and SORT: replies, effects and events are those of redis-server 7.0.15.
#include "tests/redis/differential/effects_fixture.h"

namespace interlock::testing {
namespace {

using BitEffectsTest = EffectsTest;
using SortEffectsTest = EffectsTest;

TEST_F(BitEffectsTest, OnlyWhatChangesABitOrTheLengthIsAnEffect) {
  Check("SETBIT k 1 0\nSETBIT k 1 0\nSETBIT k 1 1\nSETBIT k 1 1\nSETBIT k 20 0\nSETBIT k 20 0");
  Check("SET k 5\nSETBIT k 3 1\nOBJECT ENCODING k\nSET k 5 EX 100\nSETBIT k 9 1\nTTL k");
  Check(
      "GETBIT k 1\nSET k a\nGETBIT k 1\nGETBIT k 100\nGETBIT k 4294967295\nBITCOUNT k\nGET k\n"
      "BITCOUNT k -2 -100 a\nBITCOUNT k -2 -100 bit\nBITCOUNT k 2 -100 a");
}

TEST_F(BitEffectsTest, FieldsThatOverflowMakeTheStringAndNoEffect) {
  Check("BITFIELD k OVERFLOW FAIL SET u8 0 256\nSTRLEN k\nBITFIELD k SET u8 0 0");
  Check(
      "SETBIT k 1 1\nBITFIELD k SET u8 0 64\nBITFIELD k SET u8 0 5 SET u8 8 0\nBITFIELD k GET u8 "
      "0\n"
      "BITFIELD k OVERFLOW FAIL INCRBY u8 0 255 SET u8 100 256\nSTRLEN k\nBITFIELD k GET u8 500");
  Check("BITFIELD k\nBITFIELD_RO k\nBITFIELD k GET u8 0\nBITFIELD_RO k GET u8 #1\nEXISTS k");
}

TEST_F(BitEffectsTest, FieldsSaturateAndWrapAsTheirWidthHasIt) {
  Check(
      "BITFIELD k SET i64 0 9223372036854775807 INCRBY i64 0 1 OVERFLOW SAT INCRBY i64 0 -1\n"
      "BITFIELD k OVERFLOW SAT SET i8 0 -9223372036854775808 GET i8 0 SET i8 0 -129 GET i8 0\n"
      "BITFIELD k OVERFLOW SAT SET i63 0 -9223372036854775808 GET i63 0\n"
      "BITFIELD k SET u63 0 -5 OVERFLOW SAT INCRBY u63 0 9223372036854775807\n"
      "BITFIELD k SET u63 3 -5 OVERFLOW FAIL INCRBY u63 3 -9223372036854775808\n"
      "BITFIELD k INCRBY i1 3 1 INCRBY i1 3 1 OVERFLOW SAT INCRBY i1 3 -1 INCRBY u1 3 -1\n"
      "BITFIELD k GET u8 #2305843009213693952 GET u5 2\nBITFIELD k GET u8 #536870912");
}

TEST_F(BitEffectsTest, OperationsReplaceTheirDestination) {
  Check(
      "SETBIT k 9 1\nSET d x EX 100\nBITOP AND d k d\nTTL d\nBITOP OR d s z\nBITOP OR d s z\n"
      "BITOP NOT d k\nOBJECT ENCODING d\nBITOP XOR k k d\nGET k\nBITOP NOT d k k\nBITOP FOO d k");
  Check("SET k x PXAT 5\nBITOP AND d k k\nSET d x PXAT 5\nBITOP OR d m\nLPUSH l a\nBITOP OR d l");
}

TEST_F(SortEffectsTest, TheResultReplacesTheDestination) {
  Check(
      "RPUSH l 3 1 2\nSET d x EX 100\nSORT l STORE d\nTTL d\nSORT l DESC STORE d\nLRANGE d 0 -1\n"
      "SORT l LIMIT 0 0 STORE d\nSORT l LIMIT 0 0 STORE d\nSORT none STORE d\nSORT l STORE l");
  Check(
      "SADD s b a c\nSORT s BY nosort STORE d\nLRANGE d 0 -1\n2> BLPOP e 0\nSORT s ALPHA STORE e");
  Check("ZADD z 1 a 2 b\nSORT_RO z ALPHA\nOBJECT ENCODING z\nSORT z BY nosort DESC LIMIT 1 5");
}

TEST_F(SortEffectsTest, PatternsNameStringsAndFields) {
  Check(
      "RPUSH l 3 1 2\nSET w_1 9\nSET w_2 1.5\nHSET h_1 f 0x10 g x\nSORT l BY w_* GET # GET w_*\n"
      "SORT l BY h_*->f GET h_*->g\nSORT l BY h_*-> GET h_*->\nSORT l BY h_*->g GET h*->\n"
      "SORT l BY w_* GET w_* STORE d\nLRANGE d 0 -1\nSORT l GET w_1 GET ## GET l*->f");
}

TEST_F(SortEffectsTest, TextsAreOrderedByTheirBytesUntilANulUnlessTheyAreStored) {
  Check(
      "RPUSH l \\x00b \\x00a A \\xff z a\nSORT l ALPHA\nSORT l ALPHA DESC\nSORT l ALPHA STORE d\n"
      "LRANGE d 0 -1\nSORT l BY none* ALPHA\nSORT l BY none* ALPHA DESC LIMIT 1 2\nSORT l");
}

}  // namespace
}  // namespace interlock::testing
