// SPDX-License-Identifier: MIT
//
// The locks that ship with the program: sound ones, which must hold what they promise, and
// specimens, deliberately broken ones, which must be convicted. A checker that nobody has seen fail
// proves nothing; an acquitted specimen fails the gate just as a convicted sound lock does.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/synchrony.h"

namespace interlock::scenarios {

/// "In this scenario and class, this property must be seen violated."
struct Conviction {
  std::string_view property;  ///< slug: "server-exclusion"
  std::string_view scenario;
  SynchronyClass synchrony = SynchronyClass::kNone;
};

struct Specimen {
  std::shared_ptr<const harness::Subject> subject;
  std::vector<Conviction> expected;
};

std::vector<std::shared_ptr<const harness::Subject>> SoundSubjects();
std::vector<Specimen> Specimens();

}  // namespace interlock::scenarios
