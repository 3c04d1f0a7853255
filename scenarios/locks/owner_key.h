// SPDX-License-Identifier: MIT
//
// The owners of a lock as most of them stand in the server: a token that is the value of a key,
// which lives as long as the lease, or the members of a sorted set, each scored with the end of its
// lease in the server's milliseconds.
//
// Thread safety: may be called from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

namespace interlock::scenarios {

/// The owner whose token the key holds, or none.
std::vector<harness::Owner> OwnersAt(const harness::ServerView& server, std::string_view key);

/// The members of the set at `key` whose leases are not over.
std::vector<harness::Owner> MembersAt(const harness::ServerView& server, std::string_view key);

/// The writer at `key`, and the readers among the members of `<key>:readers`.
std::vector<harness::Owner> WriterAndReadersAt(const harness::ServerView& server,
                                               const std::string& key);

}  // namespace interlock::scenarios
