// SPDX-License-Identifier: MIT
//
// The properties of who owns the lock in the server: the ledger (ledger.h) convicts of them while
// the run goes on, command by command, and over a quorum of servers JudgeQuorums does afterwards.
#pragma once

namespace interlock::scenarios {

struct Property;
extern const Property kServerExclusionProperty;
extern const Property kPermitsServerProperty;
extern const Property kForeignReleaseProperty;
extern const Property kForeignExtendProperty;

}  // namespace interlock::scenarios
