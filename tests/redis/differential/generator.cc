// SPDX-License-Identifier: MIT
#include "tests/redis/differential/generator.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/command_table.h"
#include "sim/redis/text.h"
#include "tests/redis/differential/arguments.h"
#include "tests/redis/differential/coverage.h"
#include "tests/redis/differential/functions_grammar.h"
#include "tests/redis/differential/grammar.h"
#include "tests/redis/differential/scripts.h"
#include "tests/redis/differential/shrink.h"
#include "tests/redis/differential/tested_server.h"

namespace interlock::testing {

namespace {

using sim::redis::Argv;

constexpr Profile kProfiles[] = {
    {.name = "data", .data = 90, .plain = 10},
    {.name = "transactions", .data = 45, .plain = 8, .transaction = 35, .watch = 12},
    {.name = "scripts", .data = 25, .plain = 3, .transaction = 4, .script = 68},
    {.name = "functions", .data = 15, .transaction = 8, .script = 4, .function = 73},
    {.name = "blocking", .data = 8, .transaction = 5, .blocking = 40, .waking = 45, .reconnect = 2},
    {.name = "messages",
     .data = 20,
     .plain = 10,
     .transaction = 10,
     .script = 5,
     .pubsub = 50,
     .connection = 3,
     .reconnect = 2},
    {.name = "events",
     .data = 70,
     .plain = 5,
     .transaction = 8,
     .script = 7,
     .blocking = 3,
     .waking = 7,
     .events = true},
    {.name = "settings",
     .data = 25,
     .plain = 10,
     .transaction = 8,
     .script = 7,
     .blocking = 3,
     .waking = 2,
     .pubsub = 2,
     .connection = 20,
     .setting = 20,
     .reconnect = 3},
    {.name = "tracking",
     .data = 15,
     .transaction = 8,
     .script = 4,
     .blocking = 3,
     .waking = 8,
     .tracking = 60,
     .reconnect = 2},
};

// Those of a group that can be generated: the fake models their commands.
std::vector<std::string_view> Modelled(std::initializer_list<Patterns> groups) {
  std::vector<std::string_view> modelled;
  for (const Patterns group : groups) {
    for (const std::string_view pattern : group) {
      const std::string_view text = pattern.substr(pattern.starts_with('!') ? 1 : 0);
      if (IsModelled(ParseWords(text))) modelled.push_back(pattern);
    }
  }
  return modelled;
}

struct Grammar {
  std::vector<std::string_view> data = Modelled(
      {StringPatterns(), BitPatterns(), KeyPatterns(), ListPatterns(), HashPatterns(),
       FieldPatterns(), SetPatterns(), SortedSetPatterns(), SortPatterns(), NoChoicePatterns()});
  std::vector<std::string_view> choosing = Modelled({ChoosingPatterns()});
  std::vector<std::string_view> plain = Modelled({PlainPatterns()});
  std::vector<std::string_view> transaction = Modelled({TransactionPatterns()});
  std::vector<std::string_view> blocking = Modelled({BlockingPatterns()});
  std::vector<std::string_view> waking = Modelled({WakingPatterns()});
  std::vector<std::string_view> pubsub = Modelled({PubSubPatterns()});
  std::vector<std::string_view> connection = Modelled({ConnectionPatterns()});
  std::vector<std::string_view> scripting = Modelled({ScriptingPatterns()});
  std::vector<std::string_view> setting = Modelled({SettingPatterns()});
  std::vector<std::string_view> tracking = Modelled({TrackingPatterns()});
  std::vector<std::string_view> functions = Modelled({FunctionPatterns()});
  std::vector<std::string_view> any =
      Modelled({StringPatterns(), BitPatterns(), KeyPatterns(), ListPatterns(), HashPatterns(),
                FieldPatterns(), SetPatterns(), SortedSetPatterns(), SortPatterns(),
                NoChoicePatterns(), PlainPatterns(), TransactionPatterns(), BlockingPatterns(),
                PubSubPatterns(), ConnectionPatterns(), ScriptingPatterns(), SettingPatterns()});
  std::vector<std::string_view> populating = Modelled({PopulatingPatterns()});
};

const Grammar& TheGrammar() {
  static const Grammar grammar;
  return grammar;
}

bool IsSubcommand(const Argv& argv) {
  const auto* command = sim::redis::FindCommand(TestedDialect(), argv);
  return command != nullptr && command->name.find('|') != std::string_view::npos;
}

std::int64_t ArityOf(const Argv& argv) {
  const auto* command = sim::redis::FindCommand(TestedDialect(), argv);
  return command == nullptr ? -1 : command->arity;
}

// Options and names in lower case now and then.
void ChangeCase(Argv* argv, Dice* dice) {
  const bool all = dice->Chance(30);
  for (std::string& word : *argv) {
    const bool capital =
        std::all_of(word.begin(), word.end(), [](unsigned char c) { return c >= 'A' && c <= 'Z'; });
    if (capital) {
      for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    if (!all) break;
  }
}

// A word less than the command takes, or one more.
void BreakArity(Argv* argv, Dice* dice) {
  const std::int64_t arity = ArityOf(*argv);
  const auto least = static_cast<std::size_t>(arity < 0 ? -arity : arity);
  const std::size_t name = IsSubcommand(*argv) ? 2 : 1;
  const bool shorten = least > name && argv->size() >= least && (arity < 0 || dice->Chance(60));
  if (shorten) {
    argv->resize(least - 1);
  } else if (arity > 0) {
    argv->push_back(OddArgument(dice));
  }
}

void Distort(bool exact, Argv* argv, Dice* dice) {
  if (dice->Chance(8)) {
    BreakArity(argv, dice);
  } else if (!exact && dice->Chance(2)) {
    argv->push_back(OddArgument(dice));
  } else if (!exact && argv->size() > 1 && dice->Chance(6)) {
    const std::size_t from = 1 + dice->Below(argv->size() - 1);
    const std::size_t to = 1 + dice->Below(argv->size() - 1);
    switch (dice->Below(3)) {
      case 0:
        (*argv)[to] = OddArgument(dice);
        break;
      case 1:
        std::swap((*argv)[from], (*argv)[to]);
        break;
      default:
        argv->push_back(std::string((*argv)[from]));
    }
  }
  if (dice->Chance(20)) ChangeCase(argv, dice);
}

Argv Written(const std::vector<std::string_view>& patterns, Dice* dice) {
  std::string_view pattern = dice->Pick<std::string_view>(patterns);
  // Elsewhere the id of a client could come back in an error.
  const bool exact = pattern.starts_with('!') || pattern.find('@') != std::string_view::npos;
  if (pattern.starts_with('!')) pattern.remove_prefix(1);
  Argv argv = Expand(pattern, dice);
  Distort(exact, &argv, dice);
  return argv;
}

// Redis wakes the clients blocked on keys of swapped databases in any order, so that both never
// stand in one sequence.
Argv Unless(bool blocking, const std::vector<std::string_view>& patterns, Dice* dice) {
  for (;;) {
    Argv argv = Written(patterns, dice);
    if (!blocking || !sim::redis::EqualsIgnoreCase(argv[0], "swapdb")) return argv;
  }
}

// One that calls a command of any kind, or one with a body of its own.
Argv Script(bool blocking, Dice* dice) {
  const Grammar& grammar = TheGrammar();
  if (dice->Chance(10)) return Written(grammar.scripting, dice);
  Argv argv = {dice->Chance(90) ? "EVAL" : "EVAL_RO"};
  if (dice->Chance(60)) {
    const auto bodies = GenericScriptBodies();
    argv.emplace_back(bodies[dice->Chance(70) ? dice->Below(2) : dice->Below(bodies.size())]);
    argv.emplace_back("0");
    for (std::string& word :
         Unless(blocking, dice->Chance(55) ? grammar.data : grammar.any, dice)) {
      argv.push_back(std::move(word));
    }
    return argv;
  }
  argv.emplace_back(dice->Pick(ScriptBodies()));
  const std::string_view rest = dice->Chance(95) ? "2 %k %k %v %n" : "%N %k %k %v %n";
  for (std::string& word : Expand(rest, dice)) argv.push_back(std::move(word));
  return argv;
}

// A library, a call of one of its functions, or a function that calls a command of any kind.
Argv FunctionCommand(Dice* dice) {
  const Grammar& grammar = TheGrammar();
  if (dice->Chance(20)) {
    Argv argv = {"FUNCTION", "LOAD", std::string(dice->Pick(LibraryCodes()))};
    if (dice->Chance(30)) argv[2] = GoodLibrary();
    if (dice->Chance(60)) argv.insert(argv.begin() + 2, "REPLACE");
    return argv;
  }
  if (dice->Chance(30)) {
    Argv argv = {"FCALL", dice->Chance(70) ? "run" : "prun", "0"};
    for (std::string& word : Written(dice->Chance(70) ? grammar.data : grammar.any, dice)) {
      argv.push_back(std::move(word));
    }
    return argv;
  }
  Argv argv = Written(grammar.functions, dice);
  // From a script it is refused.
  if (dice->Chance(5)) {
    argv.insert(argv.begin(), {"EVAL", std::string(GenericScriptBodies()[dice->Below(2)]), "0"});
  }
  return argv;
}

// What one connection does next: one command, or several that belong together.
class Planner {
 public:
  Planner(const Profile& profile, Dice* dice) : profile_(profile), dice_(dice) {}

  void Plan(std::deque<Argv>* plan) {
    const Grammar& grammar = TheGrammar();
    std::uint64_t left = dice_->Below(100);
    const auto is = [&left](std::uint64_t share) {
      if (left < share) return true;
      left -= share;
      return false;
    };
    if (is(profile_.plain)) return plan->push_back(Draw(grammar.plain));
    if (is(profile_.transaction)) return PlanTransaction(plan);
    if (is(profile_.watch)) return PlanWatch(plan);
    if (is(profile_.script)) return plan->push_back(DrawScript());
    if (is(profile_.function)) return plan->push_back(FunctionCommand(dice_));
    if (is(profile_.blocking)) return plan->push_back(Draw(grammar.blocking));
    if (is(profile_.waking)) return plan->push_back(Draw(grammar.waking));
    if (is(profile_.pubsub)) return plan->push_back(Draw(grammar.pubsub));
    if (is(profile_.connection)) return plan->push_back(Draw(grammar.connection));
    if (is(profile_.setting)) return plan->push_back(Draw(grammar.setting));
    if (is(profile_.tracking)) return plan->push_back(Draw(grammar.tracking));
    if (is(profile_.reconnect)) return plan->push_back({});
    const bool choosing = !grammar.choosing.empty() && dice_->Chance(4);
    plan->push_back(Draw(choosing ? grammar.choosing : grammar.data));
  }

 private:
  Argv Draw(const std::vector<std::string_view>& patterns) {
    return Unless(profile_.blocking > 0, patterns, dice_);
  }
  Argv DrawScript() { return Script(profile_.blocking > 0, dice_); }

  void PlanTransaction(std::deque<Argv>* plan) {
    const Grammar& grammar = TheGrammar();
    if (dice_->Chance(10)) return plan->push_back(Draw(grammar.transaction));
    plan->push_back({"MULTI"});
    for (std::uint64_t i = dice_->Below(5); i > 0; --i) {
      if (profile_.function > 0 && dice_->Chance(50)) {
        plan->push_back(FunctionCommand(dice_));
        continue;
      }
      if (profile_.tracking > 0 && dice_->Chance(50)) {
        plan->push_back(Draw(grammar.tracking));
        continue;
      }
      plan->push_back(dice_->Chance(20) ? DrawScript()
                                        : Draw(dice_->Chance(45) ? grammar.data : grammar.any));
    }
    plan->push_back({dice_->Chance(90) ? "EXEC" : "DISCARD"});
  }

  void PlanWatch(std::deque<Argv>* plan) {
    const Grammar& grammar = TheGrammar();
    plan->push_back(Expand("WATCH %k+", dice_));
    if (dice_->Chance(30)) plan->push_back(Draw(grammar.data));
    if (dice_->Chance(5)) plan->push_back({"UNWATCH"});
    plan->push_back({"MULTI"});
    plan->push_back(Draw(grammar.data));
    plan->push_back({"EXEC"});
  }

  const Profile& profile_;
  Dice* dice_;
};

void Prepare(const Profile& profile, std::size_t connections, Case* sequence, Dice* dice) {
  for (std::size_t i = 0; i < connections; ++i) {
    if (dice->Chance(40)) sequence->steps.push_back({i, {"HELLO", "3"}});
  }
  if (profile.function > 0 && dice->Chance(80)) {
    sequence->steps.push_back({0, {"FUNCTION", "LOAD", std::string(GoodLibrary())}});
  }
  for (const std::string_view pattern : TheGrammar().populating) {
    if (dice->Chance(50)) sequence->steps.push_back({0, Expand(pattern, dice)});
  }
  if (!profile.events || !IsModelled({"CONFIG", "SET"})) return;
  sequence->steps.push_back({0, {"CONFIG", "SET", "notify-keyspace-events", "KEA"}});
  sequence->steps.push_back({connections - 1, {"PSUBSCRIBE", "__key*__:*"}});
}

Case Generate(const Profile& profile, Dice* dice, int size) {
  Case sequence;
  const std::size_t connections = 2 + dice->Below(kConnections - 1);
  Prepare(profile, connections, &sequence, dice);
  // Whoever listens to events does nothing else: with RESP3 its own replies would come among them
  // in an order that differs from command to command.
  const std::size_t active = profile.events ? connections - 1 : connections;
  Planner planner(profile, dice);
  std::array<std::deque<Argv>, kConnections> plans;
  // A connection that has just asked to be blocked leaves the next steps to the others.
  std::array<std::uint64_t, kConnections> rests{};
  for (int left = 8 + size / 2; left > 0; --left) {
    std::size_t connection = dice->Below(active);
    for (int i = 0; i < 8 && rests[connection] > 0; ++i) {
      --rests[connection];
      connection = dice->Below(active);
    }
    std::deque<Argv>& plan = plans[connection];
    if (plan.empty()) planner.Plan(&plan);
    sequence.steps.push_back({connection, std::move(plan.front())});
    plan.pop_front();
    const Argv& argv = sequence.steps.back().argv;
    if (!argv.empty() && (argv[0][0] | 32) == 'b') rests[connection] = 2 + dice->Below(10);
  }
  return sequence;
}

// A word less than the name and the arguments that it needs, or one more.
Argv WithWrongArity(Argv argv) {
  const std::int64_t arity = ArityOf(argv);
  const std::size_t name = IsSubcommand(argv) ? 2 : 1;
  const auto least = static_cast<std::size_t>(arity < 0 ? -arity : arity);
  argv.resize(least > name ? least - 1 : least + 1, "x");
  return argv;
}

Case InEveryWay(const Argv& argv) {
  Case sequence = {{{0, WithWrongArity(argv)}}};
  for (const std::string_view body : GenericScriptBodies().first(2)) {
    Argv script = {"EVAL", std::string(body), "0"};
    script.insert(script.end(), argv.begin(), argv.end());
    sequence.steps.push_back({0, std::move(script)});
  }
  for (const Argv& step : {Argv{"MULTI"}, argv, Argv{"EXEC"}}) sequence.steps.push_back({0, step});
  return sequence;
}

}  // namespace

std::vector<Case> EveryCommandInEveryWay(const rc::Random& random) {
  Dice dice(random);
  std::set<std::string_view> done;
  std::vector<Case> cases;
  for (std::string_view pattern : TheGrammar().any) {
    if (pattern.starts_with('!')) pattern.remove_prefix(1);
    const Argv argv = Expand(pattern, &dice);
    const auto* command = sim::redis::FindCommand(TestedDialect(), argv);
    if (command != nullptr && done.insert(command->name).second) cases.push_back(InEveryWay(argv));
  }
  return cases;
}

std::span<const Profile> Profiles() { return kProfiles; }

rc::Gen<Case> AnyCase(const Profile& profile) {
  return [&profile](const rc::Random& random, int size) {
    Dice dice(random);
    return rc::shrinkable::shrinkRecur(Generate(profile, &dice, size), &ShrinkCase);
  };
}

}  // namespace interlock::testing
