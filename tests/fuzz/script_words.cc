// SPDX-License-Identifier: MIT
#include "tests/fuzz/script_words.h"

namespace interlock::fuzz {

namespace {

constexpr std::string_view kNumbers[] = {
    "0",     "1",          "-1",         "2",           "3",         "0.5",   "-0",
    "7",     "16",         "100",        "255",         "256",       "1000",  "7999",
    "8000",  "65535",      "65536",      "2^31-1",      "2^31",      "-2^31", "-2^31-1",
    "2^32",  "2^53",       "-2^53",      "2^63",        "-2^63",     "2^64",  "1e15",
    "1e100", "1e308*10",   "-1e308*10",  "0/0",         "1e-320",    "-0.5",  "0x7fffffff",
    "1e17",  "2147483646", "4294967295", "-2147483647", "2^52+2^51", "0.1",   "'10'",
    "'0x1'", "'1e400'",    "' 5 '",      "'-inf'",      "math.huge", "-2",    "-3",
    "32",    "33",         "99999999999"};

constexpr std::string_view kTexts[] = {"''",
                                       "'a'",
                                       "'\\0'",
                                       "'\\255\\0\\r\\n'",
                                       "'abc'",
                                       "'key'",
                                       "'OK'",
                                       "'-ERR x'",
                                       "'a\\nb c'",
                                       "'%'",
                                       "'%s%d%q'",
                                       "'__index'",
                                       "'err'",
                                       "'10'",
                                       "'nan'",
                                       "('x'):rep(31)",
                                       "('x'):rep(32)",
                                       "('ab'):rep(100)",
                                       "('x'):rep(1000)",
                                       "('\\0'):rep(5000)",
                                       "('é'):rep(300)",
                                       "('x'):rep(65536)",
                                       "('%s'):rep(50)",
                                       "KEYS[1]",
                                       "ARGV[1]",
                                       "big"};

// A text and a pattern: many repeats only over short texts, because time grows with their product.
constexpr std::string_view kPatterns[] = {
    "'hello','l+'",
    "'hello','(h)(e)(l*)()'",
    "'a.b','%.'",
    "'','^$'",
    "'abc','.-c'",
    "('a'):rep(40),'a-a-a-b'",
    "('a'):rep(40),('a*'):rep(3)..'b'",
    "('a'):rep(2000),'a-b'",
    "('a'):rep(100000),('a?'):rep(9000)",
    "('a'):rep(300),('a?'):rep(250)",
    "('a'):rep(10),('a?'):rep(9000)",
    "('('):rep(100),'%b()'",
    "'((x))','%b()'",
    "'THE (quick) fox','%f[%a]%a+'",
    "'a\\0b','%z'",
    "'x',('('):rep(33)..(')'):rep(33)",
    "'x',('('):rep(32)..(')'):rep(32)",
    "'x','%1'",
    "'xx','(x)%1'",
    "'x','(()'",
    "'x','['",
    "'x','[^'",
    "'x','[]'",
    "'x','[a-'",
    "'x','%'",
    "'x','[%'",
    "'x','%b'",
    "'x','%bx'",
    "'x','%f'",
    "'x','%g'",
    "'x','[%a-z]'",
    "'x]','[]]'",
    "'x','*'",
    "'x','(.)(.)'",
    "('x'):rep(70000),'x*'",
    "('x'):rep(70000),'(.)'",
    "('x'):rep(70000),'.-$'",
    "'x\\0y','x\\0y'",
    "'x',('x'):rep(70000)",
    "'$x','^%$x'",
};

constexpr std::string_view kReplacements[] = {
    "''",  "'%0'",   "'%1'",       "'%9'",
    "'%'", "'%%'",   "'%a'",       "{a='b',x=1}",
    "{}",  "{x={}}", "{x=false}",  "function(a,b) return b end",
    "5",   "true",   "string.rep", "function() error('in gsub') end",
    "nil", "pcall",  "tostring",   "function(x) return ('y'):rep(100) end"};

constexpr std::string_view kFormats[] = {
    "'%d'",      "'%s'",       "'%q'",   "'%5.2f'", "'%99.99f'", "'%100d'",    "'%.100f'",
    "'%-+ #0d'", "'%-+ #0-d'", "'%c'",   "'%i%u'",  "'%x%X%o'",  "'%e%E%g%G'", "'%'",
    "'%y'",      "'%10s'",     "'%.3s'", "'%.0s'",  "'%99s'",    "'%%'",       "'%s%s%s%s%s'",
    "'%5c'",     "'%.20q'",    "'%ld'",  "'%*d'",   "'%n'",      "'\\0%d'",    "('%d'):rep(30)",
    "'%.14g'",   "'%a'",       "'%#x'",  "'% d'",   "'%.99f'",   "'%099.99f'"};

constexpr std::string_view kSources[] = {
    "'return 1'",
    "'return +'",
    "'\\27Lua'",
    "string.dump(function() return 1 end)",
    "'return '..('('):rep(300)",
    "'return '..('{'):rep(190)..('}'):rep(190)",
    "'return '..('-'):rep(1000)..'1'",
    "'local a '..('a=1 '):rep(500)",
    "('local a '):rep(201)",
    "'return '..('1+'):rep(5000)..'1'",
    "'return '..('a..'):rep(300)..'a'",
    "('do '):rep(250)",
    "'return function() '..('return function() '):rep(220)",
    "'--'..('x'):rep(5000)",
    "'return [['..('x'):rep(5000)..']]'",
    "'return [=[ ]]'",
    "'return \"\\\\999\"'",
    "'goto x'",
    "'x=1'",
    "'return x'",
    "'return ...'",
    "'for i=1,3 do end return 5'",
    "'while'",
    "'return 0x'",
    "'return 1e'",
    "'return 3..2'",
    "'\\0'",
    "'return \\0'",
    "'#!lua\\nreturn 1'",
    "'return {'..('1,'):rep(3000)..'}'",
    "'local t={} '..('t=t.a '):rep(300)",
    "'if '..('a and '):rep(300)..'a then end'",
    "'return f'..('()'):rep(300)",
    "'error({})'",
};

constexpr std::string_view kStructFormats[] = {"'i4'",
                                               "'>I2<i3!4bl s c2'",
                                               "'c0'",
                                               "'bc0'",
                                               "'i33'",
                                               "'i32'",
                                               "'i0'",
                                               "'!3i'",
                                               "'!0i'",
                                               "'!16d'",
                                               "'i99999999999'",
                                               "'s'",
                                               "'ss'",
                                               "'z'",
                                               "'x'",
                                               "'xxxx'",
                                               "'d'",
                                               "'f'",
                                               "'!8bdhx'",
                                               "'c99'",
                                               "'c2147483647'",
                                               "'i16'",
                                               "'I9'",
                                               "'Lc0'",
                                               "'ic0'",
                                               "''",
                                               "'   '",
                                               "'><!'",
                                               "'i1i2i3i4i5i6i7i8'",
                                               "'b'",
                                               "'H'",
                                               "'T'",
                                               "'c'",
                                               "('b'):rep(200)",
                                               "'!2147483647i'",
                                               "'i-1'",
                                               "'!1d!2d!4d!8d'",
                                               "'>d<d'",
                                               "'>Bc0s'"};

constexpr std::string_view kStructures[] = {"''",
                                            "'\\1'",
                                            "'\\255\\255\\255\\255\\255\\255\\255\\255'",
                                            "('\\0'):rep(100)",
                                            "'abc\\0def\\0'",
                                            "'\\3xyz'",
                                            "('\\255'):rep(64)",
                                            "'\\0\\0\\0\\128'",
                                            "struct.pack('d',0/0)"};

constexpr std::string_view kJson[] = {
    "'[1,2.5,\"x\",null,true,{\"a\":[]}]'",
    "'{bad'",
    "'null'",
    "''",
    "('['):rep(1001)",
    "('['):rep(999)..(']'):rep(999)",
    "('{\"a\":'):rep(500)..'1'..('}'):rep(500)",
    "'\"\\\\ud800\"'",
    "'\"\\\\ud83d\\\\ude00\"'",
    "'\"\\\\u0000\"'",
    "'\"\\\\uD83D\\\\u0041\"'",
    "'\"\\\\x\"'",
    "'1e999'",
    "'-'",
    "'0x10'",
    "'nan'",
    "'Infinity'",
    "'[1,]'",
    "'{\"a\":1,\"a\":2}'",
    "'{\"1\":1,\"2\":2}'",
    "'[1] x'",
    "'\"a\\nb\"'",
    "'1\\0'",
    "'[1,2,3'",
    "'123456789012345678901234567890'",
    "'0.1e-400'",
    "'truex'",
    "'\\255'",
    "'\"'..('x'):rep(70000)..'\"'",
    "'['..('1,'):rep(9000)..'1]'",
    "' [ ] '",
    "'\\239\\187\\191[]'",
    "'01'",
    "'+1'",
};

constexpr std::string_view kMessages[] = {
    "''",
    "'\\147\\1\\208\\128\\161x'",
    "'\\220'",
    "'\\193'",
    "'\\220\\255\\255'",
    "'\\221\\255\\255\\255\\255'",
    "'\\223\\255\\255\\255\\255'",
    "'\\219\\255\\255\\255\\255x'",
    "('\\145'):rep(1000)",
    "('\\145'):rep(20000)",
    "('\\129\\1'):rep(3000)",
    "'\\129\\192\\1'",
    "'\\129\\203\\127\\248\\0\\0\\0\\0\\0\\0\\1'",
    "'\\129\\145\\1\\1'",
    "('\\1'):rep(7990)",
    "('\\1'):rep(9000)",
    "'\\207\\255\\255\\255\\255\\255\\255\\255\\255'",
    "'\\211\\128\\0\\0\\0\\0\\0\\0\\0'",
    "'\\202\\127\\192\\0\\0'",
    "'\\196\\1x'",
    "'\\212\\1x'",
    "cmsgpack.pack({1,{a=2},'x',-5,2^40,0.1})",
};

constexpr std::string_view kCommands[] = {
    "'set',KEYS[1],@",
    "'get',KEYS[1]",
    "'get'",
    "'set',KEYS[1]",
    "'incrby','n',@",
    "'append','s',@",
    "'setrange','s',@,'x'",
    "'getrange','s',@,@",
    "'rpush','l',@,@",
    "'lrange','l',@,@",
    "'lindex','l',@",
    "'ltrim','l',@,@",
    "'hset','h',@,@",
    "'hgetall','h'",
    "'hincrbyfloat','h','f',@",
    "'zadd','z',@,@",
    "'zrange','z',@,@,'withscores'",
    "'zrangebyscore','z',@,@",
    "'zincrby','z',@,'m'",
    "'sadd','t',@",
    "'sismember','t',@",
    "'del','s','l','h'",
    "'expire','s',@",
    "'pexpireat','s',@",
    "'type','s'",
    "'nosuch',@",
    "@",
    "@,@",
    "'eval','return 1',0",
    "'multi'",
    "'blpop','l',0",
    "'subscribe','c'",
    "'publish','c',@",
    "'select',@",
    "'echo',@",
    "'ping',@",
    "'lpos','l',@,'rank',@",
    "'object','encoding',@",
    "'bitcount','s',@,@",
    "'restore',@,@,@",
    "'lmpop',@,'l','left'",
    "'zunion',@,'z'",
    "'keys','*'",
    "'exists',@",
    "'debug','jmap'",
    "'config','get',@",
    "'script','flush'",
    "'client','kill',@",
    "unpack(list)",
    "'rpush','l',unpack(list)",
};

}  // namespace

Words WordsFor(char letter) {
  switch (letter) {
    case 'n':
      return kNumbers;
    case 's':
      return kTexts;
    case 'p':
      return kPatterns;
    case 'r':
      return kReplacements;
    case 'F':
      return kFormats;
    case 'L':
      return kSources;
    case 'X':
      return kStructFormats;
    case 'S':
      return kStructures;
    case 'J':
      return kJson;
    case 'M':
      return kMessages;
    default:
      return kCommands;
  }
}

}  // namespace interlock::fuzz
