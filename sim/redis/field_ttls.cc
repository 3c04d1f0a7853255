// SPDX-License-Identifier: MIT
#include "sim/redis/field_ttls.h"

#include <algorithm>

namespace interlock::sim::redis {

FieldTtls& FieldTtls::operator=(const FieldTtls& other) {
  if (this != &other) {
    expiries_ = other.empty() ? nullptr : std::make_unique<Expiries>(*other.expiries_);
  }
  return *this;
}

std::int64_t FieldTtls::Look(std::string_view field) const {
  const auto at = expiries_->find(field);
  return at == expiries_->end() ? kNoExpiry : at->second;
}

void FieldTtls::Set(std::string_view field, std::int64_t expires_at_ms) {
  if (expires_at_ms != kNoExpiry) {
    if (empty()) expiries_ = std::make_unique<Expiries>();
    expiries_->insert_or_assign(std::string(field), expires_at_ms);
  } else if (!empty()) {
    const auto at = expiries_->find(field);
    if (at != expiries_->end()) expiries_->erase(at);
    if (expiries_->empty()) expiries_.reset();
  }
}

std::int64_t FieldTtls::Earliest() const {
  return std::min_element(expiries_->begin(), expiries_->end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->second;
}

}  // namespace interlock::sim::redis
