// SPDX-License-Identifier: MIT
//
// HSETEX: sets fields of a hash and their TTLs, or none of them.
#pragma once

namespace interlock::sim::redis {

struct Context;

void HSetEx(Context& c);

}  // namespace interlock::sim::redis
