// SPDX-License-Identifier: MIT
#include "sim/redis/resp.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/reply.h"

namespace interlock::sim::redis {
namespace {

using namespace std::string_literals;
using Outcome = RequestParser::Outcome;

// Every command as one line, then how it ended: "more", "close" or the error.
std::vector<std::string> Drain(RequestParser* parser, bool authenticated = true) {
  std::vector<std::string> seen;
  for (;;) {
    switch (parser->Next(authenticated)) {
      case Outcome::kCommand:
        seen.push_back(ToText(parser->command()));
        break;
      case Outcome::kNeedMore:
        return seen;
      case Outcome::kProtocolError:
        seen.push_back("-" + parser->error());
        return seen;
      case Outcome::kClose:
        seen.push_back("close");
        return seen;
    }
  }
}

std::vector<std::string> Parsed(std::string_view bytes, bool authenticated = true) {
  RequestParser parser;
  parser.Feed(bytes);
  return Drain(&parser, authenticated);
}

using Lines = std::vector<std::string>;

std::string ProtocolError(const std::string& what) { return "-ERR Protocol error: " + what; }

TEST(RequestParserTest, ReadsPipelinedCommandsOfBothKinds) {
  EXPECT_EQ(Parsed("*2\r\n$3\r\nGET\r\n$1\r\nk\r\nPING\r\n*1\r\n$4\r\nTIME\r\n"),
            (Lines{"GET k", "PING", "TIME"}));
}

TEST(RequestParserTest, ArgumentsAreBinarySafe) {
  EXPECT_EQ(Parsed("*2\r\n$4\r\nECHO\r\n$4\r\n\0\r\n*\r\n"s), (Lines{"ECHO \"\\x00\\r\\n*\""}));
}

TEST(RequestParserTest, BytesBehindAnArgumentAreSkippedUnseen) {
  EXPECT_EQ(Parsed("*1\rX$4\rXPINGab"), (Lines{"PING"}));
}

TEST(RequestParserTest, EmptyRequestsAreIgnored) {
  EXPECT_EQ(Parsed("\r\n\n  \r\n*0\r\n*-1\r\n*-7\r\nPING\n"), (Lines{"PING"}));
}

TEST(RequestParserTest, AnEmptyNameIsACommand) {
  EXPECT_EQ(Parsed("*1\r\n$0\r\n\r\n\"\"\r\n"), (Lines{"\"\"", "\"\""}));
}

TEST(RequestParserTest, InlineCommandsHaveQuotesAndEscapes) {
  EXPECT_EQ(Parsed("ECHO \"\\x41\\n\\q\\x4\" 'a\\'b\\n' c\"d\"\t \"\"\r\n"),
            (Lines{"ECHO \"A\\nqx4\" \"a'b\\\\n\" cd \"\""}));
}

TEST(RequestParserTest, AVerticalTabLeadsButDoesNotEndAWord) {
  EXPECT_EQ(Parsed("\vECHO a\fb \f c\n"), (Lines{"ECHO \"a\\x0cb\" c"}));
}

TEST(RequestParserTest, UnbalancedQuotesAreAnError) {
  for (const char* line : {"\"a\n", "'a\n", "\"a\"b\n", "'a'b\n", "\"a\\\n", "a\"\n"}) {
    EXPECT_EQ(Parsed(line), (Lines{ProtocolError("unbalanced quotes in request")})) << line;
  }
}

TEST(RequestParserTest, ANulHidesTheEndOfItsLine) {
  RequestParser parser;
  parser.Feed("PI\0NG\r\nPING\r\n"s);
  EXPECT_EQ(Drain(&parser), Lines{});
  parser.Feed(std::string(70000, '\n'));
  EXPECT_EQ(Drain(&parser), Lines{ProtocolError("too big inline request")});
}

TEST(RequestParserTest, MalformedCountsAndLengthsAreErrors) {
  for (const char* count :
       {"", "abc", "01", "+1", "-0", "1 ", "2147483648", "99999999999999999999"})
    EXPECT_EQ(Parsed("*"s + count + "\r\n"), Lines{ProtocolError("invalid multibulk length")});
  for (const char* length : {"", "-1", "x", "536870913"})
    EXPECT_EQ(Parsed("*1\r\n$"s + length + "\r\n"), Lines{ProtocolError("invalid bulk length")});
  EXPECT_EQ(Parsed("*1\r\n:4\r\n"), Lines{ProtocolError("expected '$', got ':'")});
  EXPECT_EQ(Parsed("*1\r\n\r\n"), Lines{ProtocolError("expected '$', got ' '")});
}

TEST(RequestParserTest, CommandsInFrontOfAnErrorAreStillRead) {
  EXPECT_EQ(Parsed("PING\r\n*x\r\nPING\r\n"),
            (Lines{"PING", ProtocolError("invalid multibulk length")}));
}

TEST(RequestParserTest, AnErrorIsFinal) {
  RequestParser parser;
  parser.Feed("*x\r\n");
  EXPECT_EQ(parser.Next(true), Outcome::kProtocolError);
  parser.Feed("PING\r\n");
  EXPECT_EQ(parser.Next(true), Outcome::kProtocolError);
}

TEST(RequestParserTest, LinesOfMoreThan64KiBAreErrors) {
  const std::string longest(65536, 'a');
  EXPECT_EQ(Parsed(longest + "\nPING\n").back(), "PING");
  EXPECT_EQ(Parsed(longest), Lines{});
  EXPECT_EQ(Parsed(longest + "a"), Lines{ProtocolError("too big inline request")});
  EXPECT_EQ(Parsed("*" + longest), Lines{ProtocolError("too big mbulk count string")});
  EXPECT_EQ(Parsed("*1\r\n$" + longest), Lines{ProtocolError("too big bulk count string")});
}

TEST(RequestParserTest, AnUnauthenticatedClientHasNarrowLimits) {
  EXPECT_EQ(Parsed("*11\r\n", false), Lines{ProtocolError("unauthenticated multibulk length")});
  EXPECT_EQ(Parsed("*10\r\n", false), Lines{});
  EXPECT_EQ(Parsed("*1\r\n$16385\r\n", false), Lines{ProtocolError("unauthenticated bulk length")});
  EXPECT_EQ(Parsed("*1\r\n$16384\r\n", false), Lines{});
}

TEST(RequestParserTest, AuthenticationCountsFromTheNextCommandOn) {
  RequestParser parser;
  parser.Feed("AUTH secret\r\n*11\r\n");
  EXPECT_EQ(parser.Next(false), Outcome::kCommand);
  EXPECT_EQ(parser.Next(true), Outcome::kNeedMore);
}

TEST(RequestParserTest, HttpRequestsAreHungUpOn) {
  EXPECT_EQ(Parsed("POST / HTTP/1.1\r\nPING\r\n"), Lines{"close"});
  EXPECT_EQ(Parsed("hOsT: here\r\n"), Lines{"close"});
  EXPECT_EQ(Parsed("*1\r\n$6\r\npost\0a\r\n"s), Lines{"close"});
  EXPECT_EQ(Parsed("*1\r\n$4\r\nHOST\r\nPOSTS\r\n"), (Lines{"HOST", "POSTS"}));
}

// One byte at a time.
Lines ParsedByValkey9(std::string_view bytes) {
  RequestParser parser;
  parser.SetDialect(*FindDialect("valkey-9.1"));
  Lines lines;
  for (const char byte : bytes) {
    parser.Feed({&byte, 1});
    Outcome outcome = parser.Next(true);
    for (; outcome == Outcome::kCommand; outcome = parser.Next(true)) {
      std::string line;
      for (const std::string& word : parser.command()) line += (line.empty() ? "" : " ") + word;
      lines.push_back(line);
    }
    if (outcome != Outcome::kNeedMore) {
      lines.push_back(parser.error());
      break;
    }
  }
  return lines;
}

TEST(RequestParserTest, Valkey9JoinsTheQuotedPartsOfAWord) {
  EXPECT_EQ(Parsed("echo a\"b\"c\r\n"), Lines{ProtocolError("unbalanced quotes in request")});
  EXPECT_EQ(ParsedByValkey9("echo \"\"\"tes\"t-'k'e\"y\" a'b\\'c'\r\n"),
            Lines{"echo test-key ab'c"});
  EXPECT_EQ(ParsedByValkey9("echo a'b\r\n"),
            Lines{"ERR Protocol error: unbalanced quotes in request"});
}

TEST(RequestParserTest, Valkey9ChecksTheEndsOfLines) {
  const Lines refused = {"ERR Protocol error: invalid CRLF in request"};
  for (const char* bytes : {"*1\rx$4\r\nPING\r\n", "*1\r\n$4\rxPING\r\n", "*1\r\n$4\r\nPINGx\n",
                            "*1\r\n$4\r\nPING\rx", "*1\r\n$4\r\nPINGS\r\n", "*0\rx"}) {
    EXPECT_EQ(ParsedByValkey9(bytes), refused) << bytes;
  }
  EXPECT_EQ(Parsed("*1\rx$4\rxPINGxx"), Lines{"PING"});
  EXPECT_EQ(ParsedByValkey9("*1\r\n$4\r\nPING\r\n*1\r\n$0\r\n\r\n"), (Lines{"PING", ""}));
}

TEST(RequestParserTest, AFullQueryBufferIsHungUpOn) {
  RequestParser parser({.query_buffer = 100});
  parser.Feed("*1\r\n$500\r\n" + std::string(60, 'a'));
  EXPECT_EQ(parser.Next(true), Outcome::kNeedMore);
  EXPECT_EQ(parser.buffered(), 60u);
  parser.Feed(std::string(40, 'a'));
  EXPECT_EQ(parser.Next(true), Outcome::kNeedMore);
  parser.Feed("a");
  EXPECT_EQ(parser.Next(true), Outcome::kClose);
}

TEST(RequestParserTest, TheLongestArgumentCanBeSet) {
  RequestParser parser({.bulk_length = 3});
  parser.Feed("*2\r\n$3\r\nGET\r\n$4\r\n");
  EXPECT_EQ(Drain(&parser), Lines{ProtocolError("invalid bulk length")});
}

TEST(RequestParserTest, PiecesOfAnySizeGiveTheSameCommands) {
  const std::string bytes =
      "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n\r\nECHO \"a b\"\r\n*2\r\n$4\r\nECHO\r\n$12\r\n"
      "twelve bytes\r\n*0\r\n*1\r\n$4\r\nPING\r\n*1\r\n!";
  const Lines whole = Parsed(bytes);
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    RequestParser parser;
    Lines seen;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      parser.Feed(std::string_view(bytes).substr(at, size));
      for (std::string& line : Drain(&parser)) seen.push_back(std::move(line));
    }
    EXPECT_EQ(seen, whole) << size;
  }
}

