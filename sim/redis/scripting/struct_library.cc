// SPDX-License-Identifier: MIT
//
// struct: numbers and texts to bytes like a C structure, and back, by a format: > < byte order, !
// alignment, x padding, b B h H l L T i I integers (i3: of 3 bytes), f d floating point, s a text
// with its NUL, c8 one of 8 bytes, c0 one whose length was unpacked just before.
//
// Output is collected in the sandbox: a Lua error may discard it.
#include <algorithm>
#include <bit>
#include <cctype>
#include <climits>
#include <cstdint>
#include <cstring>

#include "sim/redis/scripting/sandbox.h"

namespace interlock::sim::redis {

namespace {

constexpr std::size_t kLargestInteger = 32;
constexpr int kWidestAlignment = 8;

bool IsIn(std::string_view letters, char c) { return letters.find(c) != std::string_view::npos; }

// Iterates over a format.
class Layout {
 public:
  Layout(lua_State* lua, const char* format) : lua_(lua), at_(format) {}

  /// Reads the next letter, with its size and the padding before it at this position.
  bool Next(std::size_t place) {
    if (*at_ == '\0') return false;
    letter_ = *at_++;
    size_ = SizeOf(letter_);
    padding_ = 0;
    if (size_ > 0 && letter_ != 'c') {
      const std::size_t unit = std::min(size_, static_cast<std::size_t>(alignment_));
      padding_ = (unit - (place & (unit - 1))) & (unit - 1);
    }
    return true;
  }
  char letter() const { return letter_; }
  std::size_t size() const { return size_; }
  std::size_t padding() const { return padding_; }
  bool little() const { return little_; }
  bool is_integer() const { return IsIn("bBhHlLTiI", letter_); }
  bool is_signed() const { return std::islower(static_cast<unsigned char>(letter_)) != 0; }

  /// Handles a letter without a value.
  void Control() {
    switch (letter_) {
      case ' ':
        return;
      case '>':
      case '<':
        little_ = letter_ == '<';
        return;
      case '!': {
        const int wanted = Number(kWidestAlignment);
        if (wanted <= 0 || (wanted & (wanted - 1)) != 0) {
          luaL_error(lua_, "alignment %d is not a power of 2", wanted);
        }
        alignment_ = wanted;
        return;
      }
      default:
        luaL_argerror(lua_, 1, lua_pushfstring(lua_, "invalid format option '%c'", letter_));
    }
  }

 private:
  int Number(int without) {
    if (std::isdigit(static_cast<unsigned char>(*at_)) == 0) return without;
    std::int64_t number = 0;
    while (std::isdigit(static_cast<unsigned char>(*at_)) != 0) {
      number = number * 10 + (*at_++ - '0');
      if (number > INT_MAX) luaL_error(lua_, "integral size overflow");
    }
    return static_cast<int>(number);
  }

  std::size_t SizeOf(char letter) {
    switch (letter) {
      case 'b':
      case 'B':
      case 'x':
        return 1;
      case 'h':
      case 'H':
        return sizeof(short);
      case 'l':
      case 'L':
      case 'T':
      case 'd':
        return sizeof(double);
      case 'f':
        return sizeof(float);
      case 'c':
        return static_cast<std::size_t>(Number(1));
      case 'i':
      case 'I': {
        const int size = Number(sizeof(int));
        if (size > static_cast<int>(kLargestInteger)) {
          luaL_error(lua_, "integral size %d is larger than limit of %d", size,
                     static_cast<int>(kLargestInteger));
        }
        return static_cast<std::size_t>(size);
      }
      default:
        return 0;
    }
  }

  lua_State* lua_;
  const char* at_;
  bool little_ = true;
  int alignment_ = 1;
  char letter_ = 0;
  std::size_t size_ = 0;
  std::size_t padding_ = 0;
};

// Casts like x86: out of range becomes the smallest integer.
std::uint64_t BitsOf(double number) {
  constexpr double kLimit = 9223372036854775808.0;
  if (number >= kLimit && number < 2 * kLimit) {
    return static_cast<std::uint64_t>(number - kLimit) + (std::uint64_t{1} << 63);
  }
  if (!(number >= -kLimit && number < kLimit)) {
    return number >= kLimit ? 0 : std::uint64_t{1} << 63;
  }
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
}

void AppendBytes(std::uint64_t bits, std::size_t size, bool little, std::string* out) {
  const std::size_t begin = out->size();
  for (std::size_t i = 0; i < size; ++i) {
    out->push_back(i < sizeof(bits) ? static_cast<char>(bits >> (8 * i)) : '\0');
  }
  if (!little) std::reverse(out->begin() + static_cast<std::ptrdiff_t>(begin), out->end());
}

std::uint64_t ReadBytes(std::string_view bytes, bool little) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char byte = bytes[little ? bytes.size() - 1 - i : i];
    bits = bits << 8 | static_cast<std::uint8_t>(byte);
  }
  return bits;
}

