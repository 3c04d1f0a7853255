// SPDX-License-Identifier: MIT
#include "reports/json_node.h"

#include <charconv>
#include <cmath>

#include "reports/escape.h"

namespace interlock::reports {
namespace {

constexpr std::size_t kMaxShown = 60;
// Far beyond any run, and exactly representable as a double in whole milliseconds.
constexpr double kMaxSeconds = 1e12;

}  // namespace

std::string Shown(const Json& value) {
  if (value.is_structured()) return value.is_array() ? "an array" : "an object";
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kMaxShown) text = ToValidUtf8(text.substr(0, kMaxShown)) + "...";
  return SafeForTerminal(text, true);
}

void JsonNode::Fail(std::string_view key, std::string_view what) const {
  if (!ok()) return;
  const std::string where = Where(key);
  *error_ = where.empty() ? std::string(what) : fmt::format("{}: {}", where, what);
}

std::string JsonNode::Where(std::string_view key) const {
  if (path_.empty() || key.empty()) return path_ + std::string(key);
  return fmt::format("{}.{}", path_, key);
}

void JsonNode::Read(std::string_view key, std::chrono::milliseconds* out) const {
  const Json* value = Find(key);
  if (value == nullptr) return;
  const double seconds = value->is_number() ? value->get<double>() : -1.0;
  if (!(seconds >= 0.0 && seconds <= kMaxSeconds)) {
    return Fail(key, "expected seconds, 0 or more, found " + Shown(*value));
  }
  *out = std::chrono::milliseconds(std::llround(seconds * 1000.0));
}

void JsonNode::Read(std::string_view key, std::vector<std::string>* out) const {
  const Json* value = FindArray(key);
  if (value == nullptr) return;
  for (const Json& item : *value) {
    if (!item.is_string()) {
      return Fail(fmt::format("{}[{}]", key, out->size()),
                  "expected a string, found " + Shown(item));
    }
    out->push_back(item.get_ref<const std::string&>());
  }
}

void JsonNode::ReadHex(std::string_view key, std::uint64_t* out) const {
  std::string text;
  Read(key, &text);
  if (!ok()) return;
  const bool prefixed = text.size() > 2 && text.compare(0, 2, "0x") == 0;
  const char* begin = text.data() + (prefixed ? 2 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(begin, end, *out, 16);
  if (!prefixed || code != std::errc() || stop != end) {
    Fail(key, "expected \"0x\" and up to 16 hexadecimal digits, found " + Shown(Json(text)));
  }
}

const Json* JsonNode::FindArray(std::string_view key) const {
  const Json* value = Find(key);
  if (value == nullptr || value->is_array()) return value;
  Fail(key, "expected an array, found " + Shown(*value));
  return nullptr;
}

}  // namespace interlock::reports
