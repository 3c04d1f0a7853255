// SPDX-License-Identifier: MIT
//
// Another program as the reader of a format.
#pragma once

#include <string>

namespace interlock::reports {

/// What a shell's command prints that gets `input` as its standard input. Fails the test if it
/// cannot be run, or does not exit with 0.
std::string Pipe(const std::string& command, const std::string& input);

}  // namespace interlock::reports
