// SPDX-License-Identifier: MIT
#include "reports/perfetto_trace.h"

#include <algorithm>

#include <fmt/format.h>

namespace interlock::reports {
namespace {

// Trace
constexpr std::uint32_t kPacket = 1;
// TracePacket
constexpr std::uint32_t kTimestamp = 8;
constexpr std::uint32_t kSequenceId = 10;
constexpr std::uint32_t kTrackEvent = 11;
constexpr std::uint32_t kSequenceFlags = 13;
constexpr std::uint32_t kTrackDescriptor = 60;
// TrackDescriptor
constexpr std::uint32_t kUuid = 1;
constexpr std::uint32_t kTrackName = 2;
constexpr std::uint32_t kProcess = 3;
constexpr std::uint32_t kThread = 4;
constexpr std::uint32_t kParentUuid = 5;
// ProcessDescriptor
constexpr std::uint32_t kProcessPid = 1;
constexpr std::uint32_t kProcessName = 6;
// ThreadDescriptor
constexpr std::uint32_t kThreadPid = 1;
constexpr std::uint32_t kThreadTid = 2;
constexpr std::uint32_t kThreadName = 5;
// TrackEvent
constexpr std::uint32_t kDebugAnnotations = 4;
constexpr std::uint32_t kType = 9;
constexpr std::uint32_t kTrackUuid = 11;
constexpr std::uint32_t kCategories = 22;
constexpr std::uint32_t kEventName = 23;
constexpr std::uint32_t kFlowIds = 47;
constexpr std::uint32_t kTerminatingFlowIds = 48;
// TrackEvent.Type
constexpr std::uint64_t kSliceBegin = 1;
constexpr std::uint64_t kSliceEnd = 2;
constexpr std::uint64_t kInstant = 3;
// DebugAnnotation
constexpr std::uint32_t kStringValue = 6;
constexpr std::uint32_t kAnnotationName = 10;

constexpr std::uint64_t kOneSequence = 1;       // any number but 0: all packets are from one writer
constexpr std::uint64_t kNothingBeforeIt = 1;   // SEQ_INCREMENTAL_STATE_CLEARED
constexpr std::uint64_t kLargestPid = 1 << 22;  // on Linux; the type is a signed 32-bit number

ProtoMessage PacketOf(std::uint32_t field, const ProtoMessage& message) {
  ProtoMessage packet;
  packet.Varint(kSequenceId, kOneSequence);
  packet.Message(field, message);
  return packet;
}

}  // namespace

PerfettoTrace::Process PerfettoTrace::AddProcess(std::string_view name) {
  const std::uint64_t uuid = ++last_uuid_;
  ProtoMessage process;
  process.Varint(kProcessPid, uuid % kLargestPid);
  process.Bytes(kProcessName, name);
  ProtoMessage descriptor;
  descriptor.Varint(kUuid, uuid);
  descriptor.Message(kProcess, process);
  descriptors_.push_back(std::move(descriptor));
  return uuid;
}

PerfettoTrace::Track PerfettoTrace::AddThread(Process process, std::string_view name) {
  ProtoMessage thread;
  thread.Varint(kThreadPid, process % kLargestPid);
  thread.Varint(kThreadTid, (last_uuid_ + 1) % kLargestPid);
  thread.Bytes(kThreadName, name);
  ProtoMessage descriptor;
  descriptor.Varint(kUuid, last_uuid_ + 1);
  descriptor.Message(kThread, thread);
  return Add(name, last_uuid_ + 1, descriptor);
}

PerfettoTrace::Track PerfettoTrace::AddTrack(Process process, std::string_view name) {
  ProtoMessage descriptor;
  descriptor.Varint(kUuid, last_uuid_ + 1);
  descriptor.Bytes(kTrackName, name);
  if (process != 0) descriptor.Varint(kParentUuid, process);
  return Add(name, process, descriptor);
}

PerfettoTrace::Track PerfettoTrace::Add(std::string_view name, std::uint64_t parent,
                                        const ProtoMessage& descriptor) {
  descriptors_.push_back(descriptor);
  tracks_.push_back({std::string(name), parent, {{++last_uuid_, {}}}});
  return tracks_.size() - 1;
}

std::size_t PerfettoTrace::AddLane(LaidTrack& track) {
  ProtoMessage descriptor;
  descriptor.Varint(kUuid, ++last_uuid_);
  descriptor.Bytes(kTrackName, fmt::format("{} ({})", track.name, track.lanes.size() + 1));
  if (track.parent != 0) descriptor.Varint(kParentUuid, track.parent);
  descriptors_.push_back(std::move(descriptor));
  track.lanes.push_back({last_uuid_, {}});
  return track.lanes.size() - 1;
}

PerfettoTrace::Slice PerfettoTrace::Begin(Track track, std::uint64_t time_ns, std::uint64_t ends,
                                          const PerfettoEvent& event) {
  std::vector<Lane>& lanes = tracks_[track].lanes;
  const auto holds = [ends](const Lane& lane) {
    return lane.ends.empty() || lane.ends.back() >= ends;
  };
  const auto found = std::find_if(lanes.begin(), lanes.end(), holds);
  if (found == lanes.end() && lanes.size() == kMostLanes) {
    Instant(track, time_ns, event);
    return {track, kMostLanes};
  }
  const std::size_t lane = found != lanes.end() ? static_cast<std::size_t>(found - lanes.begin())
                                                : AddLane(tracks_[track]);
  lanes[lane].ends.push_back(ends);
  AddEvent(kSliceBegin, lanes[lane].uuid, time_ns, event);
  return {track, lane};
}

void PerfettoTrace::End(Slice slice, std::uint64_t time_ns, const PerfettoEvent& event) {
  if (slice.lane == kMostLanes) return;
  Lane& lane = tracks_[slice.track].lanes[slice.lane];
  lane.ends.pop_back();
  AddEvent(kSliceEnd, lane.uuid, time_ns, {"", "", event.details});
}

void PerfettoTrace::Instant(Track track, std::uint64_t time_ns, const PerfettoEvent& event) {
  AddEvent(kInstant, tracks_[track].lanes.front().uuid, time_ns, event);
}

void PerfettoTrace::AddEvent(std::uint64_t type, std::uint64_t uuid, std::uint64_t time_ns,
                             const PerfettoEvent& event) {
  ProtoMessage message;
  for (const auto& [name, text] : event.details) {
    ProtoMessage annotation;
    annotation.Bytes(kStringValue, text);
    annotation.Bytes(kAnnotationName, name);
    message.Message(kDebugAnnotations, annotation);
  }
  message.Varint(kType, type);
  message.Varint(kTrackUuid, uuid);
  if (!event.category.empty()) message.Bytes(kCategories, event.category);
  if (!event.name.empty()) message.Bytes(kEventName, event.name);
  if (event.flow != 0) {
    message.Fixed64(event.ends_flow ? kTerminatingFlowIds : kFlowIds, event.flow);
  }
  packets_.push_back({time_ns, std::move(message)});
}

std::string PerfettoTrace::Bytes() const {
  ProtoMessage trace;
  bool first = true;
  for (const ProtoMessage& descriptor : descriptors_) {
    ProtoMessage packet = PacketOf(kTrackDescriptor, descriptor);
    if (first) packet.Varint(kSequenceFlags, kNothingBeforeIt);
    first = false;
    trace.Message(kPacket, packet);
  }
  std::vector<const Packet*> sorted;
  for (const Packet& packet : packets_) sorted.push_back(&packet);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Packet* a, const Packet* b) { return a->time_ns < b->time_ns; });
  for (const Packet* one : sorted) {
    ProtoMessage packet = PacketOf(kTrackEvent, one->event);
    packet.Varint(kTimestamp, one->time_ns);
    trace.Message(kPacket, packet);
  }
  return trace.bytes();
}

}  // namespace interlock::reports
