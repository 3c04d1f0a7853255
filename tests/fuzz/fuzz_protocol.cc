// SPDX-License-Identifier: MIT
//
// Arbitrary bytes as what a client sends. The first byte says whether the client is authenticated
// (bit 0) and how the rest is cut into pieces. Claims: the pieces do not matter; the server takes
// every command; every reply is well-formed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/redis/resp.h"
#include "sim/redis/server.h"
#include "tests/fuzz/checks.h"

namespace interlock::fuzz {
namespace {

using sim::redis::ClientId;
using sim::redis::RequestParser;
using sim::redis::ToText;
using sim::redis::Value;

void AppendOutcome(RequestParser* parser, bool authenticated, std::string* transcript) {
  for (;;) {
    switch (parser->Next(authenticated)) {
      case RequestParser::Outcome::kCommand:
        transcript->append(ToText(parser->command())).append("\n");
        break;
      case RequestParser::Outcome::kNeedMore:
        return;
      case RequestParser::Outcome::kProtocolError:
        transcript->append(parser->error());
        return;
      case RequestParser::Outcome::kClose:
        transcript->append("close");
        return;
    }
  }
}

std::string ReadWhole(std::string_view bytes, bool authenticated) {
  RequestParser parser;
  std::string transcript;
  parser.Feed(bytes);
  AppendOutcome(&parser, authenticated, &transcript);
  return transcript;
}

std::string ReadInPieces(std::string_view bytes, bool authenticated, std::uint32_t state) {
  const std::size_t longest = std::size_t{1} << (state % 8);
  RequestParser parser;
  std::string transcript;
  bool ended = false;
  while (!bytes.empty() && !ended) {
    state = state * 1664525U + 1013904223U;
    const std::size_t size = 1 + (state >> 16) % longest;
    parser.Feed(bytes.substr(0, size));
    bytes.remove_prefix(std::min(size, bytes.size()));
    std::string piece;
    AppendOutcome(&parser, authenticated, &piece);
    transcript += piece;
    ended = !piece.empty() && piece.back() != '\n';
  }
  return transcript;
}

class Connection final : private sim::redis::Sink {
 public:
  void Serve(std::string_view bytes, bool password) {
    server_.SetSink(this);
    server_.SetTime(1'700'000'000'000'000);
    server_.SetUnmodelledIsError(true);
    if (password)
      Check(server_.Configure("requirepass", "secret").empty(), "a password can be set");
    client_ = server_.Connect();
    parser_.Feed(bytes);
    while (!closed_ && !server_.IsBlocked(client_) &&
           parser_.Next(server_.IsAuthenticated(client_)) == RequestParser::Outcome::kCommand) {
      if (!IsTooCostly(parser_.command())) server_.Execute(client_, parser_.command());
    }
    if (!closed_) server_.Disconnect(client_);
  }

 private:
  void OnReply(ClientId client, Value& value) override {
    CheckEncoding(value, server_.ProtocolOf(client));
  }
  void OnClosed(ClientId) override { closed_ = true; }

  sim::redis::Server server_;
  RequestParser parser_;
  ClientId client_ = 0;
  bool closed_ = false;
};

}  // namespace
}  // namespace interlock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace interlock::fuzz;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool authenticated = (data[0] & 1) != 0;
  const std::string whole = ReadWhole(bytes, authenticated);
  const std::string pieces = ReadInPieces(bytes, authenticated, data[0] / 2U);
  Check(whole == pieces, "pieces of any size give the same commands", whole + "\nor\n" + pieces);
  Connection().Serve(bytes, !authenticated);
  return 0;
}
