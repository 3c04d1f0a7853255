// SPDX-License-Identifier: MIT
//
// Mutations of fuzz_commands' texts that keep them meaningful: whole lines come, go and change
// places; commands are taken from the command table, with arguments from the dictionary. One
// mutation in eight is libFuzzer's own, of bytes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/command_table.h"
#include "sim/redis/server.h"
#include "sim/redis/text.h"
#include "tests/fuzz/dictionary.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t limit);

namespace interlock::fuzz {
namespace {

using sim::redis::Argv;
using sim::redis::Command;
using sim::redis::ToText;
using Lines = std::vector<std::string>;

const std::vector<const Command*>& ModelledCommands() {
  static const std::vector<const Command*> kCommands = [] {
    std::vector<const Command*> commands;
    for (const Command& command : sim::redis::KnownCommands(sim::redis::DefaultDialect())) {
      if (command.handler != nullptr) commands.push_back(&command);
    }
    return commands;
  }();
  return kCommands;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::size_t Below(std::size_t limit) { return random_() % limit; }

  void Mutate(Lines* lines) {
    if (lines->empty() || Below(3) == 0) {
      const std::size_t at = Below(lines->size() + 1);
      lines->insert(lines->begin() + static_cast<std::ptrdiff_t>(at), RandomLine());
      return;
    }
    const std::size_t at = Below(lines->size());
    const auto place = lines->begin() + static_cast<std::ptrdiff_t>(at);
    switch (Below(5)) {
      case 0:
        lines->erase(place);
        break;
      case 1:
        std::swap((*lines)[at], (*lines)[Below(lines->size())]);
        break;
      case 2:
        lines->insert(place, std::string((*lines)[Below(lines->size())]));
        break;
      case 3:
        if (!(*lines)[at].empty()) (*lines)[at][0] = RandomSlot();
        break;
      default:
        ChangeWord(&(*lines)[at]);
    }
  }

 private:
  template <typename Words>
  std::string OneOf(const Words& words) {
    return std::string(words[Below(words.size())]);
  }
  char RandomSlot() { return static_cast<char>('1' + Below(4)); }

  std::string RandomWord() {
    const std::size_t kind = Below(16);
    if (kind < 6) return OneOf(kKeys);
    if (kind == 6) return OneOf(kScripts);
    return OneOf(kWords);
  }

  std::string RandomLine() {
    switch (Below(16)) {
      case 0:
        return std::string(Below(8) == 0 ? "-" : "+") + std::to_string(Below(300));
      case 1:
        return Below(2) == 0 ? std::string("x ") + RandomSlot() : "e";
      default:
        return std::string(1, RandomSlot()) + " " + ToText(RandomCommand());
    }
  }

  Argv RandomCommand() {
    const Command& command = *ModelledCommands()[Below(ModelledCommands().size())];
    const std::size_t bar = command.name.find('|');
    Argv argv = {std::string(command.name.substr(0, bar))};
    if (bar != std::string_view::npos) argv.emplace_back(command.name.substr(bar + 1));
    const int arity = command.arity;
    std::size_t count = static_cast<std::size_t>(arity < 0 ? -arity : arity);
    if (arity < 0 || Below(16) == 0) count += Below(4);
    if (argv[0].starts_with("eval") || argv[0] == "script") {
      argv.push_back(OneOf(kScripts));
      if (Below(8) != 0) argv.push_back("1");
    }
    if (arity < 0 && Below(32) == 0) AddMembers(&argv);
    while (argv.size() < count) argv.push_back(argv.size() == 1 ? OneOf(kKeys) : RandomWord());
    return argv;
  }

  // So many that a container changes its inner form.
  void AddMembers(Argv* argv) {
    if (argv->size() == 1) argv->push_back(OneOf(kKeys));
    for (std::size_t left = 2 * (10 + Below(30)); left > 0; --left) {
      argv->push_back(left % 2 == 0 ? std::to_string(left) : "m" + std::to_string(left));
    }
  }

  // Puts a word in, or in the place of another.
  void ChangeWord(std::string* line) {
    std::size_t at = line->find(' ', Below(line->size() + 1));
    if (at == std::string::npos) at = line->size();
    const std::size_t end = Below(2) == 0 ? at : std::min(line->find(' ', at + 1), line->size());
    line->replace(at, end - at, " " + ToText(Argv{RandomWord()}));
  }

  std::mt19937 random_;
};

Lines Split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace
}  // namespace interlock::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t limit, unsigned seed) {
  using namespace interlock::fuzz;
  Mutator mutator(seed);
  if (mutator.Below(8) == 0) return LLVMFuzzerMutate(data, size, limit);
  Lines lines = Split({reinterpret_cast<const char*>(data), size});
  for (std::size_t left = 1 + mutator.Below(4); left > 0; --left) mutator.Mutate(&lines);
  std::size_t used = 0;
  for (const std::string& line : lines) {
    if (used + line.size() + 1 > limit) break;
    std::memcpy(data + used, line.data(), line.size());
    used += line.size();
    data[used++] = '\n';
  }
  return used;
}
