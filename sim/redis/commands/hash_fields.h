// SPDX-License-Identifier: MIT
//
// The fields of hashes as commands find and change them where fields have TTLs: one whose TTL has
// passed stays in the hash until it is collected (Keyspace::CollectFields), but no command finds
// it. Measured on Redis 8.0.6 and Valkey 9.1.2.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/context.h"
#include "sim/redis/data.h"

namespace interlock::sim::redis {

/// Whether the field is there, but its TTL has passed.
inline bool IsHidden(const Context& c, const Hash& hash, std::string_view field) {
  return hash.timed() && c.keyspace().IsFieldOver(hash.ExpiryOf(field));
}

/// Removes the hidden fields, says nothing of it to anybody, and returns their names.
std::vector<std::string> RemoveHidden(const Context& c, Hash* hash);

TimedForm TimedFormOf(const Dialect& dialect);

enum class AfterLook : std::uint8_t {
  kUsual,
  kKeepEmpty,  ///< A hash that the look has emptied stays, to be filled or deleted by its command.
  kHMGet,      ///< No events if the only field that was deleted was the last one (a flaw of HMGET).
};

/// Finds the fields for one command. Redis deletes one whose TTL has passed when it is looked for,
/// but not on a replica, nor during CLIENT PAUSE; Valkey leaves it.
class FieldFinder {
 public:
  /// `hash` is null if the key is missing.
  FieldFinder(Context& c, std::string_view key, Hash* hash) : c_(c), key_(key), hash_(hash) {}
  FieldFinder(const FieldFinder&) = delete;
  FieldFinder& operator=(const FieldFinder&) = delete;

  /// The value; null: there is no such field, or its TTL has passed.
  const std::string* Find(std::string_view field) {
    if (hash_ == nullptr) return nullptr;
    return hash_->timed() ? FindTimed(field) : hash_->Find(field);
  }
  /// As if each field whose TTL has passed were looked for.
  void FindAll();
  /// Must follow the last look: tells of the deletions, and deletes a hash that they have emptied.
  /// Returns the hash; null: there is none, or no longer.
  Hash* Settle(AfterLook after = AfterLook::kUsual) {
    return deleted_.empty() ? hash_ : SettleDeleted(after);
  }

 private:
  const std::string* FindTimed(std::string_view field);
  bool deletes() const;
  Hash* SettleDeleted(AfterLook after);

  Context& c_;
  std::string_view key_;
  Hash* hash_;
  std::vector<std::string> deleted_;
};

/// Sets a field whose old TTL `expires_at_ms` replaces; kNoExpiry takes it away. Valkey counts a
/// field at the end of its TTL, that millisecond included, as a new one, and adds it to `ended`.
/// Returns true if the field counts as new.
bool SetField(Context& c, Hash* hash, std::string_view field, std::string_view value,
              std::int64_t expires_at_ms, std::vector<std::string_view>* ended);
/// Whether SetField would add it to `ended`.
bool HasEnded(const Context& c, const Hash& hash, std::string_view field);
/// To be called with those of a command before its own event.
void TellOfEnded(Context& c, std::string_view key, const std::vector<std::string_view>& ended);

/// For fields that a command has removed because their new TTL has passed already: events, effects,
/// and the deletion of a hash without other fields.
void DeleteFieldsAsOver(Context& c, const Hash& hash, const std::vector<std::string_view>& fields);

/// Propagates the value and the TTL that a field has now, instead of the command.
void PropagateField(Context& c, std::string_view field, std::string_view value,
                    std::int64_t expires_at_ms);

}  // namespace interlock::sim::redis
