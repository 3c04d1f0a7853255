// SPDX-License-Identifier: MIT
//
// Words that are interesting as arguments: the same few keys, options, numbers at the edges, and
// scripts with every type of return value. No script loops, and none builds large values.
#pragma once

#include <array>
#include <string_view>

namespace interlock::fuzz {

inline constexpr std::array<std::string_view, 6> kKeys = {"k", "l", "h", "s", "z", "k2"};

inline constexpr std::array<std::string_view, 90> kWords = {
    "",        "0",          "1",        "2",       "-1",        "-2",
    "3",       "10",         "100",      "1000",    "0.1",       "1.5",
    "-0.5",    "inf",        "-inf",     "nan",     "(1",        "+inf",
    "[a",      "(b",         "-",        "+",       "1e3",       "9223372036854775807",
    "+5",      "05",         "a",        "b",       "c",         "abc",
    "*",       "a*",         "[a-c]",    "\\*",     "a b",       "\r\n",
    "NX",      "XX",         "GT",       "LT",      "CH",        "INCR",
    "EX",      "PX",         "EXAT",     "PXAT",    "KEEPTTL",   "GET",
    "PERSIST", "WITHSCORES", "LIMIT",    "BYSCORE", "BYLEX",     "REV",
    "COUNT",   "MATCH",      "TYPE",     "LEFT",    "RIGHT",     "BEFORE",
    "AFTER",   "MIN",        "MAX",      "WEIGHTS", "AGGREGATE", "SUM",
    "REPLACE", "DB",         "string",   "list",    "hash",      "set",
    "zset",    "ABSTTL",     "IDLETIME", "RANK",    "MAXLEN",    "SYNC",
    "ASYNC",   "WITHVALUES", "AUTH",     "default", "secret",    "on",
    "off",     "ERROR",      "TIMEOUT",  "no",      "yes",       "1700000000"};

inline constexpr std::array<std::string_view, 22> kScripts = {
    "return 1",
    "return 1.9",
    "return 'text'",
    "return false",
    "return true",
    "return nil",
    "return {1,2,{3,'a'},nil,4}",
    "return {ok='fine'}",
    "return {err='ERR own'}",
    "return redis.error_reply('ERR no')",
    "return redis.status_reply('a\\r\\nb')",
    "redis.setresp(3) return redis.call('HGETALL',KEYS[1])",
    "redis.setresp(3) return {double=1.5}",
    "redis.setresp(3) return {map={a=1}}",
    "return redis.call('GET',KEYS[1])",
    "return redis.pcall('LPUSH',KEYS[1],ARGV[1])",
    "return redis.call('RPUSH',KEYS[1],'a','b')",
    "if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('DEL',KEYS[1]) end return 0",
    "return redis.call('SET',KEYS[1],ARGV[1],'PX',100,'NX')",
    "return cjson.encode({1,'a',{b=cjson.null}})",
    "return {bit.band(7,3),redis.sha1hex('')}",
    "return tostring({}) x",
};

}  // namespace interlock::fuzz
