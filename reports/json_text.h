// SPDX-License-Identifier: MIT
//
// Builds JSON text with one fixed layout, so that equal data gives equal bytes in every build and
// with every version of a JSON library: indentation by two spaces, members in the order of the
// calls, integers in full, seconds with exactly three decimals.
//
// Guarantee: valid UTF-8 whatever the strings contain. Non-guarantee: the caller must balance the
// nesting. Thread safety: as any std container.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace interlock::reports {

class JsonText {
 public:
  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }

  /// REQUIRES: inside an object; exactly one value follows. Returns this object, for that value.
  JsonText& Key(std::string_view name);

  void String(std::string_view text);
  void Unsigned(std::uint64_t value);
  void Signed(std::int64_t value);
  void Bool(bool value);
  void Null();
  /// 58300 ms becomes 58.300.
  void Seconds(std::chrono::milliseconds value);
  /// A JSON value that is already text; its own layout is kept.
  void Raw(std::string_view json);

  /// The text so far, followed by a newline.
  std::string Take() &&;

 private:
  void Open(char bracket);
  void Close(char bracket);
  void BeforeValue();
  void NewLine();

  std::string out_;
  std::string first_in_level_;  ///< one character per open level: 'y' while it is empty
  bool after_key_ = false;
};

}  // namespace interlock::reports
