// SPDX-License-Identifier: MIT
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <boost/asio/basic_signal_set.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/signal_set.hpp>

#include "sim/serve/listener.h"
#include "sim/serve/loop.h"
#include "sim/serve/options.h"
#include "sim/serve/service.h"

namespace interlock::sim::serve {
namespace {

namespace asio = boost::asio;

// Each connection takes a descriptor, and so do the listening sockets and the loop itself. Returns
// the maximum number of connections.
std::size_t RaiseDescriptorLimit(std::size_t wanted_clients) {
  constexpr std::size_t kOwn = 32;
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted_clients;
  const auto wanted = static_cast<rlim_t>(wanted_clients + kOwn);
  if (limit.rlim_cur >= wanted) return wanted_clients;
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? wanted : std::min(wanted, limit.rlim_max);
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) getrlimit(RLIMIT_NOFILE, &limit);
  const auto clients = static_cast<std::size_t>(limit.rlim_cur);
  return clients > kOwn ? std::min(wanted_clients, clients - kOwn) : 1;
}

std::optional<std::string> Refusal(const ServeOptions& options) {
  for (const auto& [name, value] : options.parameters) {
    if (name == "port" || name == "maxclients" || name == "bind" || name == "unixsocket") {
      return fmt::format("--config {0}: that is what --{0} is for", name);
    }
  }
  for (const std::string& text : options.addresses) {
    boost::system::error_code error;
    const auto address = asio::ip::make_address(text, error);
    if (error) return fmt::format("--bind {}: not an IP address", text);
    if (!address.is_loopback() && !options.allow_remote) {
      return fmt::format(
          "--bind {}: others could reach this address, and steer the server unless --requirepass "
          "is "
          "given, too; add --allow-remote if that is meant",
          text);
    }
  }
  return std::nullopt;
}

class Program {
 public:
  Program(const ServeOptions& options, const ServeOutput& output)
      : output_(output),
        service_(io_, options),
        listener_(io_,
                  [this](Socket socket, std::string peer) {
                    service_.Add(std::move(socket), std::move(peer));
                  }),
        signals_(io_.get_executor(), SIGINT, SIGTERM) {}

  std::optional<std::string> Configure() { return service_.Configure(listener_.port()); }

  std::optional<std::string> Listen(const ServeOptions& options) {
    int port = options.port;
    for (const std::string& address : options.addresses) {
      if (auto error = listener_.AddTcp(address, port)) return error;
      port = listener_.port();
    }
    if (options.unix_socket.empty()) return std::nullopt;
    return listener_.AddUnix(options.unix_socket);
  }

  ServeEnd Run() {
    std::string text;
    for (const std::string& name : listener_.names()) text += "listening on " + name + "\n";
    if (!output_.print(text)) return ServeEnd::kNoOutput;
    service_.SetShutdown([this] { Stop("SHUTDOWN", 1); });
    signals_.async_wait([this](const boost::system::error_code& error, int signal) {
      if (!error) Stop(signal == SIGINT ? "SIGINT" : "SIGTERM", 0);
    });
    service_.Start();
    listener_.Start();
    return RunLoop(
        io_, reason_, [this] { service_.RunDue(); }, output_);
  }

 private:
  // `own_depth`: number of commands on the stack that belong to this request to stop.
  void Stop(std::string_view reason, int own_depth) {
    reason_ = reason;
    if (service_.depth() <= own_depth) return io_.stop();
    // Returning would continue a busy script, which may never end.
    listener_.RemoveFiles();
    output_.notice("stopped by " + std::string(reason_));
    std::_Exit(0);
  }

  const ServeOutput& output_;
  // There is one thread, so Asio need not lock anything.
  asio::io_context io_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE};
  Service service_;
  Listener listener_;
  asio::basic_signal_set<Executor> signals_;
  std::string_view reason_;
};

}  // namespace

ServeEnd Serve(const ServeOptions& given, const ServeOutput& output) {
  const auto fail = [&output](ServeEnd end, std::string_view why) {
    output.notice(why);
    return end;
  };
  if (const auto refusal = Refusal(given)) return fail(ServeEnd::kRefused, *refusal);
  ServeOptions options = given;
  options.max_clients = RaiseDescriptorLimit(given.max_clients);
  if (options.max_clients < given.max_clients) {
    output.notice(fmt::format("only {} clients: the limit of open files allows no more",
                              options.max_clients));
  }
  Program program(options, output);
  if (const auto error = program.Listen(options)) return fail(ServeEnd::kNoAddress, *error);
  if (const auto error = program.Configure()) return fail(ServeEnd::kRefused, *error);
  return program.Run();
}

}  // namespace interlock::sim::serve
