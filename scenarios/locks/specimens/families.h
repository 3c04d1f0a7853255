// SPDX-License-Identifier: MIT
//
// The specimens by family, a file each. Each specimen is a function with its story on top, the
// broken steps in it, and its row at the end: the expected convictions, and what it escapes and
// why. To add one, write it into its family's file.
#pragma once

#include <vector>

#include "scenarios/locks/specimen.h"

namespace interlock::scenarios::specimens {

std::vector<Specimen> AcquiringSpecimens();
std::vector<Specimen> ReleasingSpecimens();
std::vector<Specimen> ExtendingSpecimens();
std::vector<Specimen> RenewingSpecimens();
std::vector<Specimen> OneObjectSpecimens();
std::vector<Specimen> WaitingSpecimens();
std::vector<Specimen> ContendingSpecimens();
std::vector<Specimen> ResendingSpecimens();
std::vector<Specimen> FencingSpecimens();
std::vector<Specimen> TokensSpecimens();
std::vector<Specimen> PermitsSpecimens();
std::vector<Specimen> RedisSingleFileSpecimens();
std::vector<Specimen> LinesSpecimens();
std::vector<Specimen> SharingSpecimens();
std::vector<Specimen> StoppingSpecimens();
std::vector<Specimen> NestingSpecimens();
std::vector<Specimen> LatchesSpecimens();
std::vector<Specimen> LimitsSpecimens();
std::vector<Specimen> VotesSpecimens();
std::vector<Specimen> ScatteredSpecimens();
std::vector<Specimen> DialectsSpecimens();

}  // namespace interlock::scenarios::specimens
