// SPDX-License-Identifier: MIT
//
// Builds a trace for Perfetto (ui.perfetto.dev): tracks, slices and instants as TrackEvent packets
// (source: protos/perfetto/trace/track_event/*.proto of Perfetto).
//
// Guarantee: the slices of a track nest, as the format demands: what would cross another one is
// laid on a further track beside it. Packets are sorted by time; those of one time stand in the
// order of the calls. Equal calls give equal bytes. Non-guarantee: of more than kMostLanes slices
// that all cross, the rest are shown as the instants at which they begin. Thread safety: as any
// value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/protobuf.h"

namespace interlock::reports {

/// What is shown of a slice or an instant. Strings: valid UTF-8.
struct PerfettoEvent {
  std::string name;
  std::string category;                                           ///< for queries; may be empty
  std::vector<std::pair<std::string, std::string>> details = {};  ///< name and text
  std::uint64_t flow = 0;  ///< arrows join the events of one flow by time; 0: none
  bool ends_flow = false;
};

class PerfettoTrace {
 public:
  using Process = std::uint64_t;  ///< 0: none
  using Track = std::size_t;

  /// A slice that has begun. At most one End for each; a slice without one is shown as unended.
  struct Slice {
    Track track = 0;
    std::size_t lane = 0;
  };

  Process AddProcess(std::string_view name);
  Track AddThread(Process process, std::string_view name);
  /// Beside the threads of the process, or of no process.
  Track AddTrack(Process process, std::string_view name);

  static constexpr std::size_t kMostLanes = 64;

  /// Times: nanoseconds from the start of the trace. `ends`: a number by which the ends of the
  /// track's slices stand in the order of the calls of End, so that they can be laid to nest;
  /// kNever: it has no end.
  static constexpr std::uint64_t kNever = UINT64_MAX;
  Slice Begin(Track track, std::uint64_t time_ns, std::uint64_t ends, const PerfettoEvent& event);
  /// Of `event` only the details count.
  void End(Slice slice, std::uint64_t time_ns, const PerfettoEvent& event);
  void Instant(Track track, std::uint64_t time_ns, const PerfettoEvent& event);

  /// The file: one message of type perfetto.protos.Trace.
  std::string Bytes() const;

 private:
  struct Lane {
    std::uint64_t uuid = 0;
    std::vector<std::uint64_t> ends;  ///< of what is open, the innermost last
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
