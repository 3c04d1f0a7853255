// SPDX-License-Identifier: MIT
//
// The commands of the program and their options, as CLI11 reads them. Only options.cc includes
// CLI11, which takes a compiler longer to read than all that is ours.
//
// Commands and options are handles: copies stand for the same thing, which lives as long as its
// CommandLine. What a value is bound to must outlive CommandLine::Parse. Thread safety: none.
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

/// What is wrong with the text of a value; empty: nothing.
using ValueCheck = std::function<std::string(const std::string& text)>;

/// Thrown by what OnParsed calls: the options do not go together. `what` is a whole sentence.
struct WrongUsage {
  std::string what;
};

class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}
  Option Check(ValueCheck check);
  Option InRange(std::int64_t least, std::int64_t most);  ///< both included
  Option OneOf(const std::vector<std::string>& words);
  Option Type(std::string_view name);  ///< what help calls its value
  Option ShowDefault();                ///< in help
  Option Required();
  Option Joined();  ///< several values make one, with commas between them
  Option Needs(Option other);
  Option Excludes(Option other);
  bool given() const;  ///< once it is parsed

 private:
  CLI::Option* option_;
};

class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  Command Subcommand(std::string_view name, std::string_view help) const;
  /// Of int, std::optional<int>, std::uint64_t, std::string, and vectors of int and std::string. A
  /// name without dashes is a positional.
  template <typename T>
  Option Add(const std::string& name, T& value, const std::string& help = "") const;
  /// What is given goes to `take`, after its checks.
  Option AddTaken(const std::string& name, std::function<void(const std::string&)> take,
                  const std::string& help) const;
  /// "!--fixed" sets it to false.
  Option Flag(const std::string& name, bool& value, const std::string& help) const;
  /// Means nothing.
  Option Ignored(const std::string& name, const std::string& help) const;
  void Footer(const std::string& text) const;  ///< at the end of its help
  void Hide() const;                           ///< from the overview
  /// Called when this command was chosen, or one of its own; may throw WrongUsage.
  void OnParsed(std::function<void()> then) const;
  /// Whether one of its own commands was chosen.
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
  /// `answer` becomes the help or the version that was asked for, or what is wrong: whole lines.
  Parsed Parse(int argc, char** argv, std::string& answer);

  /// All of them, the hidden ones too.
  bool Knows(std::string_view command) const;
  /// Those of the overview.
  std::vector<std::string> names() const;
  std::string Overview() const;
  /// REQUIRES: it is one of names().
  std::string HelpOn(std::string_view command) const;

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace interlock::scenarios::cli
