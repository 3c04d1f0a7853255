// SPDX-License-Identifier: MIT
//
// The properties of ownership in the server. The ledger (ledger.h) judges them during the run,
// command by command; over a quorum of servers JudgeQuorums does so afterwards.
#pragma once

namespace interlock::scenarios {

struct Property;
extern const Property kServerExclusionProperty;
extern const Property kPermitsServerProperty;
extern const Property kForeignReleaseProperty;
extern const Property kForeignExtendProperty;

}  // namespace interlock::scenarios
