// SPDX-License-Identifier: MIT
//
// The types of values; copies are deep. They are ordered as in Redis where its order is fixed
// (small hashes and sets: insertion; integer sets: numeric; sorted sets: score, then bytes). Where
// Redis' order is arbitrary, it is insertion order, except that the last item takes the place of a
// removed one: a scan from the back misses no item that stays throughout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/redis/dictionary.h"
#include "sim/redis/encoding_limits.h"
#include "sim/redis/field_ttls.h"
#include "sim/redis/sorted_set.h"
#include "sim/redis/text_queue.h"

namespace interlock::sim::redis {

struct List {
  enum class Form : std::uint8_t { kListpack, kQuicklist, kEither };
  TextQueue items;
  Form form = Form::kListpack;     ///< see list_form.h
  std::size_t packed_at_most = 7;  ///< bytes of an empty listpack; the exact size is not kept
  std::size_t size() const { return items.size(); }
  std::string Pop(bool left);
  void Push(bool left, std::string_view item);
};

/// What TTLs of fields make of a compact hash.
enum class TimedForm : std::uint8_t {
  kOrdered,    ///< Redis: fields stand in the order of their expiries, those without one last
  kHashTable,  ///< Valkey: it is no longer compact
};

/// Says nothing of fields whose TTL has passed: they are there until they are removed.
class Hash {
 public:
  using Item = Dictionary<std::string>::Item;
  std::size_t size() const { return fields_.size(); }
  const std::vector<Item>& items() const { return fields_.items(); }
  const std::string* Find(std::string_view field) const { return fields_.Find(field); }
  /// Returns true if the field is new; an old one keeps its TTL and its place. A text that is too
  /// long, or too many fields, ends the compact encoding.
  bool Set(std::string_view field, std::string_view value, const EncodingLimits& limits = {});
  bool Remove(std::string_view field) {
    ttls_.Remove(field);
    return fields_.Remove(field, compact_);
  }

  /// Whether Redis would use a listpack; otherwise a hashtable.
  bool compact() const { return compact_; }

  /// Whether a field has a TTL.
  bool timed() const { return !ttls_.empty(); }
  const FieldTtls& ttls() const { return ttls_; }
  /// kNoExpiry: it has no TTL, or is not there.
  std::int64_t ExpiryOf(std::string_view field) const { return ttls_.Of(field); }
  /// kNoExpiry: without a TTL. REQUIRES: the field is there.
  void SetExpiry(std::string_view field, std::int64_t expires_at_ms, TimedForm form);
  /// What Redis does to a hash before it gives a field of it a TTL, even if none gets one.
  void PrepareForTtls(TimedForm form) { has_room_for_ttls_ |= form == TimedForm::kOrdered; }
  /// A listpack with TTLs, though it may have none (any more).
  bool has_room_for_ttls() const { return has_room_for_ttls_; }

 private:
  Dictionary<std::string> fields_;
  FieldTtls ttls_;
  bool compact_ = true;
  bool has_room_for_ttls_ = false;
};

class Set {
 public:
  std::size_t size() const { return of_integers() ? integers_.size() : members_.size(); }
  bool Contains(std::string_view member) const;
  /// A member that is not an integer, or too many members, ends the encoding of integers; a long
  /// member, or too many, ends that of a listpack.
  bool Add(std::string_view member, const EncodingLimits& limits = {});
  /// What SADD does before it adds `count` members, of which this is the first.
  void Expect(std::string_view first, std::size_t count, const EncodingLimits& limits);
  /// A new set that is no intset even if all its members turn out to be integers.
  static Set Mixed(const EncodingLimits& limits);
  /// Makes an intset of it if it can be one.
  void Reduce(const EncodingLimits& limits);
  bool Remove(std::string_view member);
  std::string Member(std::size_t index) const;
  std::vector<std::string> Members() const;

  /// Whether Redis would use an intset.
  bool of_integers() const { return form_ == Form::kIntegers; }
  /// An intset or a listpack; otherwise a hashtable.
  bool compact() const { return form_ != Form::kTable; }

 private:
  struct Nothing {};
  enum class Form : std::uint8_t { kIntegers, kListpack, kTable };
  void BecomeTexts(Form form);

  Form form_ = Form::kIntegers;
  std::vector<std::int64_t> integers_;  // In order.
  Dictionary<Nothing> members_;
};

using Data = std::variant<std::string, List, Hash, Set, SortedSet>;
inline constexpr std::size_t kListIndex = 1;
inline constexpr std::size_t kSortedSetIndex = 4;

std::string_view TypeName(const Data& data);

}  // namespace interlock::sim::redis
