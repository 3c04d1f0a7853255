// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/plain_pattern.h"

namespace interlock::sim::redis {

namespace {

// As isdigit and isspace in the C locale.
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

PlainPattern::PlainPattern(std::string_view pattern) { plain_ = Compile(pattern); }

bool PlainPattern::Add(Kind kind, char character) {
  if (size_ == kMostItems) return false;
  items_[size_++] = {kind, character, 0};
  return true;
}

bool PlainPattern::Compile(std::string_view pattern) {
  anchored_ = pattern.starts_with('^');
  bool open = false;
  for (std::size_t i = anchored_ ? 1 : 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    const bool last = i + 1 == pattern.size();
    Kind kind = Kind::kCharacter;
    switch (c) {
      case '(':
        // An empty capture is a position capture.
        if (open || last || pattern[i + 1] == ')' || count_ == kMostCaptures) return false;
        open = true;
        ++count_;
        if (!Add(Kind::kOpen)) return false;
        continue;
      case ')':
        if (!open || !Add(Kind::kClose)) return false;
        open = false;
        continue;
      case '$':
        return last && !open && Add(Kind::kEnd);
      case '%':
        if (last) return false;
        kind = pattern[++i] == 'd' ? Kind::kDigit
               : pattern[i] == 's' ? Kind::kSpace
               : pattern[i] == 'S' ? Kind::kNoSpace
                                   : Kind::kEnd;
        if (kind == Kind::kEnd) return false;
        break;
      case '.':
        kind = Kind::kAny;
        break;
      case '[':
      case ']':
      case '^':
      case '-':
      case '+':
      case '*':
      case '?':
      case '\0':
        return false;
      default:
        break;
    }
    if (!Add(kind, c)) return false;
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (next == '-') return false;
    if (next != '+' && next != '*' && next != '?') continue;
    items_[size_ - 1].repeats = next;
    ++i;
  }
  return !open;
}

const char* PlainPattern::EndOf(const Item& item, const char* at, const char* end) {
  switch (item.kind) {
    case Kind::kCharacter:
      while (at != end && *at == item.character) ++at;
      return at;
    case Kind::kDigit:
      while (at != end && IsDigit(*at)) ++at;
      return at;
    case Kind::kSpace:
      while (at != end && IsSpace(*at)) ++at;
      return at;
    case Kind::kNoSpace:
      while (at != end && !IsSpace(*at)) ++at;
      return at;
    default:
      return end;
  }
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the pattern is long
bool PlainPattern::Match(std::size_t item, std::size_t captures, const char*& at, const char* end) {
  for (; item < size_; ++item) {
    const Item& present = items_[item];
    if (present.kind == Kind::kOpen) {
      captures_[captures++] = {at, 0};
    } else if (present.kind == Kind::kClose) {
      std::string_view& closed = captures_[captures - 1];
      closed = {closed.data(), static_cast<std::size_t>(at - closed.data())};
    } else if (present.kind == Kind::kEnd) {
      return at == end;
    } else if (present.repeats == 0) {
      if (at == end || EndOf(present, at, at + 1) == at) return false;
      ++at;
    } else {
      // As many as possible, then fewer, until the rest matches too.
      const bool once = present.repeats == '?' && at != end;
      const char* last = EndOf(present, at, once ? at + 1 : end);
      const char* const first = present.repeats == '+' ? at + 1 : at;
      for (; last >= first; --last) {
        const char* next = last;
        if (!Match(item + 1, captures, next, end)) continue;
        at = next;
        return true;
      }
      return false;
    }
  }
  return true;
}

bool PlainPattern::Find(std::string_view text, std::size_t from) {
  const char* const end = text.data() + text.size();
  for (const char* begin = text.data() + from; begin <= end; ++begin) {
    const char* at = begin;
    if (Match(0, 0, at, end)) {
      if (count_ == 0) captures_[count_++] = {begin, static_cast<std::size_t>(at - begin)};
      begin_ = static_cast<std::size_t>(begin - text.data());
      end_ = static_cast<std::size_t>(at - text.data());
      return true;
    }
    if (anchored_) return false;
  }
  return false;
}

}  // namespace interlock::sim::redis
