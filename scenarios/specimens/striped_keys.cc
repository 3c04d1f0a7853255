// SPDX-License-Identifier: MIT
//
// A fixed number of locks for any number of names: the name is hashed to one of two stripes, and
// the stripe is what is locked. Guava's Striped is of that kind, and its page warns of what befalls
// those who take several; a lock service that hashes names to a bounded set of keys does not tell.
//
// What goes wrong: nothing, as long as everybody holds one lock at a time: names that share a
// stripe only wait for each other. Then somebody takes two. If they share a stripe, the client
// waits for itself; if not, two clients that follow one order of names, as they should, take the
// stripes crosswise. Each time a lease must run out first, and then somebody's work is unprotected.
// The fix is a key for each name, or to take the stripes themselves in one order, each once. Lock
// and unlock of this page are correct but for the key.
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

/// Stands for the last part of the key.
std::string StripeOf(const std::string& key) {
  const unsigned sum = std::accumulate(key.begin(), key.end(), 0U, [](unsigned all, char one) {
    return all + static_cast<unsigned char>(one);
  });
  return key.substr(0, key.find_last_of(":_") + 1) + "stripe" + std::to_string(sum % 2);
}

Status Lock(RedisClient& redis, Attempt& attempt) {
  return SetIfAbsent(redis, StripeOf(attempt.key), attempt.token, attempt.lease);
}

Status Unlock(RedisClient& redis, Attempt& attempt) {
  return CompareAndDelete(redis, StripeOf(attempt.key), attempt.token);
}

}  // namespace

Specimen StripedKeys() {
  return {MakeLock({.name = "broken/striped-keys",
                    .summary = "hashes the names of its resources to two keys",
                    .lock = Lock,
                    .unlock = Unlock,
                    .owners =
                        [](const harness::ServerView& server, const harness::LockOptions& options) {
                          const std::string stripe = StripeOf(KeyOf(options));
                          std::vector<harness::Owner> owners;
                          if (auto token = server.String(stripe)) {
                            owners.push_back({std::move(*token), server.ExpiresAtMs(stripe)});
                          }
                          return std::optional(owners);
                        }}),
          {{"deadlock", "nested", SynchronyClass::kNone}},
          {.clients = 1, .attempts = 2}};
}

}  // namespace interlock::scenarios::specimens
