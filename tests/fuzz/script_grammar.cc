// SPDX-License-Identifier: MIT
#include "tests/fuzz/script_grammar.h"

#include <span>
#include <utility>

#include "tests/fuzz/script_words.h"

namespace interlock::fuzz {

namespace {

constexpr std::size_t kDeepest = 4;
constexpr std::size_t kMostStatements = 12;
constexpr std::size_t kMostText = 6000;

constexpr std::string_view kPrelude =
    "local t,u,list,v,big={3,1,2},{a=1,b={2}},{},nil,('y'):rep(10000) "
    "for i=1,50 do list[i]=i end "
    "local function deep(n) return 1+deep(n) end "
    "local function inner(n) n=(tonumber(n) or 0)+1 if n>100 then return n end "
    "return pcall(inner,n) end "
    "local function loop() for i=1,1000 do v=i end end "
    "local co=coroutine.create(function(...) local x=... while true do x=coroutine.yield(x) end "
    "end) ";

// Values as texts that do not depend on addresses or on the order of a hash table.
constexpr std::string_view kShow =
    "local function show(x,d) local k=type(x) "
    "if k=='string' then if #x>300 then return #x..':'..redis.sha1hex(x) end return x end "
    "if k=='number' then return ('%.17g'):format(x) end "
    "if k~='table' then return k=='userdata' and 'null' or k=='boolean' and tostring(x) or k end "
    "if d>3 then return '...' end "
    "local r={} for i=1,20 do local e=rawget(x,i) if e==nil then break end r[i]=show(e,d+1) end "
    "for _,f in ipairs({'err','ok','a','b','double','map','set'}) do local e=rawget(x,f) "
    "if e~=nil then r[#r+1]=f..'='..show(e,d+1) end end "
    "return '{'..table.concat(r,',')..'}' end ";

class Writer {
 public:
  Writer(ByteChoices* choices, ScriptKind kind)
      : choices_(*choices), wild_(kind == ScriptKind::kAnything) {}

  std::string Script() {
    const bool raw = choices_.Below(4) == 3;
    if (wild_ && choices_.Below(16) == 15) out_ += "#!lua flags=no-writes\n";
    out_ += kPrelude;
    if (!wild_) out_ += kShow;
    const bool guarded = !wild_ || choices_.Below(3) == 0;
    if (guarded) out_ += "local out={pcall(function() ";
    const std::size_t count = 1 + choices_.Below(kMostStatements);
    for (std::size_t i = 0; i < count && out_.size() < kMostText; ++i) Statement(0);
    out_ += "do return ";
    Value(0);
    if (choices_.Below(3) == 2) {
      out_ += ",";
      Value(0);
    }
    out_ += " end ";
    if (!guarded) return out_;
    out_ += "end)} ";
    out_ += wild_ ? "return out" : raw ? "return out[2]" : "return show(out,0)";
    return out_;
  }

 private:
  std::string_view OneOf(Words words) { return words[choices_.Below(words.size())]; }
  void Put(Words words) { out_ += OneOf(words); }

  void Statement(std::size_t depth) {
    constexpr std::string_view kVariables[] = {"v", "t", "u", "big", "t[1]", "t.x", "u.b", "list"};
    switch (choices_.Below(wild_ ? 15 : 13)) {
      case 0:
      case 1:
      case 2:
        out_ += "v=";
        CallOf(depth);
        break;
      case 3:
      case 4:
        return Protected(depth);
      case 5:
        Put(kVariables);
        out_ += "=";
        Value(depth);
        break;
      case 6:
        out_ += "setmetatable(t,{";
        for (std::size_t left = 1 + choices_.Below(3); left > 0; --left) {
          Put(Metamethods());
          out_ += ",";
        }
        out_ += "})";
        break;
      case 7:
        return Loop(depth);
      case 8:
        out_ += "v={pcall(deep,1)} v=#tostring(v[2])";
        break;
      case 9:
        out_ += "v={coroutine.resume(co,";
        Value(depth);
        out_ += ")}";
        break;
      case 10:
        out_ += "for i=1,150 do t={t} end";
        break;
      case 11:
        return Operation(depth);
      case 12:
        return Coroutine(depth);
      default:
        return Put(WildStatements());
    }
    out_ += " ";
  }

