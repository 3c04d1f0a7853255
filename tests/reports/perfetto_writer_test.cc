// SPDX-License-Identifier: MIT
//
// Traces for Perfetto, read back by protoc: names and numbers of fields, nesting, order, arrows.
#include "reports/perfetto_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "golden.h"
#include "pipe.h"
#include "report_samples.h"
#include "reports/protobuf.h"

namespace interlock::reports {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

std::string Decode(const std::string& trace) {
  return Pipe(INTERLOCK_PROTOC " --decode=perfetto.protos.Trace -I " INTERLOCK_PROTO_DIR
                               " perfetto.proto",
              trace);
}

/// A string as protoc shows it: bytes outside of ASCII as octal numbers.
std::string Unescaped(const std::string& shown) {
  std::string text;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown[i] != '\\') {
      text += shown[i];
    } else if (shown[i + 1] >= '0' && shown[i + 1] <= '3') {
      text += static_cast<char>(std::stoi(shown.substr(i + 1, 3), nullptr, 8));
      i += 3;
    } else {
      text += shown[++i];
    }
  }
  return text;
}

/// The fields of one packet by their path, "track_event.type", in order.
using Packet = std::map<std::string, std::vector<std::string>>;

std::vector<Packet> PacketsOf(const std::string& decoded) {
  std::vector<Packet> packets;
  std::vector<std::string> path;
  std::istringstream lines(decoded);
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (line == "}") {
      path.pop_back();
    } else if (line.ends_with(" {")) {
      path.push_back(line.substr(0, line.size() - 2));
      if (path.size() == 1) packets.emplace_back();
    } else {
      std::string name;
      for (std::size_t i = 1; i < path.size(); ++i) name += path[i] + ".";
      std::string value = line.substr(line.find(": ") + 2);
      if (value.starts_with('"')) value = Unescaped(value.substr(1, value.size() - 2));
      packets.back()[name + line.substr(0, line.find(": "))].push_back(value);
    }
  }
  return packets;
}

std::string One(const Packet& packet, const std::string& field) {
  const auto found = packet.find(field);
  return found == packet.end() || found->second.empty() ? "" : found->second.front();
}

/// What protoc sees of a case.
class Trace {
 public:
  explicit Trace(const Counterexample& example) : text_(Decode(ToPerfetto(example))) {
    for (const Packet& packet : PacketsOf(text_)) {
      const std::string uuid = One(packet, "track_descriptor.uuid");
      if (uuid.empty()) {
        events_.push_back(packet);
        continue;
      }
      for (const char* name : {"name", "process.process_name", "thread.thread_name"}) {
        const std::string given = One(packet, std::string("track_descriptor.") + name);
        if (!given.empty()) tracks_[uuid] = given;
      }
    }
  }

  const std::string& text() const { return text_; }
  const std::map<std::string, std::string>& tracks() const { return tracks_; }
  const std::vector<Packet>& events() const { return events_; }

  /// Of one track, in order: "+" what begins, "-" an end, "." an instant; with "@" the time.
  std::vector<std::string> On(const std::string& track) const {
    std::vector<std::string> seen;
    for (const Packet& event : events_) {
      if (tracks_.at(One(event, "track_event.track_uuid")) != track) continue;
      const std::string type = One(event, "track_event.type");
      const std::string mark = type == "TYPE_SLICE_BEGIN" ? "+"
                               : type == "TYPE_INSTANT"   ? "."
                                                          : "-";
      seen.push_back(mark + One(event, "track_event.name") + "@" + One(event, "timestamp"));
    }
    return seen;
  }

  /// Empty: every end closes what the same track has open, and time never goes back.
  std::string Disorder() const {
    std::map<std::string, int> open;
    std::uint64_t last = 0;
    for (const Packet& event : events_) {
      const std::uint64_t time = std::stoull(One(event, "timestamp"));
      if (time < last) return "time goes back at " + std::to_string(time);
      last = time;
      const std::string uuid = One(event, "track_event.track_uuid");
      if (!tracks_.contains(uuid)) return "no track " + uuid;
      const std::string type = One(event, "track_event.type");
      if (type == "TYPE_SLICE_BEGIN") ++open[uuid];
      if (type == "TYPE_SLICE_END" && --open[uuid] < 0) return "an end of nothing on " + uuid;
    }
    return "";
  }

