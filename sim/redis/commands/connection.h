// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace interlock::sim::redis {

struct Context;

/// Checks the name in CLIENT SETNAME or HELLO SETNAME. On failure replies an error and returns
/// false.
bool ValidClientName(Context& c, std::string_view name);

/// Whether CLIENT SETNAME and CLIENT SETINFO accept it: visible characters of ASCII alone.
bool IsPlainName(std::string_view name);

}  // namespace interlock::sim::redis
