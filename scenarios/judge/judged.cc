// SPDX-License-Identifier: MIT
#include "scenarios/judge/judged.h"

namespace interlock::scenarios {
namespace {

struct PropertyName {
  std::string_view slug;
  std::string_view code;
};

constexpr std::array<PropertyName, kJudgedCount> kNames = {{
    {"server-exclusion", "LK001"},
    {"belief-exclusion", "LK002"},
    {"section-exclusion", "LK003"},
    {"permits-server", "LK013"},
    {"permits-belief", "LK013"},
    {"permits-section", "LK013"},
    {"foreign-release", "LK005"},
    {"foreign-extend", "LK006"},
    {"crash-recovery", "LK008"},
    {"deadlock", "LK009"},
    {"keys", "LK011"},
    {"fenced-writes", "LK004"},
    {"tokens", "LK007"},
    {"spurious-refusal", "LK010"},
    {"order", "LK012"},
    {"false-validity", "LK014"},
    {"termination", "LK015"},
    {"crash", "LK017"},
}};

}  // namespace

std::string_view Slug(Judged judged) { return kNames[static_cast<std::size_t>(judged)].slug; }
std::string_view Code(Judged judged) { return kNames[static_cast<std::size_t>(judged)].code; }

std::optional<Judged> JudgedFromSlug(std::string_view slug) {
  for (const Judged judged : kAllJudged) {
    if (Slug(judged) == slug) return judged;
  }
  return std::nullopt;
}

}  // namespace interlock::scenarios
