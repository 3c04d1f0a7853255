// SPDX-License-Identifier: MIT
//
// The effects of commands, in order: what Redis writes to its replicas and to its append-only file.
// Effects are commands that do the same at any later time: SET with PXAT instead of SETEX, DEL for
// an expiry, LPOP for a served BLPOP (Redis' "effects replication", the only kind since 7.0).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

struct Effect {
  int database = 0;
  Argv argv;
};

/// The effects of one command, script or transaction: applied as a whole or not at all.
struct Unit {
  std::vector<Effect> effects;
  std::int64_t end_offset = 0;  ///< Bytes of the stream up to and including this unit.
  /// The append-only file does not get PING and REPLCONF; links do not get a replica's own writes.
  enum class Readers : std::uint8_t { kAll, kLinks, kFile };
  Readers readers = Readers::kAll;
};

class Journal {
 public:
  /// Without a reader nothing is kept and offsets do not move.
  void SetActive(bool active) { active_ = active; }
  bool active() const { return active_; }
  /// While muted, effects are dropped: for redis.set_repl(redis.REPL_NONE), and for effects already
  /// contained in another server's unit.
  void SetMuted(bool muted) { muted_ = muted; }
  void Reset();

  /// Adds to the open unit.
  void Add(int database, std::span<const std::string_view> argv);
  void EndUnit();
  /// For a replica, whose stream is its master's: its own effects go to the append-only file only.
  void SetStreamIsForeign(bool foreign) { stream_is_foreign_ = foreign; }
  /// Appends a unit of another server's journal unchanged.
  void Append(const Unit& unit);
  /// Adds a unit of its own that only the ends of replication links read.
  void AddLinkCommand(std::initializer_list<std::string_view> argv);
  /// Makes the next effect name its database, even if unchanged.
  void ForgetDatabase() { last_database_ = -1; }

  /// Bytes of the stream so far, closed units only, counted as Redis does (RESP of each effect,
  /// SELECT where the database changes, MULTI and EXEC around more than one).
  std::int64_t offset() const { return offset_; }
  /// Commands in the units so far, MULTI and EXEC included.
  std::int64_t commands() const { return commands_; }
  void CountCommand() { ++commands_; }
  /// Continues counting from this offset.
  void StartStream(std::int64_t offset) { offset_ = offset; }

  /// Units [first_index, end_index) are kept; readers remember the index they have read up to.
  std::uint64_t first_index() const { return first_index_; }
  std::uint64_t end_index() const { return first_index_ + units_.size(); }
  const Unit& unit(std::uint64_t index) const {
    return units_[static_cast<std::size_t>(index - first_index_)];
  }
  /// No reader needs the units before `index` any more.
  void TrimBefore(std::uint64_t index);
  /// Keeps all units, for an owner that reads the journal directly.
  void KeepAll() { keep_all_ = true; }

 private:
  bool active_ = false;
  bool muted_ = false;
  bool keep_all_ = false;
  bool stream_is_foreign_ = false;
  Unit open_;
  std::deque<Unit> units_;
  std::uint64_t first_index_ = 0;
  std::int64_t offset_ = 0;
  std::int64_t commands_ = 0;
  int last_database_ = -1;
};

}  // namespace interlock::sim::redis
