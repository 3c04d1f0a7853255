// SPDX-License-Identifier: MIT
//
// The text with which a lease goes from one process to another:
//   interlock-lease:1:<owner token>:<fencing token>:<doubts>:<checksum>
// 1 is the version of the format. The doubts are a bit set of the servers that may still be about
// to serve a late request for the lease (the only one is bit 0); a release has to bar that request.
// The checksum (FNV-1a, 16 hexadecimal digits) covers everything before it, against damage only:
// anybody that knows the token may hold.
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