 private:
  std::string text_;
  std::map<std::string, std::string> tracks_;  ///< names by uuid
  std::vector<Packet> events_;
};

TEST(ProtobufTest, ProtocReadsEachLayoutAtItsLimits) {
  ProtoMessage inner;
  inner.Varint(1, 0);
  inner.Varint(2, 127);
  inner.Varint(3, 128);
  ProtoMessage message;
  message.Varint(1, UINT64_MAX);
  message.Fixed64(15, UINT64_MAX);
  message.Fixed64(16, 1);
  message.Bytes(2047, "text");
  message.Bytes(2048, std::string(300, '~'));
  message.Message((1U << 29) - 1, inner);
  EXPECT_EQ(Pipe(INTERLOCK_PROTOC " --decode_raw", message.bytes()),
            "1: 18446744073709551615\n15: 0xffffffffffffffff\n16: 0x0000000000000001\n"
            "2047: \"text\"\n2048: \"" +
                std::string(300, '~') + "\"\n536870911 {\n  1: 0\n  2: 127\n  3: 128\n}\n");
}

TEST(PerfettoTest, ACaseAsProtocReadsIt) {
  ExpectApproved("exchange.approved.pftrace.txt", Trace(Exchange()).text());
}

TEST(PerfettoTest, NoFieldIsUnknownToTheFormat) {
  for (const Counterexample& example : {Exchange(), ForeignRelease()}) {
    for (const Packet& packet : PacketsOf(Trace(example).text())) {
      for (const auto& [field, values] : packet) {
        const std::string last = field.substr(field.rfind('.') + 1);
        EXPECT_EQ(last.find_first_of("0123456789"), std::string::npos) << field;
      }
    }
  }
}

TEST(PerfettoTest, TheTracksAreClientsServersFaultsAndTheViolation) {
  const Trace trace(Exchange());
  std::vector<std::string> names;
  for (const auto& [uuid, name] : trace.tracks()) names.push_back(name);
  EXPECT_THAT(names, UnorderedElementsAre("violation", "faults", "clients", "C1", "C2", "C2 (2)",
                                          "C1 believes it holds", "C2 believes it holds", "redis",
                                          "redis", "server owner of k", "server owner of k (2)"))
      << "the process and its only server have one name";
}

TEST(PerfettoTest, SlicesOfATrackNest) {
  for (const Counterexample& example : {Exchange(), ForeignRelease()}) {
    EXPECT_EQ(Trace(example).Disorder(), "");
  }
}

// All of the first client's happens at 0 ns: only the order says what is inside of what.
TEST(PerfettoTest, WhatHappensAtOneInstantKeepsItsOrder) {
  EXPECT_THAT(Trace(Exchange()).On("C1"), ElementsAre("+acquire (try)@0", "+SET k a ▸@0", ".◂ OK@0",
                                                      "-@0", "-@0", "+section@0", "-@1000"));
}

TEST(PerfettoTest, TwoCommandsAtOnceStandBesideEachOther) {
  const Trace trace(Exchange());
  EXPECT_THAT(trace.On("C2"),
              ElementsAre("+acquire (wait-for)@200", "+GET k ▸@200", ".◂ a@350", "-@350",
                          ".◂ OK@500", "-@500", "+section@500", ".PING ▸@600", ".GET k ▸@700"));
  EXPECT_THAT(trace.On("C2 (2)"), ElementsAre("+SET k b ▸@250", "-@500"));
}

TEST(PerfettoTest, AtEqualTimesABeliefEndsBeforeTheNextBegins) {
  const Trace trace(Exchange());
  EXPECT_THAT(trace.On("C1 believes it holds"),
              ElementsAre("+C1@0", "-@400", "+C1@400", "+C1@400", "-@400", "-@900"));
  EXPECT_THAT(trace.On("C2 believes it holds"), ElementsAre("+C2@500"));
  EXPECT_THAT(trace.On("server owner of k"), ElementsAre("+C1@0", "-@460"));
  EXPECT_THAT(trace.On("server owner of k (2)"), ElementsAre("+C2@450"));
}

