// SPDX-License-Identifier: MIT
#include "scenarios/cli/serve_command.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/cases/server_words.h"
#include "scenarios/cli/commands.h"
#include "scenarios/cli/server_option.h"
#include "sim/serve/control.h"

namespace interlock::scenarios::cli {

namespace {

using reports::ExitCode;

constexpr std::string_view kServeExamples = R"(
Examples:
  interlock serve --port 0 --clock controlled
  interlock serve --config maxmemory=10mb --unixsocket /tmp/fake.sock
  redis-cli -p 40123 INTERLOCK.CLOCK ADVANCE 10001

)";

ExitCode RunServe(const sim::serve::ServeOptions& options) {
  if (const auto why = WhyUnproven(*options.dialect)) Complain(ExitCode::kPass, *why);
  // A server whose addresses nobody has read is useless.
  Printed printed = Printed::kAll;
  const sim::serve::ServeOutput output{
      [&printed](std::string_view text) {
        printed = TryPrint(text);
        return printed == Printed::kAll;
      },
      [](std::string_view line) { Complain(ExitCode::kPass, line); }};
  const sim::serve::ServeEnd end = sim::serve::Serve(options, output);
  return ServeExitCode(end, printed);
}

}  // namespace

ExitCode ServeExitCode(sim::serve::ServeEnd end, Printed printed) {
  switch (end) {
    case sim::serve::ServeEnd::kStopped:
      return ExitCode::kPass;
    case sim::serve::ServeEnd::kRefused:
      return ExitCode::kUsage;
    case sim::serve::ServeEnd::kNoAddress:
      return ExitCode::kRedisUnreachable;
    case sim::serve::ServeEnd::kNoOutput:
      return printed == Printed::kFailed ? ExitCode::kInternal : ExitCode::kPass;
    case sim::serve::ServeEnd::kFailed:
      return ExitCode::kInternal;
  }
  return ExitCode::kInternal;
}

void AddServeCommand(Command app, Work& work) {
  Command command = app.Subcommand(
      "serve",
      "the fake Redis over TCP, for clients in any language, with a clock and faults to "
      "command");
  auto options = std::make_shared<sim::serve::ServeOptions>();
  auto password = std::make_shared<std::string>();
  auto parameters = std::make_shared<std::vector<std::string>>();
  auto clock = std::make_shared<std::string>("real");
  command.Add("--port", options->port, "TCP port; 0: a free one, printed")
      .InRange(0, 65535)
      .ShowDefault();
  command.Add("--bind", options->addresses, "address to listen on; may be repeated").ShowDefault();
  command.Flag("--allow-remote", options->allow_remote,
               "let --bind take addresses that other machines can reach");
  AddServerOption(command, options->dialect);
  command.Add("--unixsocket", options->unix_socket, "listen on this path as well");
  command.Add("--requirepass", *password, "the default user's password");
  command.Add("--config", *parameters, "a parameter of redis.conf; may be repeated")
      .Type("NAME=VALUE")
      .Check([](const std::string& text) {
        return text.find('=') == text.npos ? text + " is not of the form NAME=VALUE" : "";
      });
  command.Add("--maxclients", options->max_clients, "connections at a time")
      .InRange(1, 1000000)
      .ShowDefault();
  command
      .Add("--clock", *clock,
           "real: the machine's; controlled: stands still until INTERLOCK.CLOCK moves it")
      .OneOf({"real", "controlled"})
      .ShowDefault();
  command.Footer(std::string(kServeExamples) + std::string(sim::serve::Control::HelpText()));
  command.OnParsed([options, clock, password, parameters, &work] {
    for (const std::string& text : *parameters) {
      const std::size_t equals = text.find('=');
      options->parameters.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    if (!password->empty()) options->parameters.emplace_back("requirepass", *password);
    options->controlled_clock = *clock == "controlled";
    work = [options] { return RunServe(*options); };
  });
}

}  // namespace interlock::scenarios::cli
