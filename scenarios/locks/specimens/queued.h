// SPDX-License-Identifier: MIT
//
// A fair lock with a queue: a client that finds the lock taken joins it, and only its head may take
// the lock. Nobody leaves it but by taking the lock: that is for the specimen to add, as
// Recipe::leave.
//
// Thread safety: stateless; a recipe is immutable.
#pragma once

#include <string_view>

#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {

Recipe Queued(std::string_view name, std::string_view summary);

}  // namespace interlock::scenarios::specimens
