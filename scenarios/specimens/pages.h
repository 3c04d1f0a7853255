// SPDX-License-Identifier: MIT
//
// The specimens, one page (file) each: the story stands at the top of the page, the broken code
// below it, the expected convictions at its end.
#pragma once

#include "scenarios/specimen.h"

namespace interlock::scenarios::specimens {

Specimen ExistsSetExpire();
Specimen SetnxThenExpire();
Specimen GetCompareDel();
Specimen DelWithoutOwner();
Specimen RedisSingleFile();

}  // namespace interlock::scenarios::specimens
