// SPDX-License-Identifier: MIT
//
// What a command's arguments tell, above all the two by which a foreign client reports its
// protected section: INTERLOCK.ENTER name once it is inside, INTERLOCK.LEAVE name while it still
// is. Pure functions.
#pragma once

#include <optional>
#include <string>

#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

/// Whether it is one of the two, even if malformed.
bool IsReport(const sim::redis::Argv& argv);
/// OK, or an error that says what is wrong with it.
sim::redis::Value AnswerTo(const sim::redis::Argv& argv);
/// Whether it runs a script that the server must already know.
bool RunsByHash(const sim::redis::Argv& argv);
/// The section's name, if the command is a well-formed one of that kind.
std::optional<std::string> Enters(const sim::redis::Argv& argv);
std::optional<std::string> Leaves(const sim::redis::Argv& argv);

}  // namespace interlock::scenarios::drive
