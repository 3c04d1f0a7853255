// SPDX-License-Identifier: MIT
#include "scenarios/run/recorder/recorder.h"

namespace interlock::scenarios {

Recorder::Recorder(RunMemory& memory, const harness::Subject& subject,
                   const std::vector<harness::LockOptions>& options, SynchronyClass synchrony,
                   int database, GuardKind guard)
    : log_(memory, subject, options, synchrony, guard),
      server_data_(log_, database),
      commands_(log_, server_data_),
      faults_(log_),
      bounds_(log_),
      programs_(log_) {}

void Recorder::RunsOnThisTask(int client) {
  if (const auto task = log_.world->running_task()) log_.users.RunsOn(client, *task);
}

}  // namespace interlock::scenarios
