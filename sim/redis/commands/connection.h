// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace interlock::sim::redis {

struct Context;

/// Checks the name of a CLIENT SETNAME or HELLO SETNAME. False: an error is the reply.
bool ValidClientName(Context& c, std::string_view name);

}  // namespace interlock::sim::redis
