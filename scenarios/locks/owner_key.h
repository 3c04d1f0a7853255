// SPDX-License-Identifier: MIT
//
// A lock whose owner's token is the value of a key, which lives as long as the lease: what most of
// them look like in the server.
//
// Thread safety: may be called from any thread.
#pragma once

#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

namespace interlock::scenarios {

/// Its one owner, or none.
std::vector<harness::Owner> OwnersAt(const harness::ServerView& server, std::string_view key);

}  // namespace interlock::scenarios