// Were anything looked at or moved again for each piece, this would take hours.
TEST(RequestParserTest, ALongArgumentInSmallPiecesTakesLinearTime) {
  constexpr std::size_t kLength = std::size_t{64} << 20;
  RequestParser parser;
  parser.Feed("*2\r\n$4\r\nECHO\r\n$" + std::to_string(kLength) + "\r\n");
  const std::string piece(64, 'x');
  for (std::size_t sent = 0; sent < kLength; sent += piece.size()) {
    parser.Feed(piece);
    ASSERT_EQ(parser.Next(true), Outcome::kNeedMore);
  }
  parser.Feed("\r\n");
  ASSERT_EQ(parser.Next(true), Outcome::kCommand);
  EXPECT_EQ(parser.command()[1].size(), kLength);
}

TEST(RequestParserTest, AnnouncedSizesTakeNoMemory) {
  RequestParser parser;
  parser.Feed("*1000000000\r\n$536870912\r\nabc");
  EXPECT_EQ(parser.Next(true), Outcome::kNeedMore);
  EXPECT_LT(parser.command().capacity(), 1000u);
  EXPECT_LT(parser.command()[0].capacity(), 1000u);
}

std::string Encoded(const Value& value, int version) {
  std::string out;
  AppendReply(value, version, &out);
  return out;
}

