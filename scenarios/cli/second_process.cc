// SPDX-License-Identifier: MIT
#include "scenarios/cli/second_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string>
#include <vector>

#include <fmt/format.h>

extern char** environ;

namespace interlock::scenarios::cli {
namespace {

Status Unavailable(std::string message) {
  return Status(StatusCode::kUnavailable, std::move(message));
}

/// Starts this very program with `arguments` and returns what it prints.
Result<std::string> OutputOfThisProgram(std::vector<std::string> arguments) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return Unavailable("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  if (failed == 0) {
    std::array<char, 256> buffer{};
    for (;;) {
      const ssize_t count = read(ends[0], buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      output.append(buffer.data(), static_cast<std::size_t>(count));
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  close(ends[0]);
  if (failed != 0) return Unavailable("the program could not be started again");
  return output;
}

}  // namespace

Result<std::uint64_t> HashInSecondProcess(const Unit& unit, std::uint64_t seed, std::uint64_t runs,
                                          std::optional<Strategy> strategy) {
  std::vector<std::string> words = {"interlock",  "hash",
                                    "--lock",     std::string(unit.entry->subject->name()),
                                    "--scenario", std::string(unit.scenario->name),
                                    "--class",    std::string(ToString(unit.synchrony)),
                                    "--seed",     std::to_string(seed),
                                    "--runs",     std::to_string(runs)};
  if (strategy.has_value()) {
    words.insert(words.end(), {"--strategy", std::string(ToString(*strategy))});
  }
  auto output = OutputOfThisProgram(std::move(words));
  if (!output.ok()) return output.status();
  std::uint64_t hash = 0;
  const char* end = output->data() + output->size();
  const auto [stopped, error] = std::from_chars(output->data(), end, hash);
  if (error != std::errc() || stopped == output->data()) {
    return Unavailable("the second process ended without a hash");
  }
  return hash;
}

}  // namespace interlock::scenarios::cli
