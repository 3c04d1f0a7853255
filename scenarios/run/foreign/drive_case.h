// SPDX-License-Identifier: MIT
//
// What it takes to repeat a case of foreign clients: their command, the settings, the choices. Kept
// as JSON in the case's counterexample file, as "program". Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include <interlock/result.h>

#include "scenarios/run/foreign/drive_run.h"
#include "sim/choices.h"

namespace interlock::scenarios::drive {

struct DriveCase {
  DriveOptions options;  ///< without `stop`
  sim::Tape tape;
};

std::string ToJson(const DriveCase& one);
/// kInvalidArgument, with what is wrong.
Result<DriveCase> ReadCase(std::string_view json);

}  // namespace interlock::scenarios::drive
