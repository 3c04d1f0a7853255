// SPDX-License-Identifier: MIT
#include <iterator>
#include <utility>

#include "scenarios/locks/specimen.h"
#include "scenarios/locks/specimens/families.h"

namespace interlock::scenarios {

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
