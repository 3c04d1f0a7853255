// SPDX-License-Identifier: MIT
//
// Patterns of the bit commands and of SORT. The former are not exchanged, as other arguments could
// make strings of megabytes.
#include "tests/redis/differential/grammar.h"

namespace interlock::testing {

namespace {

constexpr std::string_view kBit[] = {
    // clang-format off
    "!SETBIT %S %B 1", "!SETBIT %S %B 0", "!SETBIT %k %B %n", "GETBIT %S %B", "BITCOUNT %S",
    "BITCOUNT %S %i", "BITCOUNT %S %i %i", "BITCOUNT %S %i %i BIT", "BITCOUNT %S %N %N byte",
    "BITCOUNT %S 0 -1 %i", "BITPOS %S 1", "BITPOS %S 0", "BITPOS %S %n %i", "BITPOS %S 0 %i %i",
    "BITPOS %S 1 %i %i BIT", "BITPOS %S 0 %N %N BIT", "BITPOS %S %n %i %i %n",
    "!BITOP AND %k %S %S", "!BITOP or %S %S+", "!BITOP XOR %S %S+", "!BITOP NOT %S %S",
    "!BITOP NOT %S %S+", "!BITOP AND %S %k+", "!BITOP %n %S %S",
    "!BITFIELD %S GET %I %B", "!BITFIELD %S SET %I %B %N", "!BITFIELD %S INCRBY %I %B %N",
    "!BITFIELD %S OVERFLOW SAT INCRBY %I %B %N GET i8 0",
    "!BITFIELD %S OVERFLOW FAIL SET %I %B %N INCRBY %I 8 1",
    "!BITFIELD %S OVERFLOW sat SET %I %B %N overflow wrap INCRBY %I 8 %N", "!BITFIELD %k",
    "!BITFIELD %S OVERFLOW", "!BITFIELD %S OVERFLOW %n", "!BITFIELD_RO %S GET %I %B GET i64 3",
    "!BITFIELD_RO %S OVERFLOW FAIL", "!BITFIELD_RO %S SET u8 0 %N",
    // clang-format on
};

// No part of an order that sets leave open; what is stored shows the order where replies do not:
// see ToleranceFor.
constexpr std::string_view kSort[] = {
    // clang-format off
    "RPUSH %L 2 1 10 1.5 -3", "SADD %T 3 1 2", "SORT %L", "SORT %L DESC", "SORT %T", "SORT %Z",
    "SORT %k", "SORT %L LIMIT %i %i", "SORT %L LIMIT %N %N asc", "SORT %T ALPHA",
    "SORT %L ALPHA DESC", "SORT %Z ALPHA GET # GET %W", "!SORT %L ALPHA STORE %k",
    "!SORT %T ALPHA LIMIT %i %i STORE %L", "SORT %L BY %W", "SORT %L BY %W GET %W GET %W DESC",
    "SORT %T BY %W GET #", "!SORT %L BY nosort GET %W", "!SORT %T BY nosort",
    "!SORT %Z BY nosort DESC", "!SORT %k BY nosort LIMIT %i %i STORE %L",
    "!SORT %Z BY nosort desc LIMIT %i %i STORE %L", "!SORT %L BY %W ALPHA", "SORT %T STORE %L",
    "SORT %L GET %W GET # STORE %L",
    "!SORT %L BY %W STORE %L", "!SORT %T BY %W DESC LIMIT %i %i STORE %k", "SORT %L BY",
    "SORT %L LIMIT 1", "SORT_RO %L", "SORT_RO %Z", "SORT_RO %T BY %W GET # GET %W",
    "SORT_RO %L ALPHA LIMIT 0 -1", "SORT_RO %L STORE %L",
    // clang-format on
};

}  // namespace

Patterns BitPatterns() { return kBit; }
Patterns SortPatterns() { return kSort; }

}  // namespace interlock::testing