  void Protected(std::size_t depth) {
    out_ += "v={pcall(function() ";
    if (depth < kDeepest) Statement(depth + 1);
    out_ += "do return ";
    CallOf(depth);
    out_ += " end end)} ";
  }

  void Loop(std::size_t depth) {
    constexpr std::string_view kCounts[] = {"3", "20", "100"};
    out_ += "for i=1,";
    Put(kCounts);
    out_ += " do ";
    const std::size_t what = choices_.Below(4);
    if (what == 0 && depth < 2) {
      Statement(depth + 1);
    } else if (what == 1) {
      out_ += "if type(v)=='string' and #v<5000 then v=v..v end ";
    } else {
      out_ += "list[i]=";
      Value(kDeepest);
      out_ += " ";
    }
    out_ += "end ";
  }

  void Operation(std::size_t depth) {
    constexpr std::string_view kOperators[] = {"+",  "-", "*",  "/",  "%",  "^",
                                               "..", "<", "<=", "==", "~=", "and"};
    out_ += "v={pcall(function() return ";
    Value(depth + 1);
    Put(kOperators);
    Value(depth + 1);
    out_ += " end)} ";
  }

  void Coroutine(std::size_t depth) {
    out_ += "do local w=coroutine.wrap(function(...) ";
    if (depth < 2) Statement(depth + 1);
    out_ += "coroutine.yield(";
    Value(kDeepest);
    out_ += ") return ";
    CallOf(depth + 1);
    out_ += " end) v={pcall(w)} v={v,pcall(w)} v={v,pcall(w)} end ";
  }

  void CallOf(std::size_t depth) {
    const std::span<const Call> calls = Calls();
    const std::size_t which = choices_.Below(calls.size() + (wild_ ? WildCalls().size() : 0));
    const Call& call = which < calls.size() ? calls[which] : WildCalls()[which - calls.size()];
    out_ += call.name;
    out_ += "(";
    const std::string_view letters = call.arguments;
    bool first = true;
    const std::size_t odd = choices_.Below(8);  // 0: the right arguments.
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (odd == 1 && i > 0) break;
      const bool more = letters[i] == '*';
      const char letter = odd == 2 ? 'v' : letters[more ? i - 1 : i];
      for (std::size_t left = more ? choices_.Below(4) : 1; left > 0; --left) {
        if (!std::exchange(first, false)) out_ += ",";
        Argument(letter, depth + 1);
      }
    }
    out_ += ")";
  }

  void Argument(char letter, std::size_t depth) {
    switch (letter) {
      case 'b':
        out_ += choices_.Below(2) == 0 ? "true" : "false";
        return;
      case 't':
        return Table(depth);
      case 'f':
        return Put(Functions());
      case 'c':
        out_ += "co";
        return;
      case 'C':
        return Command();
      case 'v':
        return Value(depth);
      default:
        return Put(WordsFor(letter));
    }
  }

  void Table(std::size_t depth) {
    // The last one is the globals, whose order in a hash table is that of their insertion.
    const Words tables = wild_ ? Tables() : Tables().first(Tables().size() - 1);
    if (choices_.Below(5) != 0 || depth >= kDeepest) return Put(tables);
    out_ += "{";
    Value(depth + 1);
    out_ += ",x=";
    Value(depth + 1);
    out_ += "}";
  }

  void Command() {
    Words commands = WordsFor('C');
    if (!wild_) commands = commands.first(kComparableCommands);
    for (const char c : OneOf(commands)) {
      if (c != '@') {
        out_.push_back(c);
      } else {
        Argument(choices_.Below(4) == 0 ? 's' : 'n', kDeepest);
      }
    }
  }

  void Value(std::size_t depth) {
    switch (choices_.Below(depth >= kDeepest ? 3 : 6)) {
      case 0:
        return Put(PlainValues());
      case 1:
        return Put(WordsFor('n'));
      case 2:
        return Put(WordsFor('s'));
      case 3:
        return Table(depth + 1);
      default:
        return CallOf(depth + 1);
    }
  }

  ByteChoices& choices_;
  bool wild_;
  std::string out_;
};

}  // namespace

std::string HostileScript(ByteChoices* choices, ScriptKind kind) {
  return Writer(choices, kind).Script();
}

}  // namespace interlock::fuzz
