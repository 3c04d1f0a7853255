// SPDX-License-Identifier: MIT
#include "sim/redis/inline_argument.h"

#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char Unescaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'b':
      return '\b';
    case 'a':
      return '\a';
    default:
      return c;
  }
}

class InlineArgument {
 public:
  InlineArgument(std::string_view line, QuotesMay quotes, std::size_t* at, std::string* out)
      : line_(line), quotes_(quotes), at_(*at), out_(*out) {}

  bool Read() {
    while (at_ < line_.size()) {
      const char c = line_[at_];
      if (c == ' ' || c == '\n' || c == '\r' || c == '\t') return true;
      ++at_;
      if (c != '"' && c != '\'') {
        out_.push_back(c);
        continue;
      }
      if (!(c == '"' ? ReadDoubleQuoted() : ReadSingleQuoted())) return false;
      if (quotes_ == QuotesMay::kEndWords) return at_ == line_.size() || IsBlank(line_[at_]);
    }
    return true;
  }

 private:
  char At(std::size_t index) const { return index < line_.size() ? line_[index] : '\0'; }

  // These two begin behind the opening quote. False: it is not closed.
  bool ReadDoubleQuoted() {
    while (at_ < line_.size()) {
      const char c = line_[at_++];
      if (c == '"') return true;
      if (c != '\\' || at_ == line_.size()) {
        out_.push_back(c);
      } else if (line_[at_] == 'x' && HexDigit(At(at_ + 1)) >= 0 && HexDigit(At(at_ + 2)) >= 0) {
        out_.push_back(static_cast<char>(HexDigit(At(at_ + 1)) * 16 + HexDigit(At(at_ + 2))));
        at_ += 3;
      } else {
        out_.push_back(Unescaped(line_[at_++]));
      }
    }
    return false;
  }

  bool ReadSingleQuoted() {
    while (at_ < line_.size()) {
      const char c = line_[at_++];
      if (c == '\'') return true;
      if (c == '\\' && At(at_) == '\'') {
        out_.push_back('\'');
        ++at_;
      } else {
        out_.push_back(c);
      }
    }
    return false;
  }

  std::string_view line_;
  QuotesMay quotes_;
  std::size_t& at_;
  std::string& out_;
};

}  // namespace

bool ReadInlineArgument(std::string_view line, QuotesMay quotes, std::size_t* at,
                        std::string* out) {
  return InlineArgument(line, quotes, at, out).Read();
}

}  // namespace interlock::sim::redis
