// SPDX-License-Identifier: MIT
//
// A lock without leases: a grant lasts as long as its connection. The key's value names that by its
// CLIENT ID, and who finds it taken asks CLIENT LIST whether the connection is there still; if not,
// it takes the entry away. As in databases whose locks belong to a session.
//
// Thread safety: as harness::Subject.
#pragma once

#include <memory>
#include <string>

#include <interlock/harness/lock.h>

namespace interlock::scenarios::testing {

struct ConnectionOptions {
  std::string name = "test/connection";
  bool looks = true;   ///< asks whether the owner's connection is there still
  bool cleans = true;  ///< takes away what has outlived its connection
};

std::shared_ptr<const harness::Subject> ConnectionSubject(ConnectionOptions options = {});

}  // namespace interlock::scenarios::testing