TEST(PerfettoTest, FaultsAndTheViolationHaveTheirOwnTracks) {
  const Trace trace(Exchange());
  EXPECT_THAT(trace.On("faults"), ElementsAre("+C1: FAULT pause 900 ns@100", "-@1000"));
  EXPECT_THAT(trace.On("violation"), ElementsAre(".LK003 section-exclusion@500"));
  const auto marked = std::find_if(trace.events().begin(), trace.events().end(), [](auto& event) {
    return One(event, "track_event.categories") == "violation";
  });
  ASSERT_NE(marked, trace.events().end());
  EXPECT_THAT(marked->at("track_event.debug_annotations.string_value"),
              IsSupersetOf({Exchange().title, Exchange().sentence, Exchange().replay}));
}

TEST(PerfettoTest, ArrowsLeadFromACommandToItsExecutionAndItsReply) {
  std::map<std::string, std::vector<std::string>> flows;  // categories by flow, in order
  const Trace trace(Exchange());
  for (const Packet& event : trace.events()) {
    for (const char* field : {"track_event.flow_ids", "track_event.terminating_flow_ids"}) {
      const std::string flow = One(event, field);
      if (!flow.empty()) flows[flow].push_back(One(event, "track_event.categories"));
    }
  }
  EXPECT_THAT(flows["1"], ElementsAre("command", "execution", "reply"));
  EXPECT_THAT(flows["2"], ElementsAre("command", "execution", "reply"));
  EXPECT_THAT(flows["3"], ElementsAre("command", "execution", "reply"));
  EXPECT_THAT(flows["4"], ElementsAre("command")) << "the request was lost";
  EXPECT_THAT(flows["5"], ElementsAre("command", "execution")) << "the reply was lost";
  EXPECT_THAT(flows, SizeIs(5));
}

TEST(PerfettoTest, ManySlicesThatAllCrossAreInstantsInTheEnd) {
  Counterexample example = Exchange();
  example.rows.clear();
  example.stretches.clear();
  for (int i = 0; i < 100; ++i) {
    example.stretches.push_back({StretchKind::kOwner, 0, "k", i, 1000 + i});
  }
  const Trace trace(example);
  EXPECT_EQ(trace.Disorder(), "");
  EXPECT_THAT(trace.tracks(), SizeIs(4 + 3 + 64));
}

TEST(PerfettoTest, WhatAFileMayHoldThatNoRunGives) {
  Counterexample example = Exchange();
  example.columns.clear();
  std::reverse(example.rows.begin(), example.rows.end());
  example.rows.front().time_ns = INT64_MIN;
  example.rows.back().time_ns = INT64_MAX;
  example.stretches.push_back({StretchKind::kBelief, 7, "k", 10, 5});
  EXPECT_EQ(Trace(example).Disorder(), "");
  EXPECT_THAT(Trace(Counterexample{}).events(), IsEmpty());
}

TEST(PerfettoTest, HostileTextIsTextAndShort) {
  std::string huge = HostileText();
  while (huge.size() < 1'000'000) huge += HostileText();
  for (const std::string& hostile : {HostileText(), std::string("::error::owned"), huge}) {
    const std::string trace = ToPerfetto(HostileCounterexample(hostile));
    EXPECT_LT(trace.size(), 60'000U);
    const std::string decoded = Decode(trace);
    EXPECT_THAT(PacketsOf(decoded),
                SizeIs(PacketsOf(Decode(ToPerfetto(HostileCounterexample("x")))).size()));
    EXPECT_THAT(decoded, Not(HasSubstr("\\000"))) << "no control character, not even escaped";
    EXPECT_THAT(decoded, Not(HasSubstr("\\033")));
  }
}

}  // namespace
}  // namespace interlock::reports
