// SPDX-License-Identifier: MIT
#include "sim/serve/listener.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/local/stream_protocol.hpp>

namespace interlock::sim::serve {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

using GenericProtocol = asio::generic::stream_protocol;
using LocalProtocol = asio::local::stream_protocol;

// The default of redis-server.
constexpr int kBacklog = 511;

std::string Name(const tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return endpoint.address().is_v6() ? fmt::format("[{}]:{}", address, endpoint.port())
                                    : fmt::format("{}:{}", address, endpoint.port());
}

// The peer's name, from the endpoint that a generic socket returned.
std::string PeerName(const GenericProtocol::endpoint& endpoint, const std::string& unix_path) {
  if (!unix_path.empty()) return unix_path + ":0";
  tcp::endpoint peer;
  if (endpoint.size() > peer.capacity()) return {};
  peer.resize(endpoint.size());
  std::copy_n(static_cast<const char*>(static_cast<const void*>(endpoint.data())), endpoint.size(),
              static_cast<char*>(static_cast<void*>(peer.data())));
  return Name(peer);
}

// Removes a socket file that no process listens on any more, because it still occupies its name.
void RemoveStaleSocket(asio::io_context& io, const std::string& path) {
  struct stat status = {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return;
  LocalProtocol::socket probe(io);
  error_code error;
  probe.connect(LocalProtocol::endpoint(path), error);
  if (error == asio::error::connection_refused) unlink(path.c_str());
}

// Programs that this process starts must not go on listening, or hold a connection open.
void CloseOnExec(int file) { fcntl(file, F_SETFD, FD_CLOEXEC); }

}  // namespace

Listener::Place::Place(asio::io_context& io)
    : acceptor(io.get_executor()), pause(io.get_executor()) {}

Listener::Listener(asio::io_context& io, Accepted accepted)
    : io_(io), accepted_(std::move(accepted)) {}

Listener::~Listener() { RemoveFiles(); }

void Listener::RemoveFiles() {
  for (const auto& place : places_) {
    if (!place->unix_path.empty()) unlink(place->unix_path.c_str());
  }
}

std::optional<std::string> Listener::Add(const GenericProtocol::endpoint& endpoint,
                                         const std::string& name) {
  auto place = std::make_unique<Place>(io_);
  error_code error;
  place->acceptor.open(endpoint.protocol(), error);
  if (!error) place->acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error && endpoint.protocol().family() == AF_INET6) {
    place->acceptor.set_option(asio::ip::v6_only(true), error);
  }
  if (!error) CloseOnExec(place->acceptor.native_handle());
  if (!error) place->acceptor.bind(endpoint, error);
  if (!error) place->acceptor.listen(kBacklog, error);
  if (!error) place->acceptor.non_blocking(true, error);
  if (error) return fmt::format("cannot listen on {}: {}", name, error.message());
  places_.push_back(std::move(place));
  return std::nullopt;
}

std::optional<std::string> Listener::AddTcp(const std::string& address, int port) {
  const tcp::endpoint wanted(asio::ip::make_address(address), static_cast<std::uint16_t>(port));
  if (auto error = Add(wanted, Name(wanted))) return error;
  const GenericProtocol::endpoint bound = places_.back()->acceptor.local_endpoint();
  names_.push_back(PeerName(bound, {}));
  if (port_ == 0) {
    port_ = std::stoi(names_.back().substr(names_.back().rfind(':') + 1));
  }
  return std::nullopt;
}

std::optional<std::string> Listener::AddUnix(const std::string& path) {
  if (path.size() >= LocalProtocol::endpoint().capacity() - sizeof(sa_family_t)) {
    return fmt::format("cannot listen on {}: the path is too long for a socket", path);
  }
  RemoveStaleSocket(io_, path);
  if (auto error = Add(LocalProtocol::endpoint(path), path)) return error;
  places_.back()->unix_path = path;
  names_.push_back(path);
  return std::nullopt;
}

void Listener::Start() {
  for (const auto& place : places_) Accept(*place);
}

void Listener::Accept(Place& place) {
  place.acceptor.async_accept([this, &place](const error_code& error, Socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (error) {
      // Mostly the process is out of descriptors; trying again at once would only burn processor
      // time.
      place.pause.expires_after(std::chrono::milliseconds(100));
      place.pause.async_wait([this, &place](const error_code& stopped) {
        if (!stopped) Accept(place);
      });
      return;
    }
    Introduce(place, std::move(socket));
    AcceptWaiting(place);
    Accept(place);
  });
}

// Accepts all waiting connections at once: a turn of the loop for each of them would let the
// backlog overflow, and a client whose SYN was dropped tries again only a second later.
void Listener::AcceptWaiting(Place& place) {
  constexpr int kAtMost = 1000;  // Other clients have to be served, too.
  for (int i = 0; i < kAtMost; ++i) {
    error_code error;
    Socket socket(io_.get_executor());
    place.acceptor.accept(socket, error);
    if (error) return;
    Introduce(place, std::move(socket));
  }
}

void Listener::Introduce(const Place& place, Socket socket) {
  error_code error;
  const GenericProtocol::endpoint peer = socket.remote_endpoint(error);
  if (error) return;
  CloseOnExec(socket.native_handle());
  socket.non_blocking(true, error);
  if (place.unix_path.empty()) socket.set_option(tcp::no_delay(true), error);
  accepted_(std::move(socket), PeerName(peer, place.unix_path));
}

}  // namespace interlock::sim::serve
