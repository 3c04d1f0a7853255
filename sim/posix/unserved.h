// SPDX-License-Identifier: MIT
//
// What the shared objects of code under test (objects.h) call that no simulated process has: a run
// that calls such a function either ends there, named, or acts upon the real machine unseen.
// Thread safety: none.
#pragma once

#include <string>
#include <vector>

namespace interlock::sim::posix {

struct UnservedCalls {
  std::string object;              ///< "libacme.so.1"
  std::vector<std::string> names;  ///< sorted, not empty
};

/// Of those objects that import any.
std::vector<UnservedCalls> UnservedImports();

}  // namespace interlock::sim::posix
