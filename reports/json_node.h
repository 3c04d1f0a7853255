// SPDX-License-Identifier: MIT
//
// One object of a JSON document that is being read, with its path in the document.
//
// Invariant: after the first error no other is recorded; every later step sees empty values and
// does nothing harmful, so no step needs its own check. Only for source files that read JSON: it
// includes the JSON library. Thread safety: none; one reader, one thread.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace interlock::reports {

using Json = nlohmann::ordered_json;

/// How an error message shows an invalid value.
std::string Shown(const Json& value);

/// Read(KEY, &out) reads a required member of that type; otherwise `*error` says on one line where
/// and what is wrong, and `out` keeps its value.
class JsonNode {
 public:
  JsonNode(const Json& value, std::string path, std::string* error)
      : value_(value), path_(std::move(path)), error_(error) {
    if (!value_.is_object()) Fail("", fmt::format("expected an object, found {}", Shown(value_)));
  }

  bool ok() const { return error_->empty(); }

  void Fail(std::string_view key, std::string_view what) const;

  std::string Where(std::string_view key) const;

  std::string* error() const { return error_; }

  /// nullptr, with the error set, if the member is missing.
  const Json* Find(std::string_view key) const {
    if (!ok()) return nullptr;
    const auto it = value_.find(std::string(key));
    if (it != value_.end()) return &*it;
    Fail(key, "is missing");
    return nullptr;
  }

  bool Has(std::string_view key) const { return ok() && value_.contains(std::string(key)); }

  void Read(std::string_view key, std::string* out) const {
    const Json* value = Find(key);
    if (value == nullptr) return;
    if (!value->is_string()) return Fail(key, "expected a string, found " + Shown(*value));
    *out = value->get_ref<const std::string&>();
  }

  void Read(std::string_view key, std::uint64_t* out) const {
    const Json* value = Find(key);
    if (value == nullptr) return;
    if (!value->is_number_unsigned()) {
      return Fail(key, "expected a whole number, 0 or more, found " + Shown(*value));
    }
    *out = value->get<std::uint64_t>();
  }

  void Read(std::string_view key, std::int64_t* out) const {
    const Json* value = Find(key);
    if (value == nullptr) return;
    const bool too_large =
        value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t{INT64_MAX};
    if (!value->is_number_integer() || too_large) {
      return Fail(key, "expected a whole number, found " + Shown(*value));
    }
    *out = value->get<std::int64_t>();
  }

  void Read(std::string_view key, bool* out) const {
    const Json* value = Find(key);
    if (value == nullptr) return;
    if (!value->is_boolean()) return Fail(key, "expected true or false, found " + Shown(*value));
    *out = value->get<bool>();
  }

  void Read(std::string_view key, std::chrono::milliseconds* out) const;

  void Read(std::string_view key, std::vector<std::string>* out) const;

  template <typename T>
  void Read(std::string_view key, std::optional<T>* out) const {
    const Json* value = Find(key);
    if (value == nullptr || value->is_null()) return;
    T present{};
    Read(key, &present);
    *out = std::move(present);
  }

  template <typename T>
  void ReadIfThere(std::string_view key, T* out) const {
    if (Has(key)) Read(key, out);
  }

  void ReadHex(std::string_view key, std::uint64_t* out) const;

  template <typename Enum>
  void ReadEnum(std::string_view key, std::initializer_list<Enum> values, Enum* out) const {
    std::string text;
    Read(key, &text);
    if (!ok()) return;
    std::string words;
    for (const Enum value : values) {
      if (ToString(value) == text) {
        *out = value;
        return;
      }
      words += words.empty() ? "" : ", ";
      words += ToString(value);
    }
    Fail(key, fmt::format("expected one of {}; found {}", words, Shown(Json(text))));
  }

  JsonNode Child(std::string_view key) const {
    static const Json kEmpty = Json::object();
    const Json* value = Find(key);
    return JsonNode(value == nullptr ? kEmpty : *value, Where(key), error_);
  }

  template <typename Item>
  void ReadObjects(std::string_view key, std::vector<Item>* out,
                   void (*read_item)(const JsonNode&, Item*)) const {
    const Json* value = FindArray(key);
    if (value == nullptr) return;
    for (const Json& item : *value) {
      const JsonNode node(item, fmt::format("{}[{}]", Where(key), out->size()), error_);
      read_item(node, &out->emplace_back());
      if (!ok()) return;
    }
  }

 private:
  const Json* FindArray(std::string_view key) const;

  const Json& value_;
  std::string path_;
  std::string* error_;
};

}  // namespace interlock::reports
