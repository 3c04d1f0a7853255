// SPDX-License-Identifier: MIT
#include "tests/redis/differential/arguments.h"

#include <string>

#include "tests/redis/differential/case.h"

namespace interlock::testing {

namespace {

using sim::redis::Argv;
using namespace std::string_view_literals;

// `dead` is often a key whose time is over; `none` is seldom there.
constexpr std::string_view kKeys[] = {"s1", "s2", "l1", "l2", "h1",   "h2",
                                      "t1", "t2", "z1", "z2", "dead", "none"};
constexpr std::string_view kStrings[] = {"s1", "s2"};
constexpr std::string_view kLists[] = {"l1", "l2", "l1"};
constexpr std::string_view kHashes[] = {"h1", "h2", "h1"};
constexpr std::string_view kSets[] = {"t1", "t2", "t1"};
constexpr std::string_view kSortedSets[] = {"z1", "z2", "z1"};
constexpr std::string_view kValues[] = {""sv,
                                        "a"sv,
                                        "b"sv,
                                        "c"sv,
                                        "a"sv,
                                        "b"sv,
                                        "10"sv,
                                        "2"sv,
                                        "987654321"sv,
                                        "9223372036854775807"sv,
                                        "-1"sv,
                                        "1.5"sv,
                                        "abc"sv,
                                        "x y"sv,
                                        "05"sv,
                                        "\0\xff\r\n"sv,
                                        "-9223372036854775808"sv};
constexpr std::string_view kSmall[] = {"0", "1", "-1", "2", "3", "-2", "1", "0", "100", "-100"};
constexpr std::string_view kOdd[] = {"05",
                                     "+5",
                                     "1e3",
                                     "0x10",
                                     "nan",
                                     "inf",
                                     "",
                                     "abc",
                                     "1.5",
                                     " 1",
                                     "2147483648",
                                     "9223372036854775807",
                                     "9223372036854775808",
                                     "-9223372036854775808",
                                     "-9223372036854775807"};
constexpr std::string_view kFloats[] = {"0",     "1",           "0.1",    "-1.5", "1e3",  "3.0e2",
                                        "inf",   "nan",         "",       "abc",  "1e-9", "1e400",
                                        "0x1p3", "99999999999", "10",     "-0.1", " 1",   "5.5 ",
                                        "+2",    "1e-400",      "1.7e308"};
// Long values would give a small hash the order of a hash table.
constexpr std::string_view kShortFloats[] = {"0",  "1",   "0.1",  "-1.5",   "1e3",   "inf",
                                             "",   "abc", "1e-9", "1e5000", "5.5 ",  "0x1p3",
                                             "10", "nan", " 1",   "-0.1",   "3.0e2", "+2"};
constexpr std::string_view kBadTimes[] = {
    "0", "-1", "abc", "", "05", "1.5", "9223372036854775807", "-9223372036854775808"};
constexpr std::string_view kScores[] = {"0",   "1",    "2",    "-1",    "1.5", "3",
                                        "0.1", "inf",  "-inf", "nan",   "abc", "",
                                        "1e3", "0x10", "+2",   "1e400", "-0",  "2"};
constexpr std::string_view kScoreBounds[] = {"-inf", "+inf", "0", "(1",  "1",    "(2", "2",
                                             "abc",  "(",    "",  "nan", "(inf", "3",  "1.5"};
constexpr std::string_view kMemberBounds[] = {"-",  "+",  "[a", "(a", "[b", "(b",
                                              "[c", "[x", "a",  "",   "[",  "("};
constexpr std::string_view kSetWords[] = {"NX", "XX", "GET", "KEEPTTL", "nx", "Get", "PERSIST"};
constexpr std::string_view kTimeouts[] = {"0",   "0",   "0",       "1000",  "-1", "abc",
                                          "inf", "nan", "0x10000", "1e400", ""};
constexpr std::string_view kZAddWords[] = {"NX", "XX", "CH", "INCR", "GT", "LT", "incr"};
constexpr std::string_view kExpireWords[] = {"NX", "XX", "GT", "LT", "gt", "foo"};
constexpr std::string_view kSides[] = {"LEFT", "RIGHT", "left", "Right", "LEFT", "RIGHT", "UP"};
constexpr std::string_view kDatabases[] = {"0", "1", "0", "1", "0", "15", "16", "-1", "abc"};
constexpr std::string_view kPatterns[] = {"*",   "s?",   "[sl]1", "?1",   "l*",
                                          "nix", "*[!1", "[^s]*", "\\s1", ""};
constexpr std::string_view kChannels[] = {"ch1", "ch2", "news"};
constexpr std::string_view kShardChannels[] = {"sc1", "sc2"};
constexpr std::string_view kChannelPatterns[] = {"ch*", "ch[12]", "n*", "nix"};
constexpr std::string_view kIds[] = {"@0", "@1", "@2", "@0", "@1", "abc", "-5", "99999", "0", ""};
constexpr std::string_view kSizes[] = {"0", "1", "100mb", "1gb", "abc", "-1", "", "1kb2", "0"};
constexpr std::string_view kMinMax[] = {"MIN", "MAX", "min", "Max", "MIN", "MAX", "MID"};

// None that would make a string of megabytes.
constexpr std::string_view kBits[] = {"0",  "1",   "7",  "8",  "9",   "15",         "33",
                                      "-1", "100", "#1", "#3", "abc", "4294967296", "9"};
constexpr std::string_view kFieldTypes[] = {"u8", "i8",  "i1",  "u1",  "i5",  "u3",  "i16",
                                            "u4", "u63", "i63", "i64", "u64", "u16", "x8"};
constexpr std::string_view kSortPatterns[] = {"s*", "h*->a", "*",    "none*", "h*->b", "#",
                                              "s*", "h*->a", "l*->", "t*",    "s1",    "nosort"};

std::string_view PickKey(std::span<const std::string_view> typical, Dice* dice) {
  return dice->Pick<std::string_view>(dice->Chance(70) ? typical : kKeys);
}

// A time in units of `scale` per second, from `base` on.
std::string Time(std::int64_t base, std::int64_t scale, Dice* dice) {
  if (dice->Chance(25)) return std::string(dice->Pick<std::string_view>(kBadTimes));
  const auto seconds = kLeastTtl + static_cast<std::int64_t>(dice->Below(kMostTtl - kLeastTtl));
  return std::to_string((base + seconds) * scale);
}

std::string AbsoluteTime(std::int64_t scale, Dice* dice) {
  if (dice->Chance(15)) return "1";
  return Time(kFarAway, scale, dice);
}

void AppendExpiry(Argv* argv, Dice* dice) {
  static constexpr std::string_view kWords[] = {"EX", "PX", "EXAT", "PXAT", "ex", "Px"};
  const std::string_view word = dice->Pick<std::string_view>(kWords);
  argv->emplace_back(word);
  if (dice->Chance(4)) return;
  const std::int64_t scale = word[0] == 'P' ? 1000 : 1;
  argv->push_back(word.size() == 4 ? AbsoluteTime(scale, dice) : Time(0, scale, dice));
}

std::string_view OneOf(char kind, Dice* dice) {
  switch (kind) {
    case 'k':
      return dice->Pick<std::string_view>(kKeys);
    case 'S':
      return PickKey(kStrings, dice);
    case 'L':
      return PickKey(kLists, dice);
    case 'H':
      return PickKey(kHashes, dice);
    case 'T':
      return PickKey(kSets, dice);
    case 'Z':
      return PickKey(kSortedSets, dice);
    case 'v':
      return dice->Pick<std::string_view>(kValues);
    case 'n':
    case 'i':
      return dice->Chance(90) ? dice->Pick<std::string_view>(kSmall)
                              : dice->Pick<std::string_view>(kOdd);
    case 'N':
      return dice->Chance(50) ? dice->Pick<std::string_view>(kSmall)
                              : dice->Pick<std::string_view>(kOdd);
    case 'F':
      return dice->Pick<std::string_view>(kFloats);
    case 'G':
      return dice->Pick<std::string_view>(kShortFloats);
    case 'f':
      return dice->Pick<std::string_view>(kScores);
    case 'b':
      return dice->Pick<std::string_view>(kScoreBounds);
    case 'x':
      return dice->Pick<std::string_view>(kMemberBounds);
    case 'w':
      return dice->Pick<std::string_view>(kSetWords);
    case 'o':
      return dice->Pick<std::string_view>(kExpireWords);
    case 'z':
      return dice->Pick<std::string_view>(kZAddWords);
    case 's':
      return dice->Pick<std::string_view>(kSides);
    case 't':
      return dice->Pick<std::string_view>(kTimeouts);
    case 'd':
      return dice->Pick<std::string_view>(kDatabases);
    case 'p':
      return dice->Pick<std::string_view>(kPatterns);
    case 'c':
      return dice->Pick<std::string_view>(kChannels);
    case 'C':
      return dice->Pick<std::string_view>(kShardChannels);
    case 'P':
      return dice->Pick<std::string_view>(kChannelPatterns);
    case '@':
      return dice->Pick<std::string_view>(kIds);
    case 'h':
      return dice->Pick<std::string_view>(kSizes);
    case 'B':
      return dice->Pick<std::string_view>(kBits);
    case 'I':
      return dice->Pick<std::string_view>(kFieldTypes);
    case 'W':
      return dice->Pick<std::string_view>(kSortPatterns);
    default:
      return dice->Pick<std::string_view>(kMinMax);
  }
}

void Append(char kind, Argv* argv, Dice* dice) {
  switch (kind) {
    case 'e':
      return AppendExpiry(argv, dice);
    case 'y':
      argv->push_back(Time(0, 1, dice));
      return;
    case 'm':
      argv->push_back(Time(0, 1000, dice));
      return;
    case 'Y':
      argv->push_back(AbsoluteTime(1, dice));
      return;
    case 'M':
      argv->push_back(AbsoluteTime(1000, dice));
      return;
    default:
      argv->emplace_back(OneOf(kind, dice));
  }
}

void AppendWord(std::string_view word, Argv* argv, Dice* dice) {
  if (!word.starts_with('%')) {
    argv->emplace_back(word);
    return;
  }
  const char suffix = word.size() == 3 ? word[2] : ' ';
  std::uint64_t count = suffix == '?' ? dice->Below(2) : suffix == ' ' ? 1 : 1 + dice->Below(3);
  if (suffix == '#') {
    argv->push_back(dice->Chance(92) ? std::to_string(count) : std::string(OneOf('N', dice)));
  }
  for (; count > 0; --count) Append(word[1], argv, dice);
}

}  // namespace

Argv Expand(std::string_view pattern, Dice* dice) {
  Argv argv;
  for (const std::string& word : ParseWords(pattern)) AppendWord(word, &argv, dice);
  return argv;
}

std::string OddArgument(Dice* dice) {
  return std::string(dice->Chance(50) ? dice->Pick<std::string_view>(kOdd)
                                      : dice->Pick<std::string_view>(kKeys));
}

}  // namespace interlock::testing
