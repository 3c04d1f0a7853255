// SPDX-License-Identifier: MIT
//
// Several locks at once as programs make them of single ones: each is the library's Mutex, which is
// sound, and what can go wrong is how they are put together.
//
// Thread safety: as harness::Subject.
#pragma once

#include <memory>
#include <string_view>

#include <interlock/harness/lock.h>

namespace interlock::scenarios::specimens {

struct OneByOne {
  std::string_view name;
  std::string_view summary;
  bool in_order = true;    ///< by name; else as its caller names them
  bool gives_back = true;  ///< what it has got, if it cannot have the next
};

std::shared_ptr<const harness::Subject> MakeOneByOne(const OneByOne& habits);

}  // namespace interlock::scenarios::specimens
