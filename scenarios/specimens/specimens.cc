// SPDX-License-Identifier: MIT
#include "scenarios/specimen.h"
#include "scenarios/specimens/pages.h"

namespace interlock::scenarios {

std::vector<Specimen> Specimens() {
  std::vector<Specimen> all;
  all.push_back(specimens::ExistsSetExpire());
  all.push_back(specimens::SetnxThenExpire());
  all.push_back(specimens::GetCompareDel());
  all.push_back(specimens::DelWithoutOwner());
  all.push_back(specimens::RedisSingleFile());
  return all;
}

}  // namespace interlock::scenarios
