// SPDX-License-Identifier: MIT
//
// How far a server knows its append-only file to be on disk: what WAITAOF asks for, and what a
// replica tells its master (REPLCONF ACK ... FACK). What the kernel writes back by itself does not
// count, because nobody tells the server.
#pragma once

#include <cstdint>

namespace interlock::sim::redis {

/// The end of a unit of the journal.
struct JournalPosition {
  std::uint64_t unit = 0;   ///< the number of the next unit, in this process
  std::int64_t offset = 0;  ///< of the stream
};

class SyncProgress {
 public:
  /// A file that has all of the data up to there.
  void Begin(JournalPosition position) {
    written_ = synced_ = position;
    all_synced_ = true;
  }
  /// Up to there everything is written; `for_file`: some of it was for the file.
  void Write(JournalPosition end, bool for_file) {
    written_ = end;
    all_synced_ = all_synced_ && !for_file;
    if (all_synced_) synced_ = end;
  }
  void Sync() {
    synced_ = written_;
    all_synced_ = true;
  }

  const JournalPosition& synced() const { return synced_; }

 private:
  JournalPosition written_;
  JournalPosition synced_;
  bool all_synced_ = true;
};

}  // namespace interlock::sim::redis
