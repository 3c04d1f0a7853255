// SPDX-License-Identifier: MIT
//
// Builds a trace for Perfetto (ui.perfetto.dev): tracks, slices and instants as TrackEvent packets
// (source: protos/perfetto/trace/track_event/*.proto of Perfetto).
//
// Guarantee: the slices of a track nest, as the format demands: a slice that would cross another
// one is put on an additional track beside it. Packets are sorted by time; packets of the same time
// are in the order of the calls. Equal calls give equal bytes. Non-guarantee: of more than
// kMostLanes slices that all cross, the rest are shown as instants at their beginnings. Thread
// safety: as any value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/protobuf.h"

namespace interlock::reports {

/// The visible content of a slice or an instant. REQUIRES: the strings are valid UTF-8.
struct PerfettoEvent {
  std::string name;
  std::string category;                                           ///< for queries; may be empty
  std::vector<std::pair<std::string, std::string>> details = {};  ///< pairs of a name and a text
  std::uint64_t flow = 0;  ///< arrows join the events of one flow by time; 0: none
  bool ends_flow = false;
};

class PerfettoTrace {
 public:
  using Process = std::uint64_t;  ///< 0: none
  using Track = std::size_t;

  /// A slice that has begun. Call End at most once for each; a slice without an End is shown as
  /// unfinished.
  struct Slice {
    Track track = 0;
    std::size_t lane = 0;
  };

  Process AddProcess(std::string_view name);
  Track AddThread(Process process, std::string_view name);
  /// A track next to the threads of the process, or belonging to no process.
  Track AddTrack(Process process, std::string_view name);

  static constexpr std::size_t kMostLanes = 64;

  /// Times are nanoseconds from the start of the trace. `ends` orders the ends of the track's
  /// slices as the calls of End will, so that slices can be placed to nest; kNever: the slice has
  /// no end.
  static constexpr std::uint64_t kNever = UINT64_MAX;
  Slice Begin(Track track, std::uint64_t time_ns, std::uint64_t ends, const PerfettoEvent& event);
  /// Uses only the details of `event`.
  void End(Slice slice, std::uint64_t time_ns, const PerfettoEvent& event);
  void Instant(Track track, std::uint64_t time_ns, const PerfettoEvent& event);

  /// The file: one message of type perfetto.protos.Trace.
  std::string Bytes() const;

 private:
  struct Lane {
    std::uint64_t uuid = 0;
    std::vector<std::uint64_t> ends;  ///< of the open slices, the innermost last
  };
  struct LaidTrack {
    std::string name;
    std::uint64_t parent = 0;
    std::vector<Lane> lanes;
  };
  struct Packet {
    std::uint64_t time_ns = 0;
    ProtoMessage event;
  };

  Track Add(std::string_view name, std::uint64_t parent, const ProtoMessage& descriptor);
  std::size_t AddLane(LaidTrack& track);
  void AddEvent(std::uint64_t type, std::uint64_t uuid, std::uint64_t time_ns,
                const PerfettoEvent& event);

  std::uint64_t last_uuid_ = 0;
  std::vector<ProtoMessage> descriptors_;
  std::vector<LaidTrack> tracks_;
  std::vector<Packet> packets_;
};

}  // namespace interlock::reports
