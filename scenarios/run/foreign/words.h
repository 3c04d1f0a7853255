// SPDX-License-Identifier: MIT
//
// What is known of a command by its words, above all of the two by which a foreign client reports
// its protected section: INTERLOCK.ENTER name once it is inside, INTERLOCK.LEAVE name while it
// still is. Pure functions.
#pragma once

#include <optional>
#include <string>

#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

/// One of the two, however well formed.
bool IsReport(const sim::redis::Argv& argv);
/// OK, or an error that says what is wrong with it.
sim::redis::Value AnswerTo(const sim::redis::Argv& argv);
/// A script that the server has to know already.
bool RunsByHash(const sim::redis::Argv& argv);
/// The section's name, if that is what a well-formed command does.
std::optional<std::string> Enters(const sim::redis::Argv& argv);
std::optional<std::string> Leaves(const sim::redis::Argv& argv);

}  // namespace interlock::scenarios::drive
