// SPDX-License-Identifier: MIT
#include "sim/redis/data.h"

#include <algorithm>

#include "sim/redis/text.h"

namespace interlock::sim::redis {

std::string List::Pop(bool left) {
  std::string item = std::move(left ? items.front() : items.back());
  if (left) {
    items.pop_front();
  } else {
    items.pop_back();
  }
  return item;
}

void List::Push(bool left, std::string_view item) {
  if (left) {
    items.push_front(item);
  } else {
    items.push_back(item);
  }
}

bool Hash::Set(std::string_view field, std::string_view value, const EncodingLimits& limits) {
  if (field.size() > limits.hash_value || value.size() > limits.hash_value) compact_ = false;
  if (std::string* old = fields_.Find(field)) {
    old->assign(value);
    return false;
  }
  fields_.Add(field, std::string(value));
  if (size() > limits.hash_entries) compact_ = false;
  return true;
}

void Hash::SetExpiry(std::string_view field, std::int64_t expires_at_ms, TimedForm form) {
  PrepareForTtls(form);
  const bool stays = expires_at_ms == kNoExpiry && ExpiryOf(field) == kNoExpiry;
  ttls_.Set(field, expires_at_ms);
  if (form == TimedForm::kHashTable && timed()) compact_ = false;
  if (!compact_ || stays) return;
  // Before all others that expire no earlier.
  std::size_t place = 0;
  for (const Item& item : items()) {
    if (item.first == field) continue;
    const std::int64_t other = ExpiryOf(item.first);
    const bool before = expires_at_ms == kNoExpiry || (other != kNoExpiry && other < expires_at_ms);
    if (!before) break;
    ++place;
  }
  fields_.MoveTo(field, place);
}

bool Set::Contains(std::string_view member) const {
  if (!of_integers()) return members_.Find(member) != nullptr;
  std::int64_t number = 0;
  return ParseInteger(member, &number) &&
         std::binary_search(integers_.begin(), integers_.end(), number);
}

bool Set::Add(std::string_view member, const EncodingLimits& limits) {
  std::int64_t number = 0;
  if (of_integers() && ParseInteger(member, &number)) {
    const auto at = std::lower_bound(integers_.begin(), integers_.end(), number);
    if (at != integers_.end() && *at == number) return false;
    integers_.insert(at, number);
    if (size() > limits.set_integers) BecomeTexts(Form::kTable);
    return true;
  }
  if (!of_integers() && members_.Find(member) != nullptr) return false;
  if (compact()) {
    const auto fits = [&](std::string_view text) { return text.size() <= limits.set_value; };
    bool small = limits.since_72 && size() < limits.set_entries && fits(member);
    if (!integers_.empty()) {
      small = small && fits(std::to_string(integers_.front())) &&
              fits(std::to_string(integers_.back()));
    }
    BecomeTexts(small ? Form::kListpack : Form::kTable);
  }
  members_.Add(member, {});
  return true;
}

void Set::Expect(std::string_view first, std::size_t count, const EncodingLimits& limits) {
  if (!limits.since_72) return;
  std::int64_t number = 0;
  const bool few = count <= (of_integers() ? limits.set_integers : limits.set_entries);
  if (size() > 0) {
    if (compact() && !few) BecomeTexts(Form::kTable);
  } else if (!few || !ParseInteger(first, &number)) {
    BecomeTexts(count <= limits.set_entries ? Form::kListpack : Form::kTable);
  }
}

Set Set::Mixed(const EncodingLimits& limits) {
  Set set;
  if (limits.since_72) set.form_ = Form::kListpack;
  return set;
}

void Set::Reduce(const EncodingLimits& limits) {
  if (of_integers() || size() > limits.set_integers) return;
  std::vector<std::int64_t> integers;
  for (const auto& [member, nothing] : members_.items()) {
    if (!ParseInteger(member, &integers.emplace_back())) return;
  }
  std::sort(integers.begin(), integers.end());
  integers_ = std::move(integers);
  members_ = {};
  form_ = Form::kIntegers;
}

void Set::BecomeTexts(Form form) {
  form_ = form;
  for (const std::int64_t number : integers_) members_.Add(std::to_string(number), {});
  integers_.clear();
}

bool Set::Remove(std::string_view member) {
  if (!of_integers()) return members_.Remove(member, compact());
  std::int64_t number = 0;
  if (!ParseInteger(member, &number)) return false;
  const auto at = std::lower_bound(integers_.begin(), integers_.end(), number);
  if (at == integers_.end() || *at != number) return false;
  integers_.erase(at);
  return true;
}

std::string Set::Member(std::size_t index) const {
  return of_integers() ? std::to_string(integers_[index]) : members_.items()[index].first;
}

std::vector<std::string> Set::Members() const {
  std::vector<std::string> members;
  members.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) members.push_back(Member(i));
  return members;
}

std::string_view TypeName(const Data& data) {
  switch (data.index()) {
    case 0:
      return "string";
    case 1:
      return "list";
    case 2:
      return "hash";
    case 3:
      return "set";
    default:
      return "zset";
  }
}

}  // namespace interlock::sim::redis
