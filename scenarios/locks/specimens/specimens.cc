// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "scenarios/locks/specimen.h"
#include "scenarios/locks/specimens/families.h"
#include "sim/redis/dialect.h"

namespace interlock::scenarios {
namespace {

constexpr char kOnServer = '@';  // Between a scenario's name and its servers'.

std::string_view NamedServer(std::string_view scenario) {
  const std::size_t at = scenario.find(kOnServer);
  return at == std::string_view::npos ? sim::redis::DefaultDialect().name : scenario.substr(at + 1);
}

bool HasWord(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

}  // namespace

bool Conviction::IsIn(std::string_view name, SynchronyClass its_class) const {
  if (synchrony != its_class) return false;
  const std::string_view base = name.substr(0, name.find(kOnServer));
  if (scenario == name || scenario == base) return true;
  return scenario.substr(0, scenario.find(kOnServer)) == base &&
         HasWord(also_on, NamedServer(name));
}

std::vector<Specimen> Specimens() {
  using namespace specimens;  // the names of the families
  std::vector<Specimen> all;
  for (const auto& family :
       {AcquiringSpecimens, ReleasingSpecimens, ExtendingSpecimens,  RenewingSpecimens,
        OneObjectSpecimens, WaitingSpecimens,   ContendingSpecimens, ResendingSpecimens,
        FencingSpecimens,   TokensSpecimens,    PermitsSpecimens,    RedisSingleFileSpecimens,
        LinesSpecimens,     SharingSpecimens,   StoppingSpecimens,   NestingSpecimens,
        LatchesSpecimens,   LimitsSpecimens,    VotesSpecimens,      ScatteredSpecimens,
        DialectsSpecimens}) {
    std::vector<Specimen> some = family();
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace interlock::scenarios