Value BigNumber(std::string_view digits) { return TextValue(Value::Type::kBigNumber, digits); }

TEST(AppendReplyTest, BothVersionsShareTheTypesOfResp2) {
  for (const int version : {2, 3}) {
    EXPECT_EQ(Encoded(StatusValue("OK"), version), "+OK\r\n");
    EXPECT_EQ(Encoded(ErrorValue("ERR no"), version), "-ERR no\r\n");
    EXPECT_EQ(Encoded(IntegerValue(INT64_MIN), version), ":-9223372036854775808\r\n");
    EXPECT_EQ(Encoded(StringValue("a\r\nb\0"s), version), "$5\r\na\r\nb\0\r\n"s);
    EXPECT_EQ(Encoded(ArrayValue(), version), "*0\r\n");
    EXPECT_EQ(Encoded(ArrayValue({StringValue(""), ArrayValue({IntegerValue(1)})}), version),
              "*2\r\n$0\r\n\r\n*1\r\n:1\r\n");
  }
}

TEST(AppendReplyTest, Resp3HasTypesThatResp2Downgrades) {
  struct Row {
    Value value;
    std::string resp2;
    std::string resp3;
  };
  const Value pair = StringValue("k");
  for (const Row& row : std::vector<Row>{
           {NilValue(), "$-1\r\n", "_\r\n"},
           {NilArrayValue(), "*-1\r\n", "_\r\n"},
           {BooleanValue(true), ":1\r\n", "#t\r\n"},
           {BooleanValue(false), ":0\r\n", "#f\r\n"},
           {DoubleValue("0.5"), "$3\r\n0.5\r\n", ",0.5\r\n"},
           {DoubleValue("-inf"), "$4\r\n-inf\r\n", ",-inf\r\n"},
           {BigNumber("12345678901234567890"), "$20\r\n12345678901234567890\r\n",
            "(12345678901234567890\r\n"},
           {VerbatimValue("text"), "$4\r\ntext\r\n", "=8\r\ntxt:text\r\n"},
           {MapValue({pair, IntegerValue(1)}), "*2\r\n$1\r\nk\r\n:1\r\n",
            "%1\r\n$1\r\nk\r\n:1\r\n"},
           {SetValue({pair}), "*1\r\n$1\r\nk\r\n", "~1\r\n$1\r\nk\r\n"},
           {PushValue({pair, NilValue()}), "*2\r\n$1\r\nk\r\n$-1\r\n", ">2\r\n$1\r\nk\r\n_\r\n"},
       }) {
    EXPECT_EQ(Encoded(row.value, 2), row.resp2);
    EXPECT_EQ(Encoded(row.value, 3), row.resp3);
    // What is downgraded on the way out is what ToResp2 makes of it.
    Value downgraded = row.value;
    ToResp2(&downgraded);
    EXPECT_EQ(Encoded(downgraded, 2), row.resp2);
  }
}

