// SPDX-License-Identifier: MIT
//
// The commands of the program and their options, as CLI11 reads them. Only options.cc includes
// CLI11, which takes longer to compile than all our own headers.
//
// Commands and options are handles: copies refer to the same object, which lives as long as its
// CommandLine. A variable that an option is bound to must outlive CommandLine::Parse. Thread
// safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace interlock::scenarios::cli {

/// Returns what is wrong with the text of a value; empty: nothing.
using ValueCheck = std::function<std::string(const std::string& text)>;

/// Thrown by the callbacks of OnParsed if the options do not go together. `what` is a whole
/// sentence.
struct WrongUsage {
  std::string what;
};

class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}
  Option Check(ValueCheck check);
  Option InRange(std::int64_t least, std::int64_t most);  ///< inclusive bounds
  Option OneOf(const std::vector<std::string>& words);
  Option Type(std::string_view name);  ///< name of its value in the help
  Option ShowDefault();                ///< in the help
  Option Required();
  Option Joined();  ///< joins several values into one, with commas between them
  Option Needs(Option other);
  Option Excludes(Option other);

 private:
  CLI::Option* option_;
};

class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  Command Subcommand(std::string_view name, std::string_view help) const;
  /// Adds an option whose value is an int, std::optional<int>, std::uint64_t, std::string, or a
  /// vector of int or std::string. A name without dashes makes it positional. An empty std::string,
  /// such as an unset variable gives, is refused.
  template <typename T>
  Option Add(const std::string& name, T& value, const std::string& help = "") const;
  /// Adds an option whose value is passed to `take` after its checks.
  Option AddTaken(const std::string& name, std::function<void(const std::string&)> take,
                  const std::string& help) const;
  /// Adds a flag; "!--fixed" sets `value` to false.
  Option Flag(const std::string& name, bool& value, const std::string& help) const;
  /// Adds an option that has no effect.
  Option Ignored(const std::string& name, const std::string& help) const;
  void Footer(const std::string& text) const;  ///< shown at the end of its help
  void Hide() const;                           ///< leaves it out of the overview
  /// `then` is called when this command or one of its subcommands was chosen; it may throw
  /// WrongUsage.
  void OnParsed(std::function<void()> then) const;
  /// Whether one of its subcommands was chosen.
  bool has_chosen() const;

 private:
  CLI::App* app_;
};

class CommandLine {
 public:
  CommandLine(const std::string& about, const std::string& version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command commands();

  enum class Parsed : std::uint8_t { kYes, kHelpAsked, kRefused };
  /// Sets `answer` to whole lines: the help or version that was asked for, or what is wrong.
  Parsed Parse(int argc, char** argv, std::string& answer);

  /// Whether the command exists; hidden ones do.
  bool Knows(std::string_view command) const;
  /// The commands that the overview lists.
  std::vector<std::string> names() const;
  std::string Overview() const;
  /// REQUIRES: `command` is one of names().
  std::string HelpOn(std::string_view command) const;

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace interlock::scenarios::cli
