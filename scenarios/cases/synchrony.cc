// SPDX-License-Identifier: MIT
#include "scenarios/cases/synchrony.h"

namespace interlock::scenarios {

std::string_view ToString(SynchronyClass synchrony) {
  switch (synchrony) {
    case SynchronyClass::kNone:
      return "none";
    case SynchronyClass::kBounded:
      return "bounded";
    case SynchronyClass::kArbitrary:
      return "arbitrary";
  }
  return "?";
}

}  // namespace interlock::scenarios
