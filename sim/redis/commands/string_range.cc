// SPDX-License-Identifier: MIT
//
// Parts of strings: APPEND, GETRANGE, SETRANGE, STRLEN and LCS.
#include <algorithm>

#include "sim/redis/commands/object_encoding.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

std::size_t LongestString(const Context& c) {
  return static_cast<std::size_t>(c.engine.config().proto_max_bulk_len);
}

bool FitsAString(Context& c, std::size_t length, std::size_t more) {
  const std::size_t longest = LongestString(c);
  if (c.client.from_master || (length <= longest && more <= longest - length)) return true;
  c.Error("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
  return false;
}

void AppendToString(Context& c) {
  Entry* entry = c.Find(c.args[1]);
  std::string* text = nullptr;
  if (!c.As(entry, &text)) return;
  if (text == nullptr) {
    entry = &c.keyspace().Add(c.database(), c.args[1], std::string(c.args[2]));
    entry->form = FormOfArgument(c);
    text = &std::get<std::string>(entry->data);
  } else {
    if (!FitsAString(c, text->size(), c.args[2].size())) return;
    text->append(c.args[2]);
    entry->form = StringForm::kRaw;
  }
  c.Integer(text->size());
  c.Touch(c.args[1]);
  c.Notify(kNotifyString, "append", c.args[1]);
}

void StrLen(Context& c) {
  std::string* text = nullptr;
  if (c.Get(c.args[1], &text)) c.Integer(text == nullptr ? std::size_t{0} : text->size());
}

void GetRange(Context& c) {
  std::int64_t start = 0;
  std::int64_t end = 0;
  if (!c.ParseInt(c.args[2], &start) || !c.ParseInt(c.args[3], &end)) return;
  std::string* text = nullptr;
  if (!c.Get(c.args[1], &text)) return;
  c.String("");
  if (text == nullptr || (start < 0 && end < 0 && start > end)) return;
  const auto size = static_cast<std::int64_t>(text->size());
  if (start < 0) start = std::max<std::int64_t>(start + size, 0);
  if (end < 0) end = std::max<std::int64_t>(end + size, 0);
  end = std::min(end, size - 1);
  if (start > end) return;
  c.String(std::string_view(*text).substr(static_cast<std::size_t>(start),
                                          static_cast<std::size_t>(end - start + 1)));
}

void SetRange(Context& c) {
  std::int64_t offset = 0;
  if (!c.ParseInt(c.args[2], &offset)) return;
  if (offset < 0) return c.Error("ERR offset is out of range");
  const std::string_view value = c.args[3];
  Entry* entry = c.Find(c.args[1]);
  std::string* text = nullptr;
  if (!c.As(entry, &text)) return;
  if (value.empty()) return c.Integer(text == nullptr ? std::size_t{0} : text->size());
  const auto begin = static_cast<std::size_t>(offset);
  if (!FitsAString(c, begin, value.size())) return;
  if (text == nullptr) {
    entry = &c.keyspace().Add(c.database(), c.args[1], std::string());
    text = &std::get<std::string>(entry->data);
  }
  entry->form = StringForm::kRaw;
  if (text->size() < begin + value.size()) text->resize(begin + value.size());
  text->replace(begin, value.size(), value);
  c.Integer(text->size());
  c.Touch(c.args[1]);
  c.Notify(kNotifyString, "setrange", c.args[1]);
}

struct LcsOptions {
  bool indexes = false;
  bool length = false;
  bool match_lengths = false;
  std::int64_t least_length = 0;
};

bool ParseLcsOptions(Context& c, LcsOptions* options) {
  for (std::size_t i = 3; i < c.args.size(); ++i) {
    const std::string_view word = c.args[i];
    if (EqualsIgnoreCase(word, "idx")) {
      options->indexes = true;
    } else if (EqualsIgnoreCase(word, "len")) {
      options->length = true;
    } else if (EqualsIgnoreCase(word, "withmatchlen")) {
      options->match_lengths = true;
    } else if (EqualsIgnoreCase(word, "minmatchlen") && i + 1 < c.args.size()) {
      if (!c.ParseInt(c.args[++i], &options->least_length)) return false;
    } else {
      c.Error(kSyntax);
      return false;
    }
  }
  if (!options->indexes || !options->length) return true;
  c.Error("ERR If you want both the length and indexes, please just use IDX.");
  return false;
}

// Lengths of the longest common subsequences of all pairs of prefixes.
class LcsTable {
 public:
  LcsTable(std::string_view a, std::string_view b)
      : width_(b.size() + 1), cells_((a.size() + 1) * width_) {
    for (std::size_t i = 1; i <= a.size(); ++i) {
      for (std::size_t j = 1; j <= b.size(); ++j) {
        cells_[i * width_ + j] =
            a[i - 1] == b[j - 1] ? At(i - 1, j - 1) + 1 : std::max(At(i - 1, j), At(i, j - 1));
      }
    }
  }
  std::uint32_t At(std::size_t i, std::size_t j) const { return cells_[i * width_ + j]; }

 private:
  std::size_t width_;
  std::vector<std::uint32_t> cells_;
};

// A run of common bytes: a[a_start .. a_start + length), and likewise in b.
struct LcsMatch {
  std::size_t a_start = 0;
  std::size_t b_start = 0;
  std::size_t length = 0;
};

// From back to front, as Redis reports them. On a tie, `b` is shortened first: that decides which
// of several longest subsequences is found.
std::vector<LcsMatch> FindMatches(const LcsTable& table, std::string_view a, std::string_view b,
                                  std::string* common) {
  std::vector<LcsMatch> matches;
  LcsMatch current;
  const auto end_current = [&] {
    if (current.length != 0) matches.push_back(current);
    current = {};
  };
  std::size_t i = a.size();
  std::size_t j = b.size();
  while (i > 0 && j > 0) {
    if (a[i - 1] == b[j - 1]) {
      common->push_back(a[i - 1]);
      --i;
      --j;
      current = {i, j, current.length + 1};
      continue;
    }
    end_current();
    if (table.At(i - 1, j) > table.At(i, j - 1)) {
      --i;
    } else {
      --j;
    }
  }
  end_current();
  std::reverse(common->begin(), common->end());
  return matches;
}

Value RangeValue(std::size_t start, std::size_t length) {
  return ArrayValue({IntegerValue(static_cast<std::int64_t>(start)),
                     IntegerValue(static_cast<std::int64_t>(start + length - 1))});
}

void Lcs(Context& c) {
  const Entry* entries[] = {c.Find(c.args[1]), c.Find(c.args[2])};
  std::string_view texts[2];
  for (int i = 0; i < 2; ++i) {
    if (entries[i] == nullptr) continue;
    const auto* text = std::get_if<std::string>(&entries[i]->data);
    if (text == nullptr) return c.Error("ERR The specified keys must contain string values");
    texts[i] = *text;
  }
  LcsOptions options;
  if (!ParseLcsOptions(c, &options)) return;
  const auto [a, b] = texts;
  if ((a.size() + 1) * (b.size() + 1) * sizeof(std::uint32_t) > LongestString(c)) {
    return c.Error("ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len");
  }
  const LcsTable table(a, b);
  const std::int64_t length = table.At(a.size(), b.size());
  if (options.length) return c.Integer(length);
  std::string common;
  const std::vector<LcsMatch> matches = FindMatches(table, a, b, &common);
  if (!options.indexes) return c.String(common);
  std::vector<Value> found;
  for (const LcsMatch& match : matches) {
    const auto match_length = static_cast<std::int64_t>(match.length);
    if (match_length < options.least_length) continue;
    std::vector<Value> row = {RangeValue(match.a_start, match.length),
                              RangeValue(match.b_start, match.length)};
    if (options.match_lengths) row.push_back(IntegerValue(match_length));
    found.push_back(ArrayValue(std::move(row)));
  }
  c.Map() = {StringValue("matches"), ArrayValue(std::move(found)), StringValue("len"),
             IntegerValue(length)};
}

constexpr HandlerRow kStringRangeCommands[] = {
    {"append", &AppendToString}, {"strlen", &StrLen},     {"getrange", &GetRange},
    {"substr", &GetRange},       {"setrange", &SetRange}, {"lcs", &Lcs},
};

}  // namespace

std::span<const HandlerRow> StringRangeCommands() { return kStringRangeCommands; }

}  // namespace interlock::sim::redis
