// SPDX-License-Identifier: MIT
#include "sim/serve/faults.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/redis/command_table.h"
#include "sim/serve/words.h"
#include "sim/unknown_name.h"

namespace interlock::sim::serve {
namespace {

using Kind = CommandFault::Kind;

struct KindName {
  std::string_view name;
  Kind kind;
  std::string_view parameter;  // empty: it has none
};
constexpr std::array<KindName, 5> kKinds = {{
    {"DELAY", Kind::kDelay, "ms"},
    {"ERROR", Kind::kError, "text"},
    {"DROPREPLY", Kind::kDropReply, ""},
    {"RESETBEFORE", Kind::kResetBefore, ""},
    {"RESETAFTER", Kind::kResetAfter, ""},
}};

const KindName* FindKind(std::string_view word) {
  const auto found = std::find_if(kKinds.begin(), kKinds.end(), [&](const KindName& known) {
    return SameWord(known.name, word);
  });
  return found == kKinds.end() ? nullptr : &*found;
}

std::string_view NameOf(Kind kind) {
  for (const KindName& known : kKinds) {
    if (known.kind == kind) return known.name;
  }
  return "?";
}

// "CLIENT SETNAME" as "client|setname".
std::string CommandWord(std::string_view text) {
  std::string word = Lower(text);
  std::replace(word.begin(), word.end(), ' ', '|');
  return word;
}

bool IsCommand(const redis::Dialect& dialect, std::string_view word) {
  const auto known = redis::KnownCommands(dialect);
  return std::any_of(known.begin(), known.end(),
                     [&](const redis::Command& command) { return command.name == word; });
}

std::string UnknownCommand(const redis::Dialect& dialect, std::string_view word) {
  if (word.starts_with("interlock.")) return "ERR control commands are never struck";
  std::vector<std::string_view> names;
  for (const redis::Command& command : redis::KnownCommands(dialect)) {
    names.push_back(command.name);
  }
  return "ERR CMD: " + UnknownName("command", word, names);
}

// An error reply is one line; its first word is the error's code.
bool IsErrorText(std::string_view text) {
  return !text.empty() && text.find_first_of(std::string_view("\r\n\0", 3)) == text.npos;
}

}  // namespace

bool CommandFaultPlan::Knows(std::string_view kind) { return FindKind(kind) != nullptr; }

std::variant<std::int64_t, std::string> CommandFaultPlan::Arm(Words words) {
  const KindName* kind = words.empty() ? nullptr : FindKind(words[0]);
  if (kind == nullptr) return std::string("ERR unknown fault; INTERLOCK.HELP lists them");
  Rule rule;
  rule.fault.kind = kind->kind;
  std::size_t next = 1;
  if (!kind->parameter.empty()) {
    if (words.size() < 2) {
      return fmt::format("ERR {} needs its {}; see INTERLOCK.HELP", kind->name, kind->parameter);
    }
    const auto delay_us = MillisecondsToUs(words[1]);
    if (kind->kind == Kind::kDelay && !delay_us) {
      return fmt::format("ERR DELAY needs milliseconds, from 0 to {} (a century)", kLongestMs);
    }
    if (kind->kind == Kind::kError && !IsErrorText(words[1])) {
      return std::string("ERR the text of an ERROR is one line and not empty");
    }
    rule.fault.delay_us = delay_us.value_or(0);
    rule.fault.text = words[1];
    next = 2;
  }
  if (next < words.size() && SameWord(words[next], "ALWAYS")) {
    rule.left.reset();
    ++next;
  } else if (next < words.size() && WholeNumber(words[next])) {
    rule.left = WholeNumber(words[next]);
    if (*rule.left < 1) return std::string("ERR a count is at least 1, or ALWAYS");
    ++next;
  }
  for (; next < words.size(); next += 2) {
    if (next + 1 == words.size() || words[next + 1].empty()) break;
    if (SameWord(words[next], "TO")) {
      rule.client = words[next + 1];
    } else if (SameWord(words[next], "CMD")) {
      rule.command = CommandWord(words[next + 1]);
      // "CMD CLIENT SETNAME": the subcommand may be a word of its own.
      if (next + 2 < words.size() &&
          IsCommand(*dialect_, rule.command + "|" + Lower(words[next + 2]))) {
        rule.command += "|" + Lower(words[++next + 1]);
      }
      if (!IsCommand(*dialect_, rule.command)) return UnknownCommand(*dialect_, rule.command);
    } else {
      break;
    }
  }
  if (next < words.size()) {
    return std::string("ERR behind the fault come: [count|ALWAYS] [TO client-name] [CMD command]");
  }
  rule.number = ++last_number_;
  rules_.push_back(std::move(rule));
  return last_number_;
}

bool CommandFaultPlan::Clear(std::int64_t number) {
  return std::erase_if(rules_, [&](const Rule& rule) { return rule.number == number; }) > 0;
}

std::vector<std::string> CommandFaultPlan::List() const {
  std::vector<std::string> lines;
  for (const Rule& rule : rules_) {
    std::string line = fmt::format("{} {}", rule.number, NameOf(rule.fault.kind));
    if (!rule.fault.text.empty()) line += " " + rule.fault.text;
    line += rule.left ? fmt::format(" count {}", *rule.left) : " ALWAYS";
    if (!rule.client.empty()) line += " TO " + rule.client;
    if (!rule.command.empty()) line += " CMD " + rule.command;
    lines.push_back(std::move(line));
  }
  return lines;
}

bool CommandFaultPlan::Fits(const Rule& rule, std::string_view client_name, Words argv) {
  if (!rule.client.empty() && rule.client != client_name) return false;
  if (rule.command.empty() || SameWord(rule.command, argv[0])) return true;
  return argv.size() > 1 && SameWord(rule.command, argv[0] + "|" + argv[1]);
}

std::optional<CommandFault> CommandFaultPlan::Take(std::string_view client_name, Words argv) {
  for (auto rule = rules_.begin(); rule != rules_.end(); ++rule) {
    if (!Fits(*rule, client_name, argv)) continue;
    CommandFault fault = rule->fault;
    if (rule->left && --*rule->left == 0) rules_.erase(rule);
    return fault;
  }
  return std::nullopt;
}

}  // namespace interlock::sim::serve
