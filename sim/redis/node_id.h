// SPDX-License-Identifier: MIT
//
// How the nodes of a topology, servers and Sentinels, are told apart: by their place in it.
#pragma once

#include <cstddef>

namespace interlock::sim::redis {

using NodeId = std::size_t;

}  // namespace interlock::sim::redis
