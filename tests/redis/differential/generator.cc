// SPDX-License-Identifier: MIT
#include "tests/redis/differential/generator.h"

#include <cctype>

#include "tests/redis/differential/scripts.h"

namespace interlock::testing {

namespace {

using sim::redis::Argv;
using namespace std::string_view_literals;

constexpr std::string_view kKeys[] = {"k1", "k2", "k3", "list", "hash", "zset", "set", "none"};
constexpr std::string_view kValues[] = {""sv,
                                        "a"sv,
                                        "b"sv,
                                        "c"sv,
                                        "a"sv,
                                        "10"sv,
                                        "123456789"sv,
                                        "9223372036854775807"sv,
                                        "-1"sv,
                                        "1.5"sv,
                                        "abc"sv,
                                        "x y"sv,
                                        "05"sv,
                                        "\0\xff\r\n"sv,
                                        "-9223372036854775808"sv};
constexpr std::string_view kNumbers[] = {"0",
                                         "1",
                                         "-1",
                                         "2",
                                         "3",
                                         "-2",
                                         "100",
                                         "1",
                                         "0",
                                         "05",
                                         "+5",
                                         "1e3",
                                         "0x10",
                                         "nan",
                                         "inf",
                                         "",
                                         "abc",
                                         "1.5",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "-9223372036854775808"};
// Milliseconds: never a few of them, which would run out during the test.
constexpr std::string_view kMilliseconds[] = {"1000000",
                                              "1000000",
                                              "0",
                                              "-1",
                                              "05",
                                              "abc",
                                              "",
                                              "1.5",
                                              "9223372036854775807",
                                              "-9223372036854775808"};
constexpr std::string_view kScores[] = {"0",   "1",    "2",    "-1",    "1.5", "3",
                                        "0.1", "inf",  "-inf", "nan",   "abc", "",
                                        "1e3", "0x10", "+2",   "1e400", "-0",  "2"};
constexpr std::string_view kBounds[] = {"-inf", "+inf", "0", "(1",  "1",    "(2", "2",
                                        "abc",  "(",    "",  "nan", "(inf", "3",  "1.5"};
// Far from any clock that runs a test.
constexpr std::string_view kExpiries[] = {"EX 1000",
                                          "PX 1000000",
                                          "EXAT 4102444800",
                                          "PXAT 4102444800123",
                                          "EX 0",
                                          "PX -1",
                                          "EX abc",
                                          "PXAT 1",
                                          "EXAT 1",
                                          "EX",
                                          "PX 9223372036854775807",
                                          "EX 9223372036854775807",
                                          "EX 05"};
constexpr std::string_view kSetWords[] = {"NX", "XX", "GET", "KEEPTTL", "nx", "Get", "PERSIST"};
constexpr std::string_view kTimeouts[] = {"0",   "0",   "0",       "1000",  "-1", "abc",
                                          "inf", "nan", "0x10000", "1e400", ""};
constexpr std::string_view kZAddWords[] = {"NX", "XX", "CH", "INCR", "GT", "LT", "incr"};
constexpr std::string_view kTtls[] = {"NX", "XX", "GT", "LT", "gt", "foo"};
constexpr std::string_view kSides[] = {"LEFT", "RIGHT", "left", "Right", "UP"};

// Words: k key, v value, n number, m milliseconds, f score, b bound of scores, e expiry, w option
// of SET, o option of EXPIRE, z option of ZADD, s side, t time-out; lower case is one, a ? behind
// it means perhaps, a
// + one to three. Anything else stands for itself.
constexpr std::string_view kData[] = {"SET %k %v",
                                      "SET %k %v",
                                      "SET %k %v %w? %e? %w?",
                                      "SET %k %v %e? %w? %e?",
                                      "GET %k",
                                      "GET %k",
                                      "GETSET %k %v",
                                      "GETDEL %k",
                                      "GETEX %k %e?",
                                      "GETEX %k %w %e?",
                                      "SETNX %k %v",
                                      "SETEX %k %n %v",
                                      "PSETEX %k %m %v",
                                      "APPEND %k %v",
                                      "STRLEN %k",
                                      "MGET %k+",
                                      "MSET %k %v %k %v",
                                      "MSETNX %k %v %k %v",
                                      "INCR %k",
                                      "DECR %k",
                                      "INCRBY %k %n",
                                      "DECRBY %k %n",
                                      "DEL %k+",
                                      "DEL %k",
                                      "UNLINK %k",
                                      "EXISTS %k+",
                                      "TOUCH %k+",
                                      "TYPE %k",
                                      "RENAME %k %k",
                                      "RENAMENX %k %k",
                                      "EXPIRE %k 1000",
                                      "EXPIRE %k 1000 NX",
                                      "EXPIRE %k 1000 xx XX",
                                      "EXPIRE %k -1 %o? %o?",
                                      "EXPIRE %k abc %o?",
                                      "EXPIRE %k 9223372036854775807 %o? %o?",
                                      "PEXPIRE %k 1000000",
                                      "PEXPIRE %k 1000000 NX",
                                      "PEXPIRE %k %m",
                                      "EXPIREAT %k 4102444800 %o? %o?",
                                      "EXPIREAT %k 1 %o?",
                                      "PEXPIREAT %k 4102444800500 %o? %o?",
                                      "PEXPIREAT %k %n",
                                      "TTL %k",
                                      "PTTL %k",
                                      "EXPIRETIME %k",
                                      "PEXPIRETIME %k",
                                      "PERSIST %k",
                                      "KEYS *",
                                      "KEYS k[12]",
                                      "KEYS %k",
                                      "SCAN 0",
                                      "SCAN 0 MATCH k* COUNT 100",
                                      "SCAN 0 COUNT 0",
                                      "SCAN 0 COUNT abc COUNT -1",
                                      "SCAN abc",
                                      "SCAN  5 COUNT",
                                      "SCAN 5x MATCH",
                                      "SCAN 0 TYPE list",
                                      "DBSIZE",
                                      "LPUSH %k %v+",
                                      "RPUSH %k %v+",
                                      "RPUSH list %v+",
                                      "LPUSHX %k %v",
                                      "RPUSHX list %v",
                                      "LPOP %k",
                                      "LPOP %k %n",
                                      "RPOP list",
                                      "RPOP %k %n",
                                      "LLEN %k",
                                      "LRANGE %k %n %n",
                                      "LRANGE list 0 -1",
                                      "LINDEX %k %n",
                                      "LREM %k %n %v",
                                      "LREM list %n a",
                                      "LTRIM %k %n %n",
                                      "LSET %k %n %v",
                                      "LMOVE %k %k %s %s",
                                      "LMOVE list k1 %s %s",
                                      "RPOPLPUSH %k %k",
                                      "HSET %k %v %v",
                                      "HSET hash %v %v %v %v",
                                      "HMSET %k %v %v",
                                      "HSETNX %k %v %v",
                                      "HGET %k %v",
                                      "HMGET %k %v+",
                                      "HDEL %k %v+",
                                      "HLEN %k",
                                      "HSTRLEN %k %v",
                                      "HGETALL %k",
                                      "HGETALL hash",
                                      "HEXISTS %k %v",
                                      "HINCRBY %k %v %n",
                                      "HKEYS %k",
                                      "HVALS %k",
                                      "SADD %k %v+",
                                      "SADD set %v+",
                                      "SREM %k %v+",
                                      "SMEMBERS %k",
                                      "SISMEMBER %k %v",
                                      "SMISMEMBER %k %v+",
                                      "SCARD %k",
                                      "SPOP %k 1000",
                                      "SPOP %k 0",
                                      "SPOP %k abc",
                                      "ZADD %k %z? %z? %f %v",
                                      "ZADD zset %f %v %f %v",
                                      "ZADD zset %z? %z? %z? %f %v",
                                      "ZADD %k %z %f %v %f %v",
                                      "ZINCRBY %k %f %v",
                                      "ZREM %k %v+",
                                      "ZCARD %k",
                                      "ZSCORE %k %v",
                                      "ZMSCORE %k %v+",
                                      "ZRANGE %k %n %n",
                                      "ZRANGE zset 0 -1 WITHSCORES",
                                      "ZRANGE %k %n %n REV WITHSCORES",
                                      "ZRANGE zset %b %b BYSCORE LIMIT %n %n",
                                      "ZRANGE zset %b %b BYSCORE REV WITHSCORES",
                                      "ZRANGE zset 0 -1 LIMIT 0 %n",
                                      "ZRANGEBYSCORE %k %b %b",
                                      "ZRANGEBYSCORE zset %b %b WITHSCORES LIMIT %n %n",
                                      "ZREVRANGEBYSCORE zset %b %b",
                                      "ZREVRANGE %k %n %n WITHSCORES",
                                      "ZREMRANGEBYSCORE %k %b %b",
                                      "ZREMRANGEBYRANK zset %n %n",
                                      "ZCOUNT %k %b %b",
                                      "ZRANK %k %v",
                                      "ZREVRANK %k %v",
                                      "ZPOPMIN %k",
                                      "ZPOPMAX %k %n",
                                      "PUBLISH ch1 %v",
                                      "PUBLISH ch2 %v",
                                      "PING",
                                      "PING %v",
                                      "ECHO %v",
                                      "SELECT %n",
                                      "SELECT 0",
                                      "SELECT 1",
                                      "SELECT 0",
                                      "nosuch %v %v"};

constexpr std::string_view kSpecial[] = {
    "MULTI",
    "MULTI",
    "EXEC",
    "EXEC",
    "DISCARD",
    "WATCH %k+",
    "UNWATCH",
    "BLPOP %k %t",
    "BLPOP %k %k %k %t",
    "BRPOP k1 k2 %t",
    "BLPOP list k1 0",
    "BRPOP k2 k1 0",
    "BLMOVE %k %k %s %s %t",
    "BLMOVE k1 k2 LEFT RIGHT 0",
    "BRPOPLPUSH %k %k %t",
    "BRPOPLPUSH list k1 0",
    "BRPOPLPUSH k1 k1 0",
    "SUBSCRIBE ch1",
    "SUBSCRIBE ch1 ch2",
    "UNSUBSCRIBE ch1",
    "UNSUBSCRIBE ch1 ch2",
    "PSUBSCRIBE ch*",
    "PUNSUBSCRIBE ch* none",
    "PUNSUBSCRIBE ch*",
    "RESET",
    "HELLO 4",
    "HELLO abc",
    "HELLO 2 SETNAME %v SETNAME",
    "AUTH %v",
    "AUTH default %v",
    "AUTH nobody %v",
    "AUTH a b c",
    "CLIENT SETNAME %v",
    "CLIENT GETNAME",
    "CLIENT NOSUCH",
    "CLIENT",
    "CLIENT ID %v",
    "CLIENT UNBLOCK abc",
    "CLIENT UNBLOCK -5",
    "CLIENT UNBLOCK 0 ERROR x",
    "CLIENT UNBLOCK 99999 FOO",
    "CLIENT UNBLOCK @",
    "CLIENT UNBLOCK @ ERROR",
    "CLIENT UNBLOCK @ TIMEOUT",
    "FLUSHDB",
    "FLUSHALL ASYNC",
    "FLUSHALL FOO",
    "WAIT 0 0",
    "WAIT 0 -1",
    "WAIT abc 0",
    "WAIT 0 abc",
    "SCRIPT EXISTS %v ffffffffffffffffffffffffffffffffffffffff",
    "SCRIPT FLUSH FOO",
    "SCRIPT FLUSH SYNC",
    "SCRIPT KILL",
    "EVALSHA %v 0",
    "EVAL %v %n %v",
    "EXEC",
    "RPUSH list %v+",
    "RPUSH k1 %v+",
    "LPUSH k2 %v",
    "RPUSH list %v"};

}  // namespace

std::uint64_t Generator::Next() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::uint64_t Generator::Below(std::uint64_t bound) { return Next() % bound; }

std::string Generator::Value() { return Pick(kValues); }

std::string Generator::Number() { return Pick(kNumbers); }

void Generator::ExpandWord(std::string_view word, Argv* argv) {
  if (!word.starts_with('%')) {
    argv->emplace_back(word);
    return;
  }
  std::uint64_t count = 1;
  if (word.size() == 3) count = word[2] == '+' ? 1 + Below(3) : Below(2);
  for (; count > 0; --count) {
    switch (word[1]) {
      case 'k':
        argv->push_back(Pick(kKeys));
        break;
      case 'v':
        argv->push_back(Value());
        break;
      case 'n':
        argv->push_back(Number());
        break;
      case 'm':
        argv->push_back(Pick(kMilliseconds));
        break;
      case 'f':
        argv->push_back(Pick(kScores));
        break;
      case 'b':
        argv->push_back(Pick(kBounds));
        break;
      case 'e':
        for (const std::string& part : Expand(Pick(kExpiries))) argv->push_back(part);
        break;
      case 'w':
        argv->push_back(Pick(kSetWords));
        break;
      case 'o':
        argv->push_back(Pick(kTtls));
        break;
      case 'z':
        argv->push_back(Pick(kZAddWords));
        break;
      case 's':
        argv->push_back(Pick(kSides));
        break;
      default:
        argv->push_back(Pick(kTimeouts));
    }
  }
}

Argv Generator::Expand(std::string_view pattern) {
  Argv argv;
  while (!pattern.empty()) {
    const std::size_t end = pattern.find(' ');
    ExpandWord(pattern.substr(0, end), &argv);
    pattern.remove_prefix(end == std::string_view::npos ? pattern.size() : end + 1);
  }
  return argv;
}

// Now and then one argument too few or too many, and commands in lower case.
void Generator::Distort(Argv* argv) {
  // A random choice, a page or a list in the real order, and a client id cannot be compared.
  const std::string& name = argv->front();
  const bool comparable =
      name != "SPOP" && name != "SCAN" && name != "CLIENT" && name != "UNSUBSCRIBE";
  if (Chance(3) && argv->size() > 1 && comparable) argv->pop_back();
  if (Chance(3)) argv->push_back(Value());
  if (Chance(20)) {
    for (char& c : argv->front()) c = static_cast<char>(std::tolower(c));
  }
}

Argv Generator::DataCommand() {
  Argv argv = Expand(kData[Below(std::size(kData))]);
  Distort(&argv);
  return argv;
}

Argv Generator::SpecialCommand() {
  Argv argv = Expand(kSpecial[Below(std::size(kSpecial))]);
  if (Chance(10)) Distort(&argv);
  return argv;
}

Argv Generator::Script() {
  const std::span<const std::string_view> bodies = ScriptBodies();
  Argv argv = {Chance(10) ? "EVAL_RO" : "EVAL", std::string(bodies[Below(bodies.size())])};
  if (Chance(50)) {
    // The body calls whatever command its arguments spell.
    argv[1] = GenericScriptBodies()[Below(GenericScriptBodies().size())];
    argv.emplace_back("0");
    for (std::string& word : DataCommand()) argv.push_back(std::move(word));
    return argv;
  }
  argv.emplace_back(Chance(95) ? "2" : Number());
  argv.push_back(Pick(kKeys));
  argv.push_back(Pick(kKeys));
  argv.push_back(Value());
  argv.push_back(Number());
  return argv;
}

}  // namespace interlock::testing
