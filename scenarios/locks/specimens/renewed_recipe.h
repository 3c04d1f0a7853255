// SPDX-License-Identifier: MIT
//
// What specimens about renewal share: a lock in one string, as careful as a recipe's, and a
// watchdog beside each hold that is the specimen's own. Release calls it off before anything is
// sent.
//
// Thread safety: as recipe.h.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include <interlock/harness/lock.h>

#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {

/// A grant, shared by its holder and its watchdog.
struct Kept {
  Attempt attempt;
  std::shared_ptr<Event> stop;  ///< set when it is given back
  std::shared_ptr<Event> lost;  ///< the specimen sets it to tell of a loss
  std::shared_ptr<Event> gone;  ///< set when the handle is destroyed
  /// The specimen calls it to tell of a loss, if the user has asked for that.
  std::function<void()> on_lost = {};
};

struct RenewedRecipe {
  std::string_view name;
  std::string_view summary;
  /// Runs beside the hold, with a client of its own, until `stop` is set.
  std::function<void(RedisClient& redis, Kept& kept)> watchdog;
  bool tells = false;     ///< shows `lost` to its user
  bool calls = false;     ///< takes `on_lost` from its user
  bool one_stop = false;  ///< one release calls off all watchdogs of its client
  int most_leases = 0;    ///< if not 0: the most leases for which it says that it keeps one alive
  /// The end of the handle calls off nothing but `timer`, which runs beside the watchdog until
  /// then.
  std::function<void(RedisClient& redis, Kept& kept)> timer = {};
};

std::shared_ptr<const harness::Subject> MakeRenewedLock(RenewedRecipe recipe);

/// Waits for a third of a lease, after which a watchdog renews; whether the hold was given back
/// meanwhile. YIELDS.
bool IsGivenBackInAThird(RedisClient& redis, const Kept& kept);

/// A watchdog's loop: renews each third of a lease, until the hold is given back (kOk), its client
/// is no more (kCancelled), or the server says that it is not the owner's (kNotOwner).
StatusCode RenewEachThird(RedisClient& redis, Kept& kept);

}  // namespace interlock::scenarios::specimens
