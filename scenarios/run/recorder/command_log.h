// SPDX-License-Identifier: MIT
//
// Records which commands clients send and why: the attempt, renewal or release that each belongs
// to, the arguments of an attempt's commands, and what a lock sends of its own accord.
//
// Thread safety: that of the log, see run_log.h.
#pragma once

#include <cstdint>
#include <optional>

#include "scenarios/run/recorder/run_log.h"
#include "scenarios/run/recorder/server_data_log.h"
#include "sim/redis/server.h"

namespace interlock::scenarios {

class CommandLog {
 public:
  /// Both outlive it. `data` is told what each command did to the data.
  CommandLog(RunLog& log, ServerDataLog& data) : log_(log), data_(data) {}

  // See sim::WorldObserver.
  void OnSend(int process, std::uint64_t number, VirtualTime now);
  void AfterCommand(int process, std::uint64_t number, const sim::redis::Argv& argv,
                    const sim::redis::Value* reply, VirtualTime now);

 private:
  /// Records a command of a dead client, or of one whose connection is silent.
  void NoteServedWhenGone(int process, const sim::redis::Argv& argv, const sim::redis::Value* reply,
                          VirtualTime now);
  void NoteSending(Party who, std::uint64_t number, VirtualTime now);
  /// Attributes the command to the attempt that sent it, which may be over by now.
  void NoteWords(int client, std::uint64_t number, const sim::redis::Argv& argv, VirtualTime now);
  void NoteQueued(int client, std::uint64_t number, const sim::redis::Argv& argv);
  /// A process has changed data, and perhaps a semaphore's limit with it.
  void NoteLimits(int process, std::uint64_t number, VirtualTime now);
  /// A command that a lock sent of its own accord, to renew, was executed.
  void NoteUnasked(Party who, VirtualTime now);
  void NoteRenewed(int client, VirtualTime now);

  RunLog& log_;
  ServerDataLog& data_;
};

}  // namespace interlock::scenarios
