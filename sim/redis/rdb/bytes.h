// SPDX-License-Identifier: MIT
//
// Encodes numbers as bytes, and reads bytes sequentially.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace interlock::sim::redis {

inline void AppendLittleEndian(std::uint64_t value, int size, std::string* out) {
  for (int i = 0; i < size; ++i) out->push_back(static_cast<char>((value >> (8 * i)) & 0xff));
}
inline void AppendBigEndian(std::uint64_t value, int size, std::string* out) {
  for (int i = size - 1; i >= 0; --i) {
    out->push_back(static_cast<char>((value >> (8 * i)) & 0xff));
  }
}

/// A read fails with false, without moving, if there are not enough bytes.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  std::size_t position() const { return position_; }
  bool AtEnd() const { return position_ == bytes_.size(); }

  bool Bytes(std::uint64_t size, std::string_view* out) {
    if (size > bytes_.size() - position_) return false;
    *out = bytes_.substr(position_, static_cast<std::size_t>(size));
    position_ += static_cast<std::size_t>(size);
    return true;
  }
  bool LittleEndian(int size, std::uint64_t* value) {
    std::string_view bytes;
    if (!Bytes(static_cast<std::uint64_t>(size), &bytes)) return false;
    *value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
      *value = *value << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return true;
  }
  bool BigEndian(int size, std::uint64_t* value) {
    std::string_view bytes;
    if (!Bytes(static_cast<std::uint64_t>(size), &bytes)) return false;
    *value = 0;
    for (const char c : bytes) *value = *value << 8 | static_cast<unsigned char>(c);
    return true;
  }

 private:
  std::string_view bytes_;
  std::size_t position_ = 0;
};

}  // namespace interlock::sim::redis