void PackOne(lua_State* lua, Layout& layout, int* argument, std::string* out) {
  if (layout.is_integer()) {
    const std::uint64_t bits = BitsOf(luaL_checknumber(lua, (*argument)++));
    return AppendBytes(bits, layout.size(), layout.little(), out);
  }
  switch (layout.letter()) {
    case 'x':
      return out->push_back('\0');
    case 'f': {
      const auto number = static_cast<float>(luaL_checknumber(lua, (*argument)++));
      return AppendBytes(std::bit_cast<std::uint32_t>(number), sizeof(number), layout.little(),
                         out);
    }
    case 'd': {
      const double number = luaL_checknumber(lua, (*argument)++);
      return AppendBytes(std::bit_cast<std::uint64_t>(number), sizeof(number), layout.little(),
                         out);
    }
    case 'c':
    case 's': {
      luaL_checklstring(lua, (*argument)++, nullptr);
      const std::string_view text = TextOnStack(lua, *argument - 1);
      const std::size_t size = layout.size() == 0 ? text.size() : layout.size();
      luaL_argcheck(lua, text.size() >= size, *argument, "string too short");
      out->append(text.substr(0, size));
      if (layout.letter() == 's') out->push_back('\0');
      return CheckMemory(lua, out->size());
    }
    default:
      layout.Control();
  }
}

int StructPack(lua_State* lua) {
  Layout layout(lua, luaL_checkstring(lua, 1));
  std::string& out = SandboxOf(lua).scratch;
  out.clear();
  lua_pushnil(lua);  // Redis' version finds it in place of the first missing argument.
  int argument = 2;
  while (layout.Next(out.size())) {
    out.append(layout.padding(), '\0');
    PackOne(lua, layout, &argument, &out);
  }
  lua_pushlstring(lua, out.data(), out.size());
  return 1;
}

lua_Number ToNumber(std::uint64_t bits, const Layout& layout) {
  if (!layout.is_signed()) return static_cast<lua_Number>(bits);
  const std::uint64_t mask = ~std::uint64_t{0} << ((layout.size() * 8 - 1) & 63);
  if ((bits & mask) != 0) bits |= mask;
  return static_cast<lua_Number>(static_cast<std::int64_t>(bits));
}

bool Has(std::string_view data, std::size_t place, std::size_t size) {
  return size <= data.size() && place <= data.size() - size;
}

// Pushes one value, if the letter has one, and returns its size.
std::size_t UnpackOne(lua_State* lua, Layout& layout, std::string_view data, std::size_t place,
                      int* count) {
  std::size_t size = layout.size();
  const std::string_view bytes = data.substr(place, size);
  if (layout.is_integer()) {
    lua_pushnumber(lua, ToNumber(ReadBytes(bytes, layout.little()), layout));
    ++*count;
    return size;
  }
  switch (layout.letter()) {
    case 'x':
      return size;
    case 'f':
      lua_pushnumber(
          lua, std::bit_cast<float>(static_cast<std::uint32_t>(ReadBytes(bytes, layout.little()))));
      break;
    case 'd':
      lua_pushnumber(lua, std::bit_cast<double>(ReadBytes(bytes, layout.little())));
      break;
    case 'c':
      if (size == 0) {
        if (*count == 0 || lua_isnumber(lua, -1) == 0) {
          luaL_error(lua, "format 'c0' needs a previous size");
        }
        size = static_cast<std::size_t>(BitsOf(lua_tonumber(lua, -1)));
        lua_pop(lua, 1);
        --*count;
        luaL_argcheck(lua, Has(data, place, size), 2, "data string too short");
      }
      lua_pushlstring(lua, data.data() + place, size);
      break;
    case 's': {
      const std::size_t end = data.find('\0', place);
      if (end == std::string_view::npos) luaL_error(lua, "unfinished string in data");
      size = end - place + 1;
      lua_pushlstring(lua, data.data() + place, size - 1);
      break;
    }
    default:
      layout.Control();
      return size;
  }
  ++*count;
  return size;
}

int StructUnpack(lua_State* lua) {
  Layout layout(lua, luaL_checkstring(lua, 1));
  luaL_checklstring(lua, 2, nullptr);
  const std::string_view data = TextOnStack(lua, 2);
  auto place = static_cast<std::size_t>(luaL_optinteger(lua, 3, 1));
  luaL_argcheck(lua, place > 0, 3, "offset must be 1 or greater");
  --place;
  int count = 0;
  while (layout.Next(place)) {
    place += layout.padding();
    luaL_argcheck(lua, Has(data, place, layout.size()), 2, "data string too short");
    luaL_checkstack(lua, 2, "too many results");
    place += UnpackOne(lua, layout, data, place, &count);
  }
  lua_pushinteger(lua, static_cast<lua_Integer>(place + 1));
  return count + 1;
}

int StructSize(lua_State* lua) {
  Layout layout(lua, luaL_checkstring(lua, 1));
  std::size_t place = 0;
  while (layout.Next(place)) {
    const char letter = layout.letter();
    place += layout.padding();
    if (letter == 's') luaL_argerror(lua, 1, "option 's' has no fixed size");
    if (letter == 'c' && layout.size() == 0) {
      luaL_argerror(lua, 1, "option 'c0' has no fixed size");
    }
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) layout.Control();
    place += layout.size();
  }
  lua_pushinteger(lua, static_cast<lua_Integer>(place));
  return 1;
}

}  // namespace

void PushStruct(lua_State* lua) {
  lua_newtable(lua);
  constexpr luaL_Reg kStructFunctions[] = {
      {"pack", &StructPack}, {"unpack", &StructUnpack}, {"size", &StructSize}};
  for (const luaL_Reg& function : kStructFunctions) {
    lua_pushcfunction(lua, function.func);
    lua_setfield(lua, -2, function.name);
  }
}

}  // namespace interlock::sim::redis
