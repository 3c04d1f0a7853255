// SPDX-License-Identifier: MIT
#include <memory>
#include <string>
#include <vector>

#include <CLI/Option.hpp>

#include "scenarios/cli/commands.h"
#include "scenarios/cli/serve_control.h"
#include "scenarios/cli/serve_options.h"

namespace interlock::scenarios::cli {

void AddServeCommand(CLI::App& app, Work& work) {
  CLI::App* command = app.add_subcommand(
      "serve",
      "the fake Redis over TCP, for clients in any language, with a clock and faults to "
      "command");
  auto options = std::make_shared<ServeOptions>();
  auto password = std::make_shared<std::string>();
  auto parameters = std::make_shared<std::vector<std::string>>();
  auto clock = std::make_shared<std::string>("real");
  command->add_option("--port", options->port, "TCP port; 0: a free one, printed")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command->add_option("--bind", options->addresses, "address to listen on; may be repeated")
      ->capture_default_str();
  command->add_flag("--allow-remote", options->allow_remote,
                    "let --bind take addresses that other machines can reach");
  command->add_option("--unixsocket", options->unix_socket, "listen on this path as well");
  command->add_option("--requirepass", *password, "the default user's password");
  command->add_option("--config", *parameters, "a parameter of redis.conf; may be repeated")
      ->type_name("NAME=VALUE")
      ->check([](const std::string& text) {
        return text.find('=') == text.npos ? text + " is not of the form NAME=VALUE" : "";
      });
  command->add_option("--maxclients", options->max_clients, "connections at a time")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command
      ->add_option("--clock", *clock,
                   "real: the machine's; controlled: stands still until INTERLOCK.CLOCK moves it")
      ->check(CLI::IsMember({"real", "controlled"}))
      ->capture_default_str();
  command->footer("\n" + std::string(Control::HelpText()));
  command->callback([options, clock, password, parameters, &work] {
    for (const std::string& text : *parameters) {
      const std::size_t equals = text.find('=');
      options->parameters.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    if (!password->empty()) options->parameters.emplace_back("requirepass", *password);
    options->controlled_clock = *clock == "controlled";
    work = [options] { return Serve(*options); };
  });
}

}  // namespace interlock::scenarios::cli