TEST(ReplyParserTest, ReadsBackWhatWasSentInPiecesOfAnySize) {
  const Value sent = ArrayValue(
      {StatusValue("OK"), ErrorValue("ERR no"), IntegerValue(-7), StringValue("a\r\nb"), NilValue(),
       BooleanValue(true), DoubleValue("0.5"), BigNumber("123"), VerbatimValue("v"), ArrayValue(),
       MapValue({StringValue("k"), SetValue({IntegerValue(1), MapValue()})}), StringValue("")});
  std::string bytes;
  AppendReply(sent, 3, &bytes);
  AppendReply(PushValue({StringValue("message")}), 3, &bytes);
  AppendReply(NilArrayValue(), 2, &bytes);
  const std::vector<Value> expected = {sent, PushValue({StringValue("message")}), NilArrayValue()};
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    ReplyParser parser;
    std::vector<Value> read;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      parser.Feed(std::string_view(bytes).substr(at, size));
      while (std::optional<Value> value = parser.Next()) read.push_back(std::move(*value));
    }
    EXPECT_EQ(read, expected) << size;
    EXPECT_FALSE(parser.HasBytes());
    EXPECT_FALSE(parser.malformed());
  }
}

TEST(ReplyParserTest, MalformedRepliesAreSaidToBeSo) {
  for (const char* bytes : {"x\r\n", "\r\n", ":a\r\n", "$-2\r\n", "*x\r\n", "#x\r\n", "_1\r\n",
                            "=3\r\nabc\r\n", "*1\r\n?\r\n"}) {
    ReplyParser parser;
    parser.Feed(bytes);
    EXPECT_EQ(parser.Next(), std::nullopt);
    EXPECT_TRUE(parser.malformed()) << bytes;
  }
}

TEST(AppendCommandTest, IsReadBackByTheServer) {
  const Argv argv = {"SET", "k\0\r\n"s, ""};
  std::string bytes;
  AppendCommand(argv, &bytes);
  EXPECT_EQ(bytes, "*3\r\n$3\r\nSET\r\n$4\r\nk\0\r\n\r\n$0\r\n\r\n"s);
  RequestParser parser;
  parser.Feed(bytes);
  ASSERT_EQ(parser.Next(true), Outcome::kCommand);
  EXPECT_EQ(parser.command(), argv);
}

}  // namespace
}  // namespace interlock::sim::redis
