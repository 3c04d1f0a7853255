// SPDX-License-Identifier: MIT
#include "scenarios/run/forced/alike.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

namespace interlock::scenarios::real {
namespace {

constexpr std::int64_t kTenDaysUs = std::int64_t{10} * 86'400 * 1'000'000;
constexpr std::size_t kDigitsOfATime = 10;  // of a time in seconds, for some centuries

bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }

/// Takes the digits at the beginning of the text or, if it begins with none, all before the first
/// digit.
std::string_view TakePiece(std::string_view& text) {
  const bool digits = IsDigit(text.front());
  std::size_t size = 1;
  while (size < text.size() && IsDigit(text[size]) == digits) ++size;
  const std::string_view piece = text.substr(0, size);
  text.remove_prefix(size);
  return piece;
}

std::optional<std::int64_t> NumberOf(std::string_view digits) {
  std::int64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

std::int64_t Distance(std::int64_t a, std::int64_t b) { return a > b ? a - b : b - a; }

/// What a simulated server that says the same has as its type.
sim::redis::Value::Type TypeOf(const Reply& reply) {
  using Type = sim::redis::Value::Type;
  switch (reply.type) {
    case Reply::Type::kNil:
      return Type::kNil;
    case Reply::Type::kStatus:
      return Type::kStatus;
    case Reply::Type::kError:
      return Type::kError;
    case Reply::Type::kInteger:
      return Type::kInteger;
    case Reply::Type::kString:
      return Type::kString;
    case Reply::Type::kArray:
      return Type::kArray;
  }
  return Type::kNil;
}

sim::redis::Value ValueOf(const Reply& reply) {
  sim::redis::Value value;
  value.type = TypeOf(reply);
  value.integer = reply.integer;
  value.text = reply.text;
  for (const Reply& element : reply.elements) value.elements.push_back(ValueOf(element));
  return value;
}

}  // namespace

void Alike::SetClocks(TwoClocks clocks, std::int64_t late_us) {
  clocks_ = clocks;
  late_us_ = late_us;
  least_apart_us_ = std::min(least_apart_us_, clocks.real_us - clocks.simulated_us);
}

bool Alike::AreTimes(std::int64_t simulated, std::int64_t real) const {
  const std::int64_t most_apart_us = clocks_.real_us - clocks_.simulated_us;
  for (const std::int64_t unit_us :
       {std::int64_t{1}, std::int64_t{1'000}, std::int64_t{1'000'000}}) {
    if (Distance(simulated, clocks_.simulated_us / unit_us) > kTenDaysUs / unit_us) continue;
    const std::int64_t off = kToleranceUs / unit_us + 1;
    return real - simulated >= least_apart_us_ / unit_us - off &&
           real - simulated <= most_apart_us / unit_us + off + kMoreLeftUs / unit_us;
  }
  return false;
}

bool Alike::AreLeft(std::int64_t simulated, std::int64_t real) const {
  const std::int64_t more = real - simulated;
  const std::int64_t less_us = kLittleUs + late_us_;
  const bool of_key = std::ranges::any_of(
      left_ms_, [=](std::int64_t left_ms) { return Distance(simulated, left_ms) <= 2; });
  if (of_key) return more <= kMoreLeftUs / 1'000 && more >= -less_us / 1'000;
  // The number may also be the remainder of a lease that a script keeps as data, in us or in ms.
  constexpr std::int64_t kLeastLeft = 100;
  constexpr std::int64_t kMostLeft = 1'000'000'000;
  if (simulated < kLeastLeft || simulated > kMostLeft) return false;
  const std::int64_t unit_us = simulated >= 1'000'000 ? 1 : 1'000;
  return more <= kLittleUs / unit_us && more >= -less_us / unit_us;
}

void Alike::Remember(std::string_view simulated, std::string_view real) {
  std::string& known = times_[std::string(simulated)];
  if (known.size() < real.size() || (known.size() == real.size() && known < real)) known = real;
}

bool Alike::Numbers(std::string_view simulated, std::string_view real) {
  if (simulated == real) return true;
  const auto a = NumberOf(simulated);
  const auto b = NumberOf(real);
  if (!a || !b) return false;
  if (AreTimes(*a, *b)) {
    Remember(simulated, real);
    return true;
  }
  return AreLeft(*a, *b);
}

bool Alike::Texts(std::string_view simulated, std::string_view real) {
  if (simulated == real) return true;
  while (!simulated.empty() && !real.empty()) {
    const bool digits = IsDigit(simulated.front());
    if (digits != IsDigit(real.front())) return false;
    const std::string_view a = TakePiece(simulated);
    const std::string_view b = TakePiece(real);
    if (digits ? !Numbers(a, b) : a != b) return false;
  }
  return simulated.empty() && real.empty();
}

bool Alike::Replies(const sim::redis::Value& simulated, const Reply& real) {
  if (simulated.type == sim::redis::Value::Type::kNilArray) return real.IsNil();
  if (simulated.type != TypeOf(real)) return false;
  switch (real.type) {
    case Reply::Type::kNil:
      return true;
    case Reply::Type::kInteger:
      return Texts(std::to_string(simulated.integer), std::to_string(real.integer));
    case Reply::Type::kArray:
      return std::ranges::equal(
          simulated.elements, real.elements,
          [this](const sim::redis::Value& a, const Reply& b) { return Replies(a, b); });
    default:
      return Texts(simulated.text, real.text);
  }
}

bool Alike::TimeReplies(const sim::redis::Value& simulated, const Reply& real) {
  if (simulated.type != sim::redis::Value::Type::kArray || !real.IsArray() ||
      simulated.elements.size() != 2 || real.elements.size() != 2) {
    return Replies(simulated, real);
  }
  std::int64_t us[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto a = NumberOf(simulated.elements[i].text);
    const auto b = NumberOf(real.elements[i].text);
    if (!a || !b) return false;
    us[0] = us[0] * 1'000'000 + *a;
    us[1] = us[1] * 1'000'000 + *b;
  }
  if (!AreTimes(us[0], us[1])) return false;
  Remember(simulated.elements[0].text, real.elements[0].text);
  return true;
}

std::string_view Alike::RealTime(std::string_view simulated) const {
  const auto own = times_.find(simulated);
  if (own != times_.end()) return own->second;
  std::string_view latest;
  for (const Alike* other : others_) {
    const auto known = other->times_.find(simulated);
    if (known == other->times_.end()) continue;
    if (latest.size() <= known->second.size())
      latest = std::max(latest, std::string_view(known->second));
  }
  return latest;
}

std::string Alike::Translated(std::string_view word) const {
  std::string translated;
  while (!word.empty()) {
    const std::string_view piece = TakePiece(word);
    const std::string_view real =
        piece.size() < kDigitsOfATime ? std::string_view() : RealTime(piece);
    translated += real.empty() ? piece : real;
  }
  return translated;
}

std::string Alike::Shifted(std::string_view time, std::int64_t unit_us) const {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(time.data(), time.data() + time.size(), number);
  if (error != std::errc() || end != time.data() + time.size()) return std::string(time);
  const std::int64_t apart_us = clocks_.real_us - clocks_.simulated_us;
  return std::to_string(number + (apart_us + unit_us / 2) / unit_us);
}

std::string ToText(const Reply& reply) { return sim::redis::ToText(ValueOf(reply)); }

}  // namespace interlock::scenarios::real
