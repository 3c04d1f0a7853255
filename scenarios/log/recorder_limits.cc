// SPDX-License-Identifier: MIT
//
// The recorder's part about semaphores that keep their limit in the server: what each client takes
// for it, and who sets another one.
#include <algorithm>
#include <chrono>
#include <string>

#include "scenarios/cases/scenario.h"
#include "scenarios/log/recorder.h"

namespace interlock::scenarios {

void Recorder::OnSetLimit(Party who, int limit) {
  if (log_.closed) return;
  log_.Note(who, "set the limit to " + std::to_string(limit));
  log_.dealing(who).doing = Doing::kSettingLimit;
  log_.history(who).limits.NoteCall(who.client, limit, log_.now());
}

void Recorder::OnLimitSet(Party who, const Status& status) {
  if (log_.closed) return;
  log_.Note(who, ToString(status.code()));
  log_.dealing(who).doing = Doing::kNothing;
  log_.history(who).limits.NoteAnswer(who.client, status.code(), log_.now());
}

}  // namespace interlock::scenarios
