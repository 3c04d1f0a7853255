// SPDX-License-Identifier: MIT
#include "reports/synchrony.h"

namespace interlock::reports {

std::string_view ToString(SynchronyClass synchrony) {
  switch (synchrony) {
    case SynchronyClass::kNone:
      return "none";
    case SynchronyClass::kBounded:
      return "bounded";
    case SynchronyClass::kArbitrary:
      return "arbitrary";
  }
  return "unknown";
}

}  // namespace interlock::reports
