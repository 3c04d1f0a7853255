// SPDX-License-Identifier: MIT
//
// The end of fields of hashes whose TTL has passed, other than by a command.
#include <iterator>

#include "sim/redis/keyspace.h"

namespace interlock::sim::redis {

namespace {

// In the order of the hash.
std::vector<std::string> RemoveOver(const Keyspace& keyspace, Hash* hash) {
  std::vector<std::string> over;
  if (!keyspace.IsFieldOver(hash->ttls().Earliest())) return over;
  for (const auto& [field, value] : hash->items()) {
    if (keyspace.IsFieldOver(hash->ExpiryOf(field))) over.push_back(field);
  }
  for (const std::string& field : over) hash->Remove(field);
  return over;
}

Hash* TimedHash(Entry* entry) {
  Hash* const hash = std::get_if<Hash>(&entry->data);
  return hash != nullptr && hash->timed() ? hash : nullptr;
}

}  // namespace

void Keyspace::CollectFields(int database) {
  Database& keys = databases_[Index(database)];
  for (auto at = keys.begin(); at != keys.end();) {
    const auto here = at++;
    Hash* const hash = TimedHash(&here->second);
    if (hash == nullptr) continue;
    const std::vector<std::string> over = RemoveOver(*this, hash);
    if (over.empty()) continue;
    const std::string key = here->first;
    const bool emptied = hash->size() == 0;
    if (emptied) Remove(database, key);
    Touch(database, key, 0);
    if (listener_ != nullptr) listener_->OnCollected(database, key, over, emptied);
  }
}

void Keyspace::ForgetExpiredFields() {
  TouchAll();
  recent_.ForgetAll();
  for (Database& keys : databases_) {
    for (auto at = keys.begin(); at != keys.end();) {
      Hash* const hash = TimedHash(&at->second);
      const bool emptied = hash != nullptr && !RemoveOver(*this, hash).empty() && hash->size() == 0;
      at = emptied ? keys.erase(at) : std::next(at);
    }
  }
}

}  // namespace interlock::sim::redis
