// SPDX-License-Identifier: MIT
//
// The TTLs of a hash's fields (HEXPIRE), beside the hash: one without any, which nearly all are,
// pays for a null pointer. Copies are deep. Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace interlock::sim::redis {

inline constexpr std::int64_t kNoExpiry = -1;

class FieldTtls {
 public:
  FieldTtls() = default;
  FieldTtls(FieldTtls&&) = default;
  FieldTtls& operator=(FieldTtls&&) = default;
  FieldTtls(const FieldTtls& other) { *this = other; }
  FieldTtls& operator=(const FieldTtls& other);
  ~FieldTtls() = default;

  bool empty() const { return expiries_ == nullptr; }
  std::size_t size() const { return empty() ? 0 : expiries_->size(); }
  /// Unix time in ms; kNoExpiry: it has none.
  std::int64_t Of(std::string_view field) const { return empty() ? kNoExpiry : Look(field); }
  /// kNoExpiry: takes it away.
  void Set(std::string_view field, std::int64_t expires_at_ms);
  void Remove(std::string_view field) {
    if (!empty()) Set(field, kNoExpiry);
  }
  /// The earliest of all. REQUIRES: !empty().
  std::int64_t Earliest() const;

 private:
  using Expiries = std::map<std::string, std::int64_t, std::less<>>;
  std::int64_t Look(std::string_view field) const;

  std::unique_ptr<Expiries> expiries_;  // Never empty.
};

}  // namespace interlock::sim::redis
