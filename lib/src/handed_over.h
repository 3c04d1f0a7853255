// SPDX-License-Identifier: MIT
//
// The text with which a lease goes from one process to another:
//   interlock-lease:1:<owner token>:<fencing token>:<doubts>:<checksum>
// 1 is the version of the format. The doubts say which servers may still be on the point of serving
// a late request for the lease, as a number whose bits they are (the only one is bit 0): whoever
// releases has to bar that. The checksum (FNV-1a, 16 hexadecimal digits) is of all before it,
// against damage only: whoever knows the token may hold.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include <interlock/lease.h>
#include <interlock/result.h>

namespace interlock::internal {

std::string TextOf(const Grant& grant);

/// Its valid_until is not set. kInvalidArgument: the message says what is wrong, and repeats
/// nothing of the text.
Result<Grant> GrantFromText(std::string_view text);

}  // namespace interlock::internal
