// SPDX-License-Identifier: MIT
#include "sim/serve/upstream.h"

#include <sys/socket.h>
#include <sys/time.h>

#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>

#include "sim/redis/resp.h"

namespace interlock::sim::serve {
namespace {

namespace asio = boost::asio;
using asio::generic::stream_protocol;
using boost::system::error_code;
using redis::Argv;

/// For replies before the socket is left to the io_context.
constexpr timeval kReadyWithin = {2, 0};

std::string PlaceOf(const HiredisOptions& server) {
  return server.unix_path.empty() ? fmt::format("{}:{}", server.host, server.port)
                                  : server.unix_path;
}

Status NotReached(const HiredisOptions& server, std::string_view why) {
  return Status(StatusCode::kUnavailable,
                fmt::format("no connection to the server at {}: {}", PlaceOf(server), why));
}

error_code ConnectTo(const HiredisOptions& server, asio::io_context& io, Socket& socket) {
  error_code error;
  if (!server.unix_path.empty()) {
    socket.connect(asio::local::stream_protocol::endpoint(server.unix_path), error);
    return error;
  }
  asio::ip::tcp::resolver resolver(io);
  const auto places = resolver.resolve(server.host, std::to_string(server.port), error);
  if (error) return error;
  for (const auto& place : places) {
    error_code ignored;
    socket.close(ignored);
    socket.connect(place.endpoint(), error);
    if (!error) break;
  }
  error_code ignored;
  socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  return error;
}

}  // namespace

Result<std::shared_ptr<Upstream>> Upstream::Connect(asio::io_context& io,
                                                    const HiredisOptions& server,
                                                    OnBytes on_bytes) {
  Socket socket(io.get_executor());
  if (const error_code error = ConnectTo(server, io, socket)) {
    return NotReached(server, error.message());
  }
  auto made = std::make_shared<Upstream>(std::move(socket));
  if (Status ready = made->GetReady(server); !ready.ok()) return ready;
  made->on_bytes_ = std::move(on_bytes);
  made->Read();
  return made;
}

Status Upstream::GetReady(const HiredisOptions& server) {
  setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &kReadyWithin, sizeof kReadyWithin);
  Status ready;
  if (!server.password.empty()) {
    Argv auth = {"AUTH", server.password};
    if (!server.user.empty()) auth = {"AUTH", server.user, server.password};
    ready = Ask(auth);
  }
  if (ready.ok() && server.database != 0) ready = Ask({"SELECT", std::to_string(server.database)});
  error_code ignored;
  socket_.non_blocking(true, ignored);
  if (ready.code() == StatusCode::kUnavailable) return NotReached(server, ready.message());
  return ready;
}

/// Sends a command whose reply is one line.
Status Upstream::Ask(const Argv& argv) {
  std::string bytes;
  redis::AppendCommand(argv, &bytes);
  const int fd = socket_.native_handle();
  std::string reply;
  bool broken = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0;
  for (char letter = 0; !broken && letter != '\n';) {
    broken = recv(fd, &letter, 1, 0) != 1;
    reply += letter;
  }
  if (broken) return Status(StatusCode::kUnavailable, "it does not answer");
  if (reply.starts_with('+')) return Status();
  return Status(StatusCode::kInvalidArgument, fmt::format("the server refuses {}: {}", argv.front(),
                                                          reply.substr(1, reply.find('\r') - 1)));
}

void Upstream::Read() {
  socket_.async_read_some(asio::buffer(input_),
                          [self = shared_from_this()](const error_code& error, std::size_t got) {
                            if (!self->socket_.is_open() || error == asio::error::operation_aborted)
                              return;
                            if (error) {
                              const OnBytes on_bytes = self->on_bytes_;
                              self->Close();
                              return on_bytes(std::nullopt);
                            }
                            self->on_bytes_(std::string_view(self->input_.data(), got));
                            if (self->socket_.is_open()) self->Read();
                          });
}

void Upstream::Send(const Argv& argv) {
  redis::AppendCommand(argv, &out_);
  if (writing_.empty()) Write();
}

void Upstream::Write() {
  if (out_.empty() || !socket_.is_open()) return;
  writing_.swap(out_);
  asio::async_write(socket_, asio::buffer(writing_),
                    [self = shared_from_this()](const error_code& error, std::size_t) {
                      self->writing_.clear();
                      // The read that fails too says that the server is gone.
                      if (!error) self->Write();
                    });
}

void Upstream::Close() {
  error_code ignored;
  socket_.close(ignored);
}

std::string Upstream::address() const {
  error_code error;
  const stream_protocol::endpoint end = socket_.local_endpoint(error);
  if (error || end.protocol().family() == AF_UNIX) return {};
  asio::ip::tcp::endpoint tcp;
  if (end.size() > tcp.capacity()) return {};
  std::memcpy(tcp.data(), end.data(), end.size());
  tcp.resize(end.size());
  const std::string host = tcp.address().to_string();
  return fmt::format(fmt::runtime(tcp.address().is_v6() ? "[{}]:{}" : "{}:{}"), host, tcp.port());
}

}  // namespace interlock::sim::serve
